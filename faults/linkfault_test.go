package faults

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kafkachaos/harness/topology"
)

// every fault of links, with what it should put on a link.
var linkFaults = []struct {
	fault  Fault
	text   string
	toxics []string
}{
	{Cut(b1zk1), "cut links=broker-1→zk-1", nil},
	{Blackhole(b1zk1), "blackhole links=broker-1→zk-1", []string{"timeout upstream", "timeout downstream"}},
	{Blackhole(b1zk1).Upstream(), "blackhole links=broker-1→zk-1 stream=upstream", []string{"timeout upstream"}},
	{Hold(b1zk1), "hold links=broker-1→zk-1", []string{"hold upstream", "hold downstream"}},
	{Delay(time.Second, b1zk1).Downstream(), "delay by=1s links=broker-1→zk-1 stream=downstream", []string{"latency downstream"}},
	{Delay(time.Second, b1zk1), "delay by=1s links=broker-1→zk-1", []string{"latency upstream", "latency downstream"}},
	{Bandwidth(10, b1zk1), "bandwidth links=broker-1→zk-1 rate=10", []string{"bandwidth upstream", "bandwidth downstream"}},
	{Slice(10, time.Millisecond, b1zk1).Downstream(), "slice gap=1ms links=broker-1→zk-1 size=10 stream=downstream", []string{"slicer downstream"}},
	{Reset(b1zk1), "reset links=broker-1→zk-1", []string{"reset upstream"}},
	{CloseAfter(100, b1zk1), "close-after bytes=100 links=broker-1→zk-1", []string{"limit_data upstream", "limit_data downstream"}},
	{SwallowFirstReply(b1zk1), "swallow-first-reply links=broker-1→zk-1", []string{"swallow_first downstream"}},
}

func TestLinkFaultsAreInEffectDuringTheBodyOnly(t *testing.T) {
	for _, c := range linkFaults {
		t.Run(c.text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := newWorld()
				world.rtt = 2 * time.Millisecond
				ran := false
				err := During(t.Context(), world.rig(), c.fault, func(context.Context) error {
					ran = true
					if got := world.names(b1zk1); !slices.Equal(got, c.toxics) {
						t.Errorf("on the link: %q, want %q", got, c.toxics)
					}
					if cut := c.toxics == nil; world.cut[b1zk1] != cut {
						t.Errorf("cut = %t, want %t", world.cut[b1zk1], cut)
					}
					return nil
				})
				if err != nil || !ran {
					t.Errorf("During = %v, body ran: %t", err, ran)
				}
				world.clean(t)
			})
		})
	}
}

func TestLinkFaultsPrint(t *testing.T) {
	for _, c := range linkFaults {
		if got := c.fault.String(); got != c.text {
			t.Errorf("String = %q, want %q", got, c.text)
		}
	}
}

func TestLinkFaultsWithoutEffectAreInconclusive(t *testing.T) {
	for _, c := range linkFaults {
		t.Run(c.text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := newWorld()
				world.deaf = true
				err := During(t.Context(), world.rig(), c.fault, func(context.Context) error {
					t.Error("the body ran")
					return nil
				})
				if !errors.Is(err, ErrInconclusive) || !strings.Contains(err.Error(), "broker-1→zk-1") {
					t.Errorf("During = %v, want inconclusive, naming the link", err)
				}
			})
		})
	}
}

func TestLinkFaultsThatDoNotHealAreErrors(t *testing.T) {
	for _, c := range linkFaults {
		t.Run(c.text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := newWorld()
				rig := world.rig()
				err := During(t.Context(), rig, c.fault, func(context.Context) error {
					world.deaf = true // the heal succeeds, and changes nothing
					return nil
				})
				if !errors.Is(err, ErrNotHealed) {
					t.Errorf("During = %v, want not healed", err)
				}
			})
		})
	}
}

func TestFaintFaultsAreProvedByTheProxy(t *testing.T) {
	faint := []Fault{CloseAfter(1e6, b1zk1), Bandwidth(1e6, b1zk1), Bandwidth(10, b1zk1).Upstream(), Delay(time.Millisecond, b1zk1)}
	for _, fault := range faint {
		synctest.Test(t, func(t *testing.T) {
			nothing := func(context.Context) error { return nil }
			world := newWorld()
			if err := During(t.Context(), world.rig(), fault, nothing); !errors.Is(err, ErrInconclusive) {
				t.Errorf("%v without a reader: %v, want inconclusive", fault, err)
			}
			rig := world.rig()
			rig.Links = readable{world}
			if err := During(t.Context(), rig, fault, nothing); err != nil {
				t.Errorf("%v with a reader: %v", fault, err)
			}
			world.deaf = true
			if err := During(t.Context(), rig, fault, nothing); !errors.Is(err, ErrInconclusive) {
				t.Errorf("%v that is not there: %v, want inconclusive", fault, err)
			}
		})
	}
}

func TestLinkFaultsOnlyDisturbTheirLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := newWorld()
		err := During(t.Context(), world.rig(), Blackhole(b1zk1, b1b2), func(ctx context.Context) error {
			echo, err := world.Probe(ctx, b2zk1, time.Second)
			if !echo.Answered {
				t.Errorf("probe of broker-2→zk-1: %v, %v", echo, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		world.clean(t)
	})
}

func TestRefusedLinkFaultsTouchNothing(t *testing.T) {
	noSuch := topology.Link{From: topology.BrokerNode(9), To: zk1}
	cases := map[string]Fault{
		"broker-9→zk-1": Cut(b1zk1, noSuch),
		"no link":       Cut(),
		"by=0s":         Delay(0, b1zk1),
		"by=-1s":        Delay(-time.Second, b1zk1),
		"rate=0":        Bandwidth(0, b1zk1),
		"size=0":        Slice(0, time.Second, b1zk1),
		"gap=0s":        Slice(1, 0, b1zk1),
		"bytes=0":       CloseAfter(0, b1zk1),
		"direction":     Cut(b1zk1).Upstream(),
		"no direction":  Reset(b1zk1).Downstream(),
		"jitter=2s":     Delay(time.Second, b1zk1).Jitter(2*time.Second, time.Second, 1),
		"every=0s":      Delay(time.Second, b1zk1).Jitter(time.Second, 0, 1),
		"only a delay":  Hold(b1zk1).Jitter(time.Second, time.Second, 1),
	}
	for want, fault := range cases {
		world := newWorld()
		err := During(t.Context(), world.rig(), fault, nil)
		if err == nil || !strings.Contains(err.Error(), want) || len(world.calls()) > 0 {
			t.Errorf("%v: %v after %q, want an error with %q and no call", fault, err, world.calls(), want)
		}
	}
	rig := newWorld().rig()
	rig.Links = nil
	if err := During(t.Context(), rig, Cut(b1zk1), nil); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without Links: %v, want unsupported", err)
	}
}

func TestRoutesAreFoundAtInjection(t *testing.T) {
	cases := map[string]struct {
		fault Fault
		cut   []topology.Link
	}{
		"cut links=controller→zk-1":   {Cut().On(Between(Controller, Node(zk1))), []topology.Link{b2zk1}},
		"cut links=controller→zk-*":   {Cut().On(Towards(Controller, topology.ZooKeeper)), []topology.Link{b2zk1}},
		"cut links=broker-1→zk-*":     {Cut().On(Towards(Node(b1), topology.ZooKeeper)), []topology.Link{b1zk1}},
		"cut links=worker-1→broker-2": {Cut().On(Between(Node(w1), Node(b2))), []topology.Link{w1b2}},
	}
	for text, c := range cases {
		world := newWorld()
		world.roles[Controller] = b2
		err := During(t.Context(), world.rig(), c.fault, func(context.Context) error {
			for _, link := range ground().Links {
				if want := slices.Contains(c.cut, link); world.cut[link] != want {
					t.Errorf("%v: cut %v = %t, want %t", c.fault, link, world.cut[link], want)
				}
			}
			return nil
		})
		if err != nil || c.fault.String() != text {
			t.Errorf("%v: %v, want %q", c.fault, err, text)
		}
	}
}

func TestJitterRedrawsTheDelayFromItsSeed(t *testing.T) {
	drawn := func(seed uint64) (all []int64) {
		synctest.Test(t, func(t *testing.T) {
			world := newWorld()
			fault := Delay(100*time.Millisecond, b1zk1).Downstream().Jitter(50*time.Millisecond, time.Second, seed)
			err := During(t.Context(), world.rig(), fault, func(context.Context) error {
				for range 20 {
					time.Sleep(time.Second)
					world.mu.Lock()
					toxics := world.toxics[b1zk1]
					if len(toxics) != 1 {
						t.Fatalf("on the link: %v", toxics)
					}
					all = append(all, toxics[0].Attributes["latency"].(int64))
					world.mu.Unlock()
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			world.clean(t)
		})
		return all
	}
	first := drawn(1)
	if !slices.Equal(first, drawn(1)) || slices.Equal(first, drawn(2)) {
		t.Error("the delays do not hang on the seed alone")
	}
	if least, most := slices.Min(first), slices.Max(first); least < 50 || most > 150 || most-least < 20 {
		t.Errorf("the delays are %v, want them spread between 50 and 150", first)
	}
}
