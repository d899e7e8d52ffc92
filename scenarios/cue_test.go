package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness"
)

// Cue is the fault of a connector that it fails or blocks where it is told to, on
// whichever worker: "fail start", "block put"; see harness.CueConnectors. It is
// proved by the file that says so. That the connector has come to that place is
// for the scenario to see.
func (c connector) Cue(says string) faults.Fault { return cue{c, says} }

type cue struct {
	connector
	says string
}

func (c cue) String() string { return fmt.Sprintf("cue connector=%s says=%q", c.name, c.says) }

func (c cue) Check(*faults.Rig) error { return nil }

func (c cue) Claims(faults.Layout) []faults.Claim {
	return []faults.Claim{{Thing: "cue of " + c.name}}
}

func (c cue) Prepare(*faults.Rig) faults.Effect { return c }

func (c cue) Inject(ctx context.Context) error { return c.write(ctx, c.says) }
func (c cue) Prove(ctx context.Context) error  { return c.read(ctx, c.says) }
func (c cue) Heal(ctx context.Context) error   { return c.write(ctx, "") }

func (c cue) ProveHealed(ctx context.Context) error { return c.read(ctx, "") }

func (c cue) write(ctx context.Context, text string) error {
	return c.onEach(func(worker *harness.Worker) error {
		_, err := worker.Exec(ctx, "sh", "-c", `echo "$1" >"$0"`, c.cue, text)
		return err
	})
}

func (c cue) read(ctx context.Context, want string) error {
	return c.onEach(func(worker *harness.Worker) error {
		text, err := worker.File(ctx, c.cue)
		if said := strings.TrimSpace(text); err == nil && said != want {
			err = fmt.Errorf("the cue of %s on %v is %q, want %q", c.name, worker, said, want)
		}
		return err
	})
}

func (c connector) onEach(do func(*harness.Worker) error) error {
	var errs []error
	for _, worker := range c.cluster.Workers() {
		errs = append(errs, do(worker))
	}
	return errors.Join(errs...)
}

// Starts reads how often its tasks have started, on workers that run or have ended.
func (c connector) Starts(ctx context.Context) (starts int, err error) {
	err = c.onEach(func(worker *harness.Worker) error {
		text, err := worker.File(ctx, c.cue+".starts")
		starts += strings.Count(text, "\n")
		return err
	})
	return starts, err
}

// IsBlocked waits until a thread of some worker is blocked, on cue, in a method
// that begins so.
func (c connector) IsBlocked(ctx context.Context, method string) {
	GinkgoHelper()
	premise(ctx, recovery, unhurried, func(ctx context.Context) (blocked []string, err error) {
		for _, worker := range c.cluster.Workers() {
			dump, err := worker.ThreadDump(ctx)
			if err != nil {
				return blocked, err
			}
			for _, thread := range dump.Threads {
				_, waits := thread.In("kafkachaos.Cue.block")
				if frame, there := thread.In(method); waits && there {
					blocked = append(blocked, fmt.Sprintf("%q of %v in %v", thread.Name, worker, frame))
				}
			}
		}
		return blocked, nil
	}, Not(BeEmpty()), "threads that are blocked in "+method)
}
