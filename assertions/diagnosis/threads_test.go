package diagnosis

import (
	"testing"
	"time"

	"kafkachaos/harness/state"
)

func frames(methods ...string) []state.Frame {
	var all []state.Frame
	for _, method := range methods {
		all = append(all, state.Frame{Method: method, Source: "X.scala:1"})
	}
	return all
}

// thrice is a node whose threads stood like this in three dumps.
func thrice(threads ...state.Thread) state.NodeSymptoms {
	n := broker(1, "3.9.2")
	for i := range 3 {
		at := now.Add(time.Duration(i) * state.DumpsApart)
		n.Dumps = append(n.Dumps, state.ThreadDump{Source: state.Source{By: "broker-1", At: at}, Complete: true, Threads: threads})
	}
	return n
}

func TestChainsOfThreadsThatWait(t *testing.T) {
	holder := state.Thread{Name: "holder", State: "WAITING", Frames: frames("java.lang.Object.wait", "kafka.A.hold"),
		Locks: []state.Lock{{Kind: "locked", Object: "0x1"}}}
	first := state.Thread{Name: "first", State: "BLOCKED", Frames: frames("kafka.B.enter"),
		Locks: []state.Lock{{Kind: "waiting to lock", Object: "0x1"}, {Kind: "locked", Object: "0x2"}}}
	second := state.Thread{Name: "second", State: "BLOCKED", Frames: frames("kafka.C.enter"),
		Locks: []state.Lock{{Kind: "waiting to lock", Object: "0x2"}}}
	expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{thrice(second, first, holder)}}),
		"broker-1 runs, holder has waited at least 2 s in A.hold for a signal, first waits for holder in B.enter, "+
			"second waits for first in C.enter, 3 dumps agree")

	// In a circle each is told once; whoever waits for one that is busy is not stuck.
	holder.State, holder.Locks = "BLOCKED", []state.Lock{{Kind: "locked", Object: "0x1"}, {Kind: "waiting to lock", Object: "0x2"}}
	holder.Frames = frames("kafka.A.hold")
	expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{thrice(first, holder)}}),
		"broker-1 runs, first waits for holder in B.enter, holder waits for first in A.hold, 3 dumps agree")
	holder.State = "RUNNABLE"
	expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{thrice(second, first, holder)}}))
}

func TestAllRequestHandlersBusy(t *testing.T) {
	busy := state.Thread{Name: "data-plane-kafka-request-handler-0", State: "RUNNABLE", Frames: frames("java.io.X.read", "kafka.log.Log.append")}
	idle := state.Thread{Name: "data-plane-kafka-request-handler-1", State: "TIMED_WAITING",
		Frames: frames("java.util.concurrent.ArrayBlockingQueue.poll", "kafka.network.RequestChannel.receiveRequest")}
	expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{thrice(busy)}}),
		"broker-1 runs, none of its 1 request handlers was free in 3 dumps, one is in Log.append")
	expect(t, Of(state.Symptoms{Nodes: []state.NodeSymptoms{thrice(busy, idle)}}))
}
