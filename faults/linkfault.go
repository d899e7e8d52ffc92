package faults

import (
	"errors"
	"fmt"
	"maps"

	"kafkachaos/harness/topology"
)

func (f LinkFault) String() string { return f.spec().String() }

func (f LinkFault) spec() Spec {
	args := map[string]string{"links": f.route.String()}
	maps.Copy(args, f.args)
	if len(f.streams) == 1 && !f.whole {
		args["stream"] = string(f.streams[0])
	}
	return Spec{Kind: f.kind, Args: args}
}

// Check refuses links that the cluster does not have, and arguments that come
// to nothing.
func (f LinkFault) Check(rig *Rig) error {
	if rig.Links == nil {
		return fmt.Errorf("%w: no Links", ErrUnsupported)
	}
	if _, ok := rig.Links.(LinkUpdater); f.wobble != nil && !ok {
		return fmt.Errorf("jitter: %w: no LinkUpdater", ErrUnsupported)
	}
	return errors.Join(f.problem, checkRoute(f.route, rig))
}

// Claims is what the fault does to each link that is known beforehand.
func (f LinkFault) Claims(layout Layout) []Claim { return f.claims(f.route.Known(layout)) }

func (f LinkFault) claims(links []topology.Link) []Claim {
	var claims []Claim
	for _, link := range links {
		if f.toxic == "" {
			claims = append(claims, Claim{Link: link, Thing: ThingOpen})
		}
		thing := ThingSockets
		if f.mode == Shared {
			thing = ThingTraffic
		}
		claims = append(claims, Claim{Link: link, Thing: thing, Mode: f.mode})
	}
	return claims
}

// Prepare makes one use of the fault, with toxics of a name of its own.
func (f LinkFault) Prepare(rig *Rig) Effect {
	effect := &linkEffect{fault: f, label: fmt.Sprintf("%s-%d", f.kind, rig.number())}
	effect.actions = &actions{rig: rig, name: f.String(), inject: effect.start, aim: effect.aim,
		prove: effect.seen, heal: effect.undo, proveHealed: effect.gone}
	return effect.actions
}

// toxics is what the fault puts on each of its links.
func (f LinkFault) toxics(name string) []Toxic {
	streams := f.streams
	if len(streams) == 0 {
		streams = []Stream{Upstream, Downstream}
	}
	toxics := make([]Toxic, len(streams))
	for i, stream := range streams {
		toxics[i] = Toxic{Name: name + "-" + string(stream), Type: f.toxic, Stream: stream, Attributes: f.attrs}
	}
	return toxics
}
