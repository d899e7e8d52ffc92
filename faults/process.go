package faults

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kafkachaos/harness/topology"
)

// lastWords is how long a process that was told to end may take before it is
// killed, when it is healed.
const lastWords = 10 * time.Second

// process is what one use of a fault knows of its node's process.
type process struct {
	rig    *Rig
	before Process
	told   bool // a signal that ends or pauses it was delivered
}

func (p *process) read(ctx context.Context, node topology.Node) (Process, error) {
	now, err := p.rig.Nodes.Process(ctx, node)
	return now, named(fmt.Sprintf("read process of %v", node), err)
}

// expect refuses a process in another state, and remembers how it was.
func (p *process) expect(ctx context.Context, node topology.Node, state ProcessState) (err error) {
	p.before, err = p.read(ctx, node)
	if err == nil && p.before.State != state {
		err = fmt.Errorf("%v is %s already, want it %s", node, p.before.State, state)
	}
	return err
}

func (p *process) wasRunning(ctx context.Context, node topology.Node) error {
	return p.expect(ctx, node, Running)
}

func (p *process) signal(ctx context.Context, node topology.Node, signal Signal) error {
	began := time.Now()
	err := p.rig.Nodes.Signal(ctx, node, signal)
	p.told = p.told || err == nil
	if signal == SignalKill && err == nil {
		p.rig.record(Entry{Did: "kill", Fault: node.String(), Begun: began, Took: time.Since(began), Part: true})
	}
	return named(fmt.Sprintf("%s %v", signal, node), err)
}

// await waits for the state.
func (p *process) await(ctx context.Context, node topology.Node, state ProcessState) error {
	return until(ctx, func(ctx context.Context) error {
		now, err := p.read(ctx, node)
		if err == nil && now.State != state {
			err = fmt.Errorf("%v is %s, want it %s", node, now.State, state)
		}
		return err
	})
}

// is makes the proof that the process is in the state.
func (p *process) is(state ProcessState) func(context.Context, topology.Node) error {
	return func(ctx context.Context, node topology.Node) error { return p.await(ctx, node, state) }
}

// isAnother waits until another process runs in the place of the one before,
// and, if it has to be ready, plays its part.
func (p *process) isAnother(ctx context.Context, node topology.Node, ready bool) error {
	return until(ctx, func(ctx context.Context) error {
		now, err := p.read(ctx, node)
		switch {
		case err != nil:
			return err
		case now.State != Running || now.Started.Equal(p.before.Started):
			return fmt.Errorf("%v is %s since %v, want it running since later", node, now.State, now.Started)
		case ready && !now.Ready:
			return fmt.Errorf("%v does not play its part yet", node)
		}
		return nil
	})
}

// has waits for the limit.
func (p *process) has(ctx context.Context, node topology.Node, cores float64) error {
	return until(ctx, func(ctx context.Context) error {
		now, err := p.read(ctx, node)
		if err == nil && now.Cores != cores {
			err = fmt.Errorf("%v is limited to %v cores, want %v", node, now.Cores, cores)
		}
		return err
	})
}

// resume lets a paused process go on.
func (p *process) resume(ctx context.Context, node topology.Node) error {
	now, err := p.read(ctx, node)
	if err != nil || now.State != Paused {
		return err
	}
	return named(fmt.Sprintf("resume %v", node), p.rig.Nodes.Signal(ctx, node, SignalResume))
}

// revive starts the process again, once the one before has ended.
func (p *process) revive(ctx context.Context, node topology.Node) error {
	now, err := p.read(ctx, node)
	if err != nil {
		return err
	}
	if now.State == Running && !now.Started.Equal(p.before.Started) {
		return nil // started already
	}
	if now.State != Exited {
		if err := p.end(ctx, node); err != nil {
			return err
		}
		if now, err = p.read(ctx, node); err != nil || now.State == Running {
			return err // it never got the signal
		}
	}
	return p.start(ctx, node)
}

func (p *process) start(ctx context.Context, node topology.Node) error {
	return named(fmt.Sprintf("start %v", node), p.rig.Nodes.Start(ctx, node))
}

// end waits until a process that was told to end has ended, and kills it if it
// does not. One that was told nothing is watched for a while and left alone.
func (p *process) end(ctx context.Context, node topology.Node) error {
	patience := lastWords
	if !p.told {
		patience /= 5
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := p.await(within, node, Exited); err == nil || !p.told {
		return nil
	}
	if err := p.signal(ctx, node, SignalKill); err != nil {
		return err
	}
	return p.await(ctx, node, Exited)
}

// stop shuts the process down.
func (p *process) stop(ctx context.Context, node topology.Node) error {
	now, err := p.read(ctx, node)
	if err != nil || now.State == Exited {
		return err
	}
	if err := p.signal(ctx, node, SignalTerminate); err != nil {
		return err
	}
	return p.end(ctx, node)
}

func joined(targets []Target) string {
	names := make([]string, len(targets))
	for i, target := range targets {
		names[i] = target.String()
	}
	return strings.Join(names, ",")
}
