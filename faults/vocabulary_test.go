package faults

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"kafkachaos/harness/topology"
)

// one of each kind, and of each way to say where.
var allFaults = []Fault{
	Cut(b1zk1, b2zk1), Blackhole(b1zk1).Upstream(), Hold(b1zk1), Delay(300*time.Millisecond, b1zk1).Downstream(),
	Delay(time.Second, b1zk1).Jitter(100*time.Millisecond, time.Second, 7),
	Bandwidth(10, b1zk1), Slice(10, time.Millisecond, b1zk1), Reset(b1zk1), CloseAfter(100, b1zk1), SwallowFirstReply(b1zk1),
	Cut().On(Between(Controller, Node(zk1))), Cut().On(Towards(LeaderOf("orders", 0), topology.ZooKeeper)),
	Cut().On(ByRole(topology.Broker, topology.ZooKeeper)), Cut().On(Between(WorkerOf("sink", 1), CoordinatorOf("connect-sink"))),
	Isolate(Controller), Split([]topology.Node{b1}, []topology.Node{b2, b3}), OneWay([]topology.Node{b1}, []topology.Node{b2, b3}),
	Bridge(b3), MajoritiesRing(topology.Broker),
	Flap(Blackhole(b1zk1), Square(2*time.Second, 0)), Flap(Cut(b1zk1), Wave{Period: time.Second, Duty: 0.2, Count: 3, Jitter: time.Millisecond, Seed: 9}),
	Kill(FollowerOf("orders", 0)), Terminate(ConnectLeader), Restart(Node(zk1)), Bounce(Node(b1)), Pause(ZooKeeperLeader), Start(Node(w2)),
	LimitCPU(Node(b1), 0.25), CrashLoop(Controller, 3, time.Second, 2*time.Second), RollingRestart(time.Second, b1, b2, b3),
	restarting("restart", SignalTerminate, Node(b1), true),
	Expire(Controller), ExpireRepeatedly(Node(b1), 3, 250*time.Millisecond), ExpireAll(), ExpireWhileBlackholed(Controller), Starve(Node(b1)),
	WorkerJoins(Node(w2)), WorkerLeaves(Node(w2)), WorkerDies(ConnectLeader), WorkerLosesCoordinator(Node(w1), "workers"),
	Evict("", Node(w1)), Evict("connect-sink", Node(w1)), PhantomJoins(), PhantomStalls(), MoveCoordinator(""), MoveCoordinator("connect-sink"),
	RestartConnector("sink"), RestartTask("sink", 0), TouchConfig("sink"), ChangeConfig("sink", "errors.tolerance", "all of them"),
	Reassign("orders", 0, 2, 3), ElectPreferred("orders", 0), CreateTopic("more", 3, 2), DeleteTopic("orders"),
	ChangeTopic("orders", "min.insync.replicas", ""), ChangeTopic("orders", "a", "\"quoted\" = \\"),
	For(time.Second, Cut(b1zk1)), Sequence(For(time.Second, Cut(b1zk1)), Expire(Controller)), Together(Cut(b1zk1), Kill(Node(b2))),
	Repeat(3, time.Second, For(time.Second, Flap(Cut(b1zk1), Square(100*time.Millisecond, 2)))),
	AtRandomTimes(7, 5, time.Minute, RestartTask("sink", 0), TouchConfig("sink")), Guarded(1, Kill(Node(b1))),
	When(Gone("/admin/reassign_partitions"), Cut(b1zk1)), When(InSyncShrunk("orders", 2), Expire(Controller)),
	When(ControllerMoved(), Pause(Controller)), When(SessionOpened(b1), Cut(b1zk1)),
}

func TestEveryFaultIsReadBackFromWhatItPrints(t *testing.T) {
	kinds := map[string]bool{}
	for _, fault := range allFaults {
		text := fault.String()
		again, err := ParseFault(text)
		if err != nil || again.String() != text {
			t.Errorf("%s is read back as %v, %v", text, again, err)
			continue
		}
		if a, b := fault.Claims(ground()), again.Claims(ground()); !slices.Equal(a, b) {
			t.Errorf("%s is read back with the claims %v, want %v", text, b, a)
		}
		if once(fault) != once(again) {
			t.Errorf("%s is read back with once %t", text, once(again))
		}
		spec, _ := ParseSpec(text)
		kinds[spec.Kind] = true
	}
	for kind := range Standard() {
		if !kinds[kind] {
			t.Errorf("no test reads back a %s", kind)
		}
	}
}

func TestEveryFaultPassesItsCheckOnAWholeRigAndNeedsOne(t *testing.T) {
	for _, fault := range allFaults {
		world := newWorld()
		if err := fault.Check(world.rig()); err != nil {
			t.Errorf("check %v: %v", fault, err)
		}
		if len(world.calls()) > 0 {
			t.Errorf("check %v touched the cluster: %q", fault, world.calls())
		}
		if err := fault.Check(NewRig(Tools{Layout: ground(), Workers: "workers"})); err == nil {
			t.Errorf("check %v: no error on a rig without tools", fault)
		}
	}
}

func TestUnreadableFaultsAreErrorsThatSayWhy(t *testing.T) {
	cases := map[string]string{
		"":                        "want a kind",
		"=":                       "want a kind",
		"explode node=broker-1":   `unknown fault "explode"`,
		"cut":                     "links is missing",
		"cut links=broker-1":      `parse link "broker-1"`,
		"cut links=broker-1→zk-0": `parse target "zk-0"`,
		"cut links=broker-1→zk-1 stream=upstream":                                  "unknown argument stream",
		"cut links=around(nobody)":                                                 `parse target "nobody"`,
		"cut links=ring(nobody)":                                                   `role "nobody"`,
		"cut links=across(broker-1)":                                               "want NODE+NODE|NODE",
		"cut links=controller→nobody-*":                                            `role "nobody"`,
		"cut links=controller→leader":                                              `parse target "leader"`,
		"cut links":                                                                "want name=value",
		"cut links=\"broker-1→zk-1":                                                "quotes not closed",
		"cut links=broker-1→zk-1 links=a":                                          "given twice",
		"hold links=broker-1→zk-1 stream=up":                                       "want upstream or downstream",
		"delay by=soon links=broker-1→zk-1":                                        "by=soon: want a duration",
		"kill node=leader(orders)":                                                 "want NAME/NUMBER",
		"kill node=controller(x)":                                                  "of nothing",
		"kill node=coordinator":                                                    "want coordinator(GROUP)",
		"limit-cpu node=broker-1 cores=many":                                       "want a number",
		"bandwidth links=broker-1→zk-1 rate=1.5":                                   "want a whole number",
		"reassign topic=t partition=0 brokers=1,x":                                 "want whole numbers",
		"restart node=broker-1 ready=maybe":                                        "want true or false",
		"for hold=1s of=\"explode\"":                                               "unknown fault",
		"when condition=moon-is-full of=\"cut links=broker-1→zk-1\"":               "unknown condition",
		"when condition=znode-gone(x) of=\"cut links=broker-1→zk-1\"":              "begins with /",
		"when condition=new-session(zk-1) of=\"cut links=broker-1→zk-1\"":          "is no broker",
		"when condition=task-moves(x) of=\"cut links=broker-1→zk-1\"":              "want NAME/NUMBER",
		"flap of=\"cut links=broker-1→zk-1\" period=1s duty=.5 jitter=1ms seed=-1": "want a whole number from 0",
	}
	for text, want := range cases {
		fault, err := ParseFault(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseFault(%q) = %v, %v; want an error with %q", text, fault, err, want)
		}
	}
}

func TestAnAsciiArrowIsRead(t *testing.T) {
	fault, err := ParseFault("cut links=broker-1->zk-1")
	if err != nil || fault.String() != "cut links=broker-1→zk-1" {
		t.Errorf("%v, %v", fault, err)
	}
}

func TestAVocabularyTakesFaultsOfItsUser(t *testing.T) {
	words := Standard()
	words["sulk"] = func(a *Args) Fault { return For(a.Duration("long"), stubborn{}) }
	fault, err := words.Parse("sulk long=3s")
	if err != nil || fault.String() != "for hold=3s of=stubborn" {
		t.Errorf("%v, %v", fault, err)
	}
	if slices.Contains(slices.Collect(maps.Keys(Standard())), "sulk") {
		t.Error("the standard vocabulary was changed")
	}
}

func FuzzParseFault(f *testing.F) {
	for _, fault := range allFaults {
		f.Add(fault.String())
	}
	rig := newWorld().rig()
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := ParseFault(text)
		if err != nil {
			return
		}
		_ = fault.Check(rig)
		_ = fault.Claims(rig.Layout)
		again, err := ParseFault(fault.String())
		if err != nil || again.String() != fault.String() {
			t.Errorf("%q is read as %v, and that as %v, %v", text, fault, again, err)
		}
	})
}
