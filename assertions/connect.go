package assertions

import (
	"fmt"

	"github.com/onsi/gomega/types"

	"kafkachaos/harness/state"
)

// BeAlive holds for a worker whose process runs, that is in its stable group, and
// whose herder answers. That records flow through it is to be asked as well.
func BeAlive() types.GomegaMatcher {
	return on(Alive, "to be alive", func(l state.Liveness) string {
		switch {
		case l.Process.Exited():
			return fmt.Sprintf("its process has ended with exit code %d", l.Process.ExitCode)
		case !l.Runs():
			return "its process does not run"
		case !l.Answers:
			return "its herder does not answer"
		case l.Group.State != "Stable":
			return "its group is " + l.Group.State
		case !l.Member():
			return "its group does not have it"
		}
		return ""
	})
}

// RunEachTaskOnce holds for a connector each of whose tasks has exactly one
// thread on exactly one worker, the one that the group has assigned it to. What
// REST says of them is shown, not believed.
func RunEachTaskOnce() types.GomegaMatcher {
	return on(EachTaskOnce, "each task to run once", func(o state.TaskOwners) string {
		switch {
		case len(o.Workers) == 0:
			return "no worker runs"
		case len(o.Unnamed) > 0:
			return o.Unnamed[0].String()
		case len(o.Tasks) == 0:
			return "it has no tasks"
		}
		for _, task := range o.Tasks {
			if wrong := wrongOf(task); wrong != "" {
				return wrong
			}
		}
		return ""
	})
}

func wrongOf(task state.TaskOwner) string {
	switch {
	case len(task.RunBy) == 0:
		return fmt.Sprintf("task %d has no thread anywhere", task.ID.Task)
	case len(task.RunBy) > 1:
		return fmt.Sprintf("task %d has %d threads, on %v", task.ID.Task, len(task.RunBy), task.RunBy)
	case len(task.Assigned) != 1 || task.Assigned[0] != task.RunBy[0]:
		return fmt.Sprintf("task %d runs on %v and is assigned to %v", task.ID.Task, task.RunBy[0], task.Assigned)
	}
	return ""
}
