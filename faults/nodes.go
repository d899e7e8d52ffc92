package faults

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"kafkachaos/harness/topology"
)

// processes are the roles whose nodes are processes; the client is none.
var processes = []topology.Role{topology.ZooKeeper, topology.Broker, topology.Worker}

// nodeSteps are the steps of one use of a fault on one node. ready runs before
// anything is done; heal is called only if ready found nothing wrong.
type nodeSteps struct {
	ready, inject, prove, heal, proveHealed func(context.Context, topology.Node) error
}

// onNode makes a fault of a node from its steps.
func onNode(spec Spec, target Target, thing string, steps func(*Rig) nodeSteps) leaf {
	f := leaf{spec: spec, check: all(need("Nodes", func(r *Rig) bool { return r.Nodes != nil }), checkTarget(target, processes...))}
	if node, ok := known(target); ok {
		f.claims = []Claim{{Node: node, Thing: thing}}
	}
	f.make = func(rig *Rig, a *actions) {
		var node topology.Node // once it may have been touched
		do := steps(rig)
		on := func(step func(context.Context, topology.Node) error) func(context.Context) error {
			return func(ctx context.Context) error {
				if step == nil || node == (topology.Node{}) {
					return nil
				}
				return step(ctx, node)
			}
		}
		a.inject = func(ctx context.Context) error {
			found, err := target.Resolve(ctx, rig)
			if err != nil {
				return err
			}
			if err := a.claim(Claim{Node: found, Thing: thing}); err != nil {
				return err
			}
			if err := do.ready(ctx, found); err != nil {
				return err
			}
			node = found
			return do.inject(ctx, node)
		}
		a.prove, a.heal, a.proveHealed = on(do.prove), on(do.heal), on(do.proveHealed)
	}
	return f
}

// Kill ends the process with SIGKILL. Healing starts it again.
func Kill(target Target) Fault { return ending("kill", SignalKill, target) }

// Terminate asks the process to shut down and waits until it has, however short
// it is to be held: a process that shuts down takes its time. Healing
// starts it again.
func Terminate(target Target) Fault {
	f := ending("terminate", SignalTerminate, target)
	f.slow = lastWords
	return f
}

func ending(kind string, signal Signal, target Target) leaf {
	return onNode(Spec{kind, node(target)}, target, ThingProcess, func(rig *Rig) nodeSteps {
		p := &process{rig: rig}
		return nodeSteps{ready: p.wasRunning, heal: p.revive,
			inject:      func(ctx context.Context, n topology.Node) error { return p.signal(ctx, n, signal) },
			prove:       p.is(Exited),
			proveHealed: p.is(Running)}
	})
}

// Restart asks the process to shut down and starts it again. It is proved by
// another process in its place.
func Restart(target Target) Fault { return restarting("restart", SignalTerminate, target, false) }

// Bounce kills the process and starts it again at once.
func Bounce(target Target) Fault { return restarting("bounce", SignalKill, target, false) }

func restarting(kind string, signal Signal, target Target, ready bool) Fault {
	args := node(target)
	if ready {
		args["ready"] = "true"
	}
	f := onNode(Spec{kind, args}, target, ThingProcess, func(rig *Rig) nodeSteps {
		p := &process{rig: rig}
		return nodeSteps{ready: p.wasRunning, heal: p.revive, proveHealed: p.is(Running),
			inject: func(ctx context.Context, n topology.Node) error {
				if err := p.signal(ctx, n, signal); err != nil {
					return err
				}
				if err := p.await(ctx, n, Exited); err != nil {
					return err
				}
				return p.start(ctx, n)
			},
			prove: func(ctx context.Context, n topology.Node) error { return p.isAnother(ctx, n, ready) }}
	})
	f.once = true
	return f
}

// Pause stops the process from doing anything; it keeps its memory and its
// sockets. Healing lets it go on.
func Pause(target Target) Fault {
	return onNode(Spec{"pause", node(target)}, target, ThingProcess, func(rig *Rig) nodeSteps {
		p := &process{rig: rig}
		return nodeSteps{ready: p.wasRunning, prove: p.is(Paused), heal: p.resume, proveHealed: p.is(Running),
			inject: func(ctx context.Context, n topology.Node) error { return p.signal(ctx, n, SignalPause) }}
	})
}

// Start starts the process of a node that has ended. Healing ends it again.
func Start(target Target) Fault {
	return onNode(Spec{"start", node(target)}, target, ThingProcess, func(rig *Rig) nodeSteps {
		p := &process{rig: rig}
		return nodeSteps{prove: p.is(Running), proveHealed: p.is(Exited),
			ready:  func(ctx context.Context, n topology.Node) error { return p.expect(ctx, n, Exited) },
			inject: p.start, heal: p.stop}
	})
}

// LimitCPU gives the node that many cores at most: a slow node. Healing brings
// the limit of before back.
func LimitCPU(target Target, cores float64) Fault {
	args := node(target)
	args["cores"] = strconv.FormatFloat(cores, 'g', -1, 64)
	f := onNode(Spec{"limit-cpu", args}, target, ThingCores, func(rig *Rig) nodeSteps {
		p := &process{rig: rig}
		limit := func(ctx context.Context, n topology.Node, cores float64) error {
			return named(fmt.Sprintf("limit %v to %v cores", n, cores), rig.Nodes.LimitCPU(ctx, n, cores))
		}
		return nodeSteps{ready: p.wasRunning,
			inject:      func(ctx context.Context, n topology.Node) error { return limit(ctx, n, cores) },
			prove:       func(ctx context.Context, n topology.Node) error { return p.has(ctx, n, cores) },
			heal:        func(ctx context.Context, n topology.Node) error { return limit(ctx, n, p.before.Cores) },
			proveHealed: func(ctx context.Context, n topology.Node) error { return p.has(ctx, n, p.before.Cores) }}
	})
	f.check = all(f.check, refuse(!(cores > 0), "cores=%v: want more than 0", cores))
	return f
}

// CrashLoop kills the process again and again: down for so long, up for so long,
// that many times. A role is resolved once, before the first crash.
func CrashLoop(target Target, crashes int, down, up time.Duration) Fault {
	args := node(target)
	args["crashes"], args["down"], args["up"] = strconv.Itoa(crashes), down.String(), up.String()
	return courseFault{spec: Spec{"crash-loop", args}, parts: []Fault{Kill(target)}, lasts: manifold(crashes, down+up),
		check: all(refuse(crashes < 1, "crashes=%d: want 1 or more", crashes),
			refuse(down <= 0 || up <= 0, "down=%v up=%v: want more than 0", down, up)),
		begin: func(ctx context.Context, rig *Rig) (slots, error) {
			victim, err := target.Resolve(ctx, rig)
			return repeated(crashes, slot{fault: Kill(Node(victim)), hold: down, rest: up}), err
		}}
}

// RollingRestart restarts the nodes one after the other. The next one's turn
// comes when the last one plays its part again, and has rested.
func RollingRestart(rest time.Duration, nodes ...topology.Node) Fault {
	names := make([]Target, len(nodes))
	parts := make([]Fault, len(nodes))
	for i, n := range nodes {
		names[i], parts[i] = Node(n), restarting("restart", SignalTerminate, Node(n), true)
	}
	return courseFault{spec: Spec{"rolling-restart", map[string]string{"nodes": joined(names), "rest": rest.String()}},
		parts: parts, lasts: total(rest, parts...), check: refuse(rest < 0, "rest=%v: want 0 or more", rest),
		begin: func(context.Context, *Rig) (slots, error) { return inTurn(rest, parts...), nil }}
}

// node is the argument that names a target.
func node(target Target) map[string]string {
	if target == nil {
		return map[string]string{"node": ""}
	}
	return map[string]string{"node": target.String()}
}
