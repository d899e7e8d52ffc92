package assertions

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega/types"

	"kafkachaos/harness/state"
)

// ServeOption narrows what Serve asks for.
type ServeOption func(state.ControllerService) string

// SinceEpoch asks that the controller's epoch has not decreased since an earlier
// reading: a smaller one means that its node in ZooKeeper was lost.
func SinceEpoch(before state.ControllerView) ServeOption {
	return func(s state.ControllerService) string {
		if s.Controller.Epoch < before.Epoch {
			return fmt.Sprintf("its epoch was %d before", before.Epoch)
		}
		return ""
	}
}

// Serve holds for a controller that does its work: there is exactly one, no
// broker takes another one for it, and a topic that was made for the question
// has a leader for each partition, as every broker that was registered sees it.
func Serve(options ...ServeOption) types.GomegaMatcher {
	return on(ControllerServes, "one controller that serves", func(s state.ControllerService) string {
		rivals, unserved := s.Rivals(), s.Unserved()
		switch {
		case !s.Controller.Present:
			return "there is none"
		case len(s.Views) == 0:
			return "no broker was asked"
		case len(rivals) > 0:
			return strings.Join(rivals, ", ")
		case len(unserved) > 0:
			return strings.Join(unserved, ", ")
		}
		for _, option := range options {
			if wrong := option(s); wrong != "" {
				return wrong
			}
		}
		return ""
	})
}

// BeRunning holds for a node whose process is there and not frozen.
func BeRunning() types.GomegaMatcher {
	return on(Running, "to run", func(p state.ProcessView) string {
		switch {
		case p.Paused:
			return "it is frozen"
		case !p.Running:
			return fmt.Sprintf("it ended, with exit code %d", p.ExitCode)
		}
		return ""
	})
}

// BeInSync holds for a cluster in which every broker runs, sees every other, and
// sees each partition with a leader and with all its replicas in sync. A cluster
// without any partition shows nothing and is not in sync.
func BeInSync() types.GomegaMatcher {
	return on(InSync, "every replica to be in sync", func(r state.Replicas) string {
		if wrong := r.Wrong(); len(wrong) > 0 {
			return wrong[0] // the reading has them all
		}
		if r.Partitions() == 0 {
			return "there is no partition"
		}
		return ""
	})
}
