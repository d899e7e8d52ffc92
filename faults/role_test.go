package faults

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A group that rebalances has no leader for a moment.
func TestAPartThatNobodyPlaysIsAskedForAgainForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		delete(world.roles, ConnectLeader)
		time.AfterFunc(time.Second, func() {
			world.mu.Lock()
			defer world.mu.Unlock()
			world.roles[ConnectLeader] = w2
		})
		if node, err := ConnectLeader.Resolve(t.Context(), world.rig()); err != nil || node != w2 {
			t.Errorf("got %v, %v", node, err)
		}

		began := time.Now()
		_, err := LeaderOf("orders", 7).Resolve(t.Context(), world.rig())
		if err == nil || !strings.Contains(err.Error(), "leader(orders/7)") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took < comeBack || took > comeBack+pollEvery {
			t.Errorf("it was asked for during %v", took)
		}
	})
}
