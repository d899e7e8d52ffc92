package faults

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// drawBudget is what the golden plan is drawn with.
var drawBudget = Budget{Steps: 12, Length: 2 * time.Minute, Connectors: []string{"sink"}, Topics: []string{"orders"}}

func TestTheSameSeedDrawsTheSamePlanEverywhere(t *testing.T) {
	plan, err := Draw(42, drawBudget, ground())
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/plan-42.txt"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(plan.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || plan.String() != string(want) {
		t.Errorf("drew\n%s\nwant\n%s (%v)", plan, want, err)
	}
}

func TestDrawnPlansPassTheirCheckAndKeepTheirBudget(t *testing.T) {
	rig := newWorld().rig()
	kinds := map[string]int{}
	for seed := range uint64(300) {
		plan, err := Draw(seed, drawBudget, ground())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := plan.Check(rig.Guarded(1)); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, plan)
		}
		if len(plan.Steps) != drawBudget.Steps || plan.Length() > drawBudget.Length || plan.Seed != seed {
			t.Errorf("seed %d: %d steps in %v", seed, len(plan.Steps), plan.Length())
		}
		parts, _ := plan.build(rig)
		for i, a := range parts {
			for _, b := range parts[:i] {
				if a.At <= b.end && b.At <= a.end && (entangled(a.claims, b.claims) || down(append(a.claims, b.claims...)) > 1) {
					t.Errorf("seed %d: step %v hides %v", seed, a.Step, b.Step)
				}
			}
			if strings.Contains(a.Args["links"], "around(") {
				a.Kind = "isolate"
			}
			kinds[a.Kind]++
		}
	}
	for _, kind := range DrawnKinds() {
		if kinds[kind] == 0 {
			t.Errorf("%s was never drawn: %v", kind, kinds)
		}
	}
}

func TestWhatOneKindDrawsDoesNotChangeAnother(t *testing.T) {
	d := &drawing{layout: ground(), seed: 7}
	d.streams = map[string]*rand.Rand{}
	first := d.stream("cut").Uint64()
	d.streams = map[string]*rand.Rand{}
	for range 10 {
		d.stream("kill").Uint64()
	}
	if again := d.stream("cut").Uint64(); again != first {
		t.Errorf("the stream of cut gave %d, then %d", first, again)
	}
	if d.stream("kill").Uint64() == Random(8, "draw kill").Uint64() {
		t.Error("another seed gives the same stream")
	}
}

func TestPlansThatCannotBeDrawnAreErrors(t *testing.T) {
	cases := map[string]Budget{
		"no room for step":       {Steps: 50, Length: 10 * time.Second, Kinds: []string{"kill"}},
		"steps=-1":               {Steps: -1},
		"holds from":             {LeastFor: time.Second, MostFor: time.Millisecond},
		"length=1s":              {Length: time.Second},
		"brokers=-1":             {Brokers: -1},
		`"explode" is not drawn`: {Kinds: []string{"explode"}},
		"has nothing for it":     {Kinds: []string{"restart-task"}},
	}
	for want, budget := range cases {
		if _, err := Draw(1, budget, ground()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Draw(%+v) = %v, want %q", budget, err, want)
		}
	}
	if _, err := Draw(1, Budget{}, Layout{}); err == nil {
		t.Error("a plan was drawn over nothing")
	}
}

func planOf(t *testing.T) Plan {
	t.Helper()
	plan := Plan{Seed: 1<<64 - 1}
	for i, fault := range allFaults {
		step, err := StepOf(time.Duration(i)*time.Hour, 1500*time.Millisecond, fault)
		if err != nil {
			t.Fatal(err)
		}
		plan.Steps = append(plan.Steps, step)
	}
	return plan
}

func TestPlansAreReadBackFromTextAndJSON(t *testing.T) {
	plan := planOf(t)
	form, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	indented, _ := json.MarshalIndent(plan, "", "  ")
	for _, text := range []string{plan.String(), string(form), string(indented), "\n# edited\n" + strings.ReplaceAll(plan.String(), "\n", "\n\n")} {
		path := filepath.Join(t.TempDir(), "plan")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		again, err := LoadPlan(path)
		if err != nil || again.String() != plan.String() || again.Seed != plan.Seed || len(again.Steps) != len(plan.Steps) {
			t.Errorf("%s\nis read as\n%s\n%v", text, again, err)
		}
		for i := range again.Steps {
			if len(plan.Steps[i].Args)+len(again.Steps[i].Args) > 0 && !reflect.DeepEqual(again.Steps[i], plan.Steps[i]) {
				t.Errorf("step %d is read as %v, want %v", i+1, again.Steps[i], plan.Steps[i])
			}
		}
	}
	if err := plan.Check(newWorld().rig()); err != nil {
		t.Errorf("check: %v", err)
	}
}

func TestBadPlansAreErrorsThatNameTheStep(t *testing.T) {
	text := func(steps ...string) string { return "plan format=1 seed=1\n" + strings.Join(steps, "\n") }
	const good = "at=1s hold=2s cut links=broker-1→zk-1"
	cases := []struct{ plan, want string }{
		{"", "empty"},
		{good, "first line"},
		{"plan format=2 seed=1", "format 2 is newer than 1"},
		{"plan format=0 seed=1", "format 0"},
		{"plan seed=1", "format"},
		{"plan format=1 seed=x", "seed"},
		{text(), "no step"},
		{text(good, "at=4s hold=1s explode links=broker-1→zk-1"), `step 2: at=4s hold=1s explode links=broker-1→zk-1: unknown fault "explode"`},
		{text(good, "at=soon kill node=broker-1"), `step 2: "at=soon kill node=broker-1": at=soon: want a duration`},
		{text("hold=1 kill node=broker-1"), "step 1: "},
		{text("when=1s kill node=broker-1"), "when=1s: want at, hold"},
		{text(good, "at=4s hold=1s cut links=broker-9→zk-1"), "step 2: at=4s hold=1s cut links=broker-9→zk-1: there is no link broker-9→zk-1"},
		{text("at=4s hold=1s kill node=broker-9"), "there is no node broker-9"},
		{text("at=4s hold=0s kill node=broker-1"), "hold is missing"},
		{text("at=4s hold=-1s kill node=broker-1"), "hold=-1s"},
		{text("at=-4s hold=1s kill node=broker-1"), "at=-4s"},
		{text("at=4s hold=1s delay by=0s links=broker-1→zk-1"), "by=0s"},
		{text("at=4s hold=1s delay by=1 links=broker-1→zk-1"), "by=1: want a duration"},
		{text(good, "at=3s hold=1s cut links=broker-1→zk-1"), "step 2: at=3s hold=1s cut links=broker-1→zk-1: conflict with step 1"},
		{text(good, "at=2s hold=1s hold links=broker-1→zk-1"), "conflict with step 1"},
		{text("at=0s repeat every=1s of=\"pause node=broker-1\" times=9", "at=5s hold=1s kill node=broker-1"), "conflict with step 1"},
		{`{"format": 2, "new": true}`, "format 2 is newer"},
		{`{"format": 1, "new": true}`, "new"},
		{`{"format": 1, "steps": [{"at": "1s", "hold": "1s", "fault": "kill", "args": {"node": 1}}]}`, "step 1: "},
		{`{"format": 1, "steps": [{"at": 1, "fault": "kill"}]}`, "step 1: "},
		{`{"format": 1, "steps": [{"at": "1s", "fault": "kill", "what": 1}]}`, "step 1: "},
		{`{"format": 1, "steps": [{"at": "1s"}]}`, "fault is missing"},
		{`{"format": 1, "steps": [`, "unexpected end"},
	}
	for _, c := range cases {
		world := newWorld()
		plan, err := ParsePlan([]byte(c.plan))
		if err == nil {
			_, err = Run(t.Context(), world.rig(), plan, nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || len(world.calls()) > 0 {
			t.Errorf("%s\ngives %v after %q, want an error with %q", c.plan, err, world.calls(), c.want)
		}
	}
	if _, err := LoadPlan("testdata/none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestStepsThatOnlyFollowEachOtherDoNotConflict(t *testing.T) {
	plan, err := ParsePlan([]byte("plan format=1 seed=0\nat=5s hold=1s cut links=broker-1->zk-1\nat=1s hold=3s hold links=broker-1->zk-1\n"))
	if err == nil {
		err = plan.Check(newWorld().rig())
	}
	if err != nil {
		t.Error(err)
	}
}
