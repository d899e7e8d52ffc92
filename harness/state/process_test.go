package state

import (
	"testing"
	"time"

	"kafkachaos/harness/topology"
)

func TestProcessViewPrintsInOneLine(t *testing.T) {
	by := Source{By: "the engine", At: at}
	node := topology.WorkerNode(1)
	for _, test := range []struct {
		view   ProcessView
		want   string
		exited bool
	}{
		{ProcessView{}, "never started", false},
		{ProcessView{Running: true, Pid: 7, StartedAt: at}, "running, pid 7, since 03:04:05.678", false},
		{ProcessView{Running: true, Paused: true, Pid: 7, StartedAt: at}, "paused, pid 7, since 03:04:05.678", false},
		{ProcessView{StartedAt: at, EndedAt: at.Add(time.Second), ExitCode: 1}, "gone, it ended at 03:04:06.678 with exit code 1", true},
		{ProcessView{StartedAt: at, EndedAt: at, ExitCode: 137, OutOfMem: true}, "killed for want of memory at 03:04:05.678, exit code 137", true},
	} {
		test.view.Source, test.view.Node = by, node
		want := "worker-1 is " + test.want + " (read by the engine at 03:04:05.678)"
		if got := test.view.String(); got != want || test.view.Exited() != test.exited {
			t.Errorf("prints as %q (exited %v), want %q", got, test.view.Exited(), want)
		}
	}
}
