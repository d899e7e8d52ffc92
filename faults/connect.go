package faults

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"kafkachaos/harness/topology"
)

var (
	needGroups  = need("Groups", func(r *Rig) bool { return r.Groups != nil })
	needConnect = need("Connect", func(r *Rig) bool { return r.Connect != nil })
)

// Rebalance is the same fault, and is proved only when the group's generation
// has moved since before it, too. An empty group is that of the Connect workers.
func Rebalance(group string, fault Fault) Fault {
	args := map[string]string{"of": fault.String()}
	if group != "" {
		args["group"] = group
	}
	return witnessed{Spec{"rebalance", args}, fault, all(needGroups, needName(group)), func(rig *Rig) (before, after func(context.Context) error) {
		name, was := groupOf(group, rig), 0
		generation := func(ctx context.Context) (int, error) {
			now, err := rig.Groups.Group(ctx, name)
			return now.Generation, named("read group "+name, err)
		}
		before = func(ctx context.Context) (err error) {
			was, err = generation(ctx)
			return err
		}
		after = func(ctx context.Context) error {
			return until(ctx, func(ctx context.Context) error {
				now, err := generation(ctx)
				if err == nil && now == was {
					err = fmt.Errorf("group %s is in generation %d, as before", name, now)
				}
				return err
			})
		}
		return before, after
	}}
}

// groupOf is the group, or that of the workers.
func groupOf(group string, rig *Rig) string {
	if group == "" {
		return rig.Workers
	}
	return group
}

func needName(group string) func(*Rig) error {
	return func(rig *Rig) error {
		if groupOf(group, rig) == "" {
			return fmt.Errorf("%w: the rig names no group of workers", ErrUnsupported)
		}
		return nil
	}
}

// WorkerJoins starts a worker that is down, and sees the group rebalance.
func WorkerJoins(worker Target) Fault { return Rebalance("", Start(worker)) }

// WorkerLeaves lets a worker shut down politely, and sees the group rebalance.
func WorkerLeaves(worker Target) Fault { return Rebalance("", Terminate(worker)) }

// WorkerDies kills a worker, and sees the group rebalance.
func WorkerDies(worker Target) Fault { return Rebalance("", Kill(worker)) }

// WorkerLosesCoordinator black-holes the link from a worker to the coordinator
// of the group given, the workers' own or a connector's.
func WorkerLosesCoordinator(worker Target, group string) Fault {
	return Blackhole().On(Between(worker, CoordinatorOf(group)))
}

// Evict takes the member that a worker has in a group out of it from outside,
// with LeaveGroup in its name. It is proved by the member id, which is gone. An
// empty group is that of the Connect workers.
func Evict(group string, worker Target) Fault {
	args := node(worker)
	if group != "" {
		args["group"] = group
	}
	f := leaf{spec: Spec{"evict", args}, once: true,
		check: all(needGroups, needName(group), checkTarget(worker, topology.Worker))}
	if node, ok := known(worker); ok {
		f.claims = []Claim{{Node: node, Thing: ThingMembership}}
	}
	f.make = func(rig *Rig, a *actions) {
		name, member := groupOf(group, rig), ""
		a.inject = func(ctx context.Context) error {
			node, err := worker.Resolve(ctx, rig)
			if err != nil {
				return err
			}
			if err := a.claim(Claim{Node: node, Thing: ThingMembership}); err != nil {
				return err
			}
			return named(fmt.Sprintf("evict %v", node), again(ctx, func(ctx context.Context) (err error) {
				if member, err = memberOn(ctx, rig, name, node); err != nil {
					return err
				}
				return named(fmt.Sprintf("leave group %s for %s", name, member), rig.Groups.Leave(ctx, name, member))
			}))
		}
		a.prove = func(ctx context.Context) error { return hasMember(ctx, rig, name, member, false) }
	}
	return f
}

func membersOf(ctx context.Context, rig *Rig, group string) ([]Member, error) {
	now, err := rig.Groups.Group(ctx, group)
	return now.Members, named("read group "+group, err)
}

// memberOn is the id of the member that the worker has in the group.
func memberOn(ctx context.Context, rig *Rig, group string, node topology.Node) (string, error) {
	members, err := membersOf(ctx, rig, group)
	i := slices.IndexFunc(members, func(m Member) bool { return m.Node == node })
	switch {
	case err != nil:
		return "", err
	case i < 0:
		return "", fmt.Errorf("it is not in group %s", group)
	}
	return members[i].ID, nil
}

// hasMember waits until the member is in the group, or is not.
func hasMember(ctx context.Context, rig *Rig, group, member string, want bool) error {
	return until(ctx, func(ctx context.Context) error {
		members, err := membersOf(ctx, rig, group)
		is := slices.ContainsFunc(members, func(m Member) bool { return m.ID == member })
		if err == nil && is != want {
			err = fmt.Errorf("member %s is in group %s: %t, want %t", member, group, is, want)
		}
		return err
	})
}

// PhantomJoins makes a worker that is none join the workers' group and keep up
// its membership. Healing takes it out.
func PhantomJoins() Fault { return phantomFault("phantom-joins", true) }

// PhantomStalls makes a worker that is none join the workers' group and never
// sync: the group waits for it. Healing takes it out.
func PhantomStalls() Fault { return phantomFault("phantom-stalls", false) }

// Both are slow: they wait for the coordinator of the group, and for its members.
func phantomFault(kind string, sync bool) Fault {
	f := leaf{spec: Spec{Kind: kind}, slow: InjectBound, check: all(needGroups, needName(""))}
	f.make = func(rig *Rig, a *actions) {
		var guest Phantom
		a.inject = func(ctx context.Context) error {
			return again(ctx, func(ctx context.Context) (err error) {
				guest, err = rig.Groups.Join(ctx, rig.Workers, "connect", sync)
				return named("join group "+rig.Workers, err)
			})
		}
		a.prove = func(ctx context.Context) error { return hasMember(ctx, rig, rig.Workers, guest.Member(), true) }
		a.heal = func(ctx context.Context) error {
			if guest == nil {
				return nil
			}
			return named("leave group "+rig.Workers, until(ctx, guest.Leave))
		}
		a.proveHealed = func(ctx context.Context) error {
			if guest == nil {
				return nil
			}
			return hasMember(ctx, rig, rig.Workers, guest.Member(), false)
		}
	}
	return f
}

// RestartConnector restarts the connector by REST. The worker's answer that it
// was done is the proof.
func RestartConnector(connector string) Fault {
	return restartByREST("restart-connector", connector, -1)
}

// RestartTask restarts one task by REST. The worker's answer that it was done is
// the proof.
func RestartTask(connector string, task int) Fault {
	return restartByREST("restart-task", connector, task)
}

func restartByREST(kind, connector string, task int) Fault {
	args, of := map[string]string{"connector": connector}, connector
	if kind == "restart-task" {
		args["task"] = strconv.Itoa(task)
		of = fmt.Sprintf("%s/%d", connector, task)
	}
	return leaf{spec: Spec{kind, args}, once: true,
		check: all(needConnect, refuse(connector == "", "connector: want a name"), refuse(task < -1 || task < 0 && kind == "restart-task", "task=%d: want 0 or more", task)),
		make: func(rig *Rig, a *actions) {
			a.inject = func(ctx context.Context) error {
				return named("restart "+of, rig.Connect.Restart(ctx, connector, task))
			}
		}}
}

// TouchConfig changes the connector's configuration in a key that nobody reads.
// Healing brings the configuration of before back.
func TouchConfig(connector string) Fault { return ChangeConfig(connector, "kafkachaos.touched", "yes") }

// ChangeConfig sets a key of the connector's configuration. It is proved by
// reading it back. Healing brings the configuration of before back.
func ChangeConfig(connector, key, value string) Fault {
	claim := Claim{Thing: "configuration of " + connector}
	return leaf{spec: Spec{"change-config", map[string]string{"connector": connector, "key": key, "value": value}},
		claims: []Claim{claim},
		check:  all(needConnect, refuse(connector == "" || key == "", "connector=%q key=%q: want both", connector, key)),
		make: func(rig *Rig, a *actions) {
			setting[map[string]string]{what: claim.Thing, claim: claim, equal: maps.Equal[map[string]string, map[string]string],
				read: func(ctx context.Context) (map[string]string, error) { return rig.Connect.Config(ctx, connector) },
				write: func(ctx context.Context, config map[string]string) error {
					return rig.Connect.SetConfig(ctx, connector, config)
				},
				change: func(old map[string]string) (map[string]string, error) {
					fresh := map[string]string{key: value}
					for name := range old {
						if name != key {
							fresh[name] = old[name]
						}
					}
					return fresh, nil
				}}.apply(a)
		}}
}
