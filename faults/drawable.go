package faults

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"kafkachaos/harness/topology"
)

// drawnKind is a kind of fault that plans draw: what it needs, how one is drawn,
// and whether it has to be held.
type drawnKind struct {
	offered func(*drawing) bool
	draw    func(*drawing, *rand.Rand) (fault Fault, held bool)
}

// DrawnKinds are the kinds that Draw knows, in order. A kind of links or nodes is
// drawn over all that the layout has.
func DrawnKinds() []string { return slices.Sorted(maps.Keys(drawable)) }

var drawable = map[string]drawnKind{
	"cut":       onLink(func(_ *rand.Rand, l topology.Link) Fault { return Cut(l) }),
	"blackhole": onLink(func(r *rand.Rand, l topology.Link) Fault { return eitherWay(r, Blackhole(l)) }),
	"hold":      onLink(func(r *rand.Rand, l topology.Link) Fault { return eitherWay(r, Hold(l)) }),
	"reset":     onLink(func(_ *rand.Rand, l topology.Link) Fault { return Reset(l) }),
	"delay": onLink(func(r *rand.Rand, l topology.Link) Fault {
		return eitherWay(r, Delay(between10(r, 50, 500), l))
	}),
	"flap": onLink(func(r *rand.Rand, l topology.Link) Fault {
		of := pick(r, []LinkFault{Cut(l), Blackhole(l), Hold(l)})
		return Flap(of, Drawn(between10(r, 600, 1500), 0, 100*time.Millisecond, uint64(r.Uint32())))
	}),
	"isolate": onNodes(func(_ *rand.Rand, n topology.Node) Fault { return Isolate(Node(n)) }, topology.Broker, topology.Worker),

	"kill":      onNodes(func(_ *rand.Rand, n topology.Node) Fault { return Kill(Node(n)) }, topology.Broker, topology.Worker),
	"terminate": onNodes(func(_ *rand.Rand, n topology.Node) Fault { return Terminate(Node(n)) }, topology.Worker),
	"pause":     onNodes(func(_ *rand.Rand, n topology.Node) Fault { return Pause(Node(n)) }, topology.Broker, topology.Worker),
	"limit-cpu": onNodes(func(r *rand.Rand, n topology.Node) Fault {
		return LimitCPU(Node(n), float64(1+r.IntN(5))/10)
	}, topology.Broker, topology.Worker),

	"expire": sudden(anyOf(topology.Broker), func(d *drawing, r *rand.Rand) Fault {
		return Expire(Node(pick(r, d.layout.Of(topology.Broker))))
	}),
	"evict": sudden(anyOf(topology.Worker), func(d *drawing, r *rand.Rand) Fault {
		return Evict("", Node(pick(r, d.layout.Of(topology.Worker))))
	}),
	"phantom-joins": held(anyOf(topology.Worker), func(*drawing, *rand.Rand) Fault { return PhantomJoins() }),
	"restart-task": sudden(hasConnectors, func(d *drawing, r *rand.Rand) Fault {
		return RestartTask(pick(r, d.budget.Connectors), 0)
	}),
	"change-config": held(hasConnectors, func(d *drawing, r *rand.Rand) Fault {
		return TouchConfig(pick(r, d.budget.Connectors))
	}),
	"create-topic": held(anyOf(topology.Broker), func(d *drawing, r *rand.Rand) Fault {
		name := "chaos-" + strconv.FormatUint(uint64(r.Uint32()), 36)
		return CreateTopic(name, 1+r.IntN(3), 1+r.IntN(len(d.layout.Of(topology.Broker))))
	}),
	"change-topic": held(hasTopics, func(d *drawing, r *rand.Rand) Fault {
		return ChangeTopic(pick(r, d.budget.Topics), "segment.ms", strconv.Itoa(60_000+r.IntN(60_000)))
	}),
}

func hasConnectors(d *drawing) bool { return len(d.budget.Connectors) > 0 }
func hasTopics(d *drawing) bool     { return len(d.budget.Topics) > 0 }

func anyOf(roles ...topology.Role) func(*drawing) bool {
	return func(d *drawing) bool { return len(d.nodes(roles)) > 0 }
}

// nodes lists those of the roles.
func (d *drawing) nodes(roles []topology.Role) (nodes []topology.Node) {
	for _, role := range roles {
		nodes = append(nodes, d.layout.Of(role)...)
	}
	return nodes
}

// held is a kind that lasts as long as its hold, sudden one that is over by
// itself.
func held(offered func(*drawing) bool, draw func(*drawing, *rand.Rand) Fault) drawnKind {
	return drawnKind{offered, func(d *drawing, r *rand.Rand) (Fault, bool) { return draw(d, r), true }}
}

func sudden(offered func(*drawing) bool, draw func(*drawing, *rand.Rand) Fault) drawnKind {
	return drawnKind{offered, func(d *drawing, r *rand.Rand) (Fault, bool) { return draw(d, r), false }}
}

// onLink draws one link.
func onLink(draw func(*rand.Rand, topology.Link) Fault) drawnKind {
	return held(func(d *drawing) bool { return len(d.layout.Links) > 0 }, func(d *drawing, r *rand.Rand) Fault {
		return draw(r, pick(r, d.layout.Links))
	})
}

// onNodes draws one node of the roles.
func onNodes(draw func(*rand.Rand, topology.Node) Fault, roles ...topology.Role) drawnKind {
	return held(anyOf(roles...), func(d *drawing, r *rand.Rand) Fault { return draw(r, pick(r, d.nodes(roles))) })
}

// eitherWay leaves the fault on both halves, or on one.
func eitherWay(r *rand.Rand, fault LinkFault) Fault {
	switch r.IntN(3) {
	case 0:
		return fault.Upstream()
	case 1:
		return fault.Downstream()
	}
	return fault
}

// between10 draws a number of milliseconds, in tens.
func between10(r *rand.Rand, least, most int) time.Duration {
	return time.Duration(least+10*r.IntN((most-least)/10+1)) * time.Millisecond
}
