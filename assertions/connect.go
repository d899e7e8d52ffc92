package assertions

import (
	"fmt"
	"slices"

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

// ShareTheWork holds for a stable group of so many workers that have been given so
// many tasks in all, each of them once, and of whom none is idle while another is
// overloaded: what two workers have differs by one at most. Incremental assignors
// balance connectors and tasks by themselves, eager ones the sum of both.
func ShareTheWork(workers, tasks int) types.GomegaMatcher {
	return on(WorkShared, fmt.Sprintf("%d workers to share %d tasks", workers, tasks), func(g state.GroupView) string {
		if g.State != "Stable" || len(g.Members) != workers {
			return fmt.Sprintf("it is %s with %d members", g.State, len(g.Members))
		}
		given, owners := 0, map[state.TaskID]int{}
		var load [3][]int // connectors, tasks, both
		for _, member := range g.Members {
			for _, task := range member.Tasks {
				owners[task]++
			}
			given += len(member.Tasks)
			for i, n := range [3]int{len(member.Connectors), len(member.Tasks), len(member.Connectors) + len(member.Tasks)} {
				load[i] = append(load[i], n)
			}
		}
		balanced := load[2:]
		if g.Protocol != "default" {
			balanced = load[:2]
		}
		switch {
		case given != tasks || len(owners) != tasks:
			return fmt.Sprintf("%d tasks are given away, %d of them different", given, len(owners))
		case slices.ContainsFunc(balanced, func(of []int) bool { return len(of) > 0 && slices.Max(of)-slices.Min(of) > 1 }):
			return fmt.Sprintf("they have %v connectors and %v tasks", load[0], load[1])
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
