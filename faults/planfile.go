package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// LoadPlan reads a plan from a file, in text or JSON.
func LoadPlan(path string) (Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Plan{}, fmt.Errorf("read plan: %w", err)
	}
	plan, err := ParsePlan(data)
	if err != nil {
		return Plan{}, fmt.Errorf("read plan %s: %w", path, err)
	}
	return plan, nil
}

// ParsePlan reads a plan in text, as String writes it, or in JSON, which begins
// with a brace. In text, empty lines and lines that begin with # are passed over.
// Whether the faults can be is for Check.
func ParsePlan(data []byte) (Plan, error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var plan Plan
		err := json.Unmarshal(data, &plan)
		return plan, err
	}
	return parsePlanText(string(data))
}

func parsePlanText(text string) (plan Plan, err error) {
	begun := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !begun:
			if plan.Seed, err = parseHead(line); err != nil {
				return Plan{}, err
			}
			begun = true
		default:
			step, err := parseStep(line)
			if err != nil {
				return Plan{}, fmt.Errorf("step %d: %q: %w", len(plan.Steps)+1, line, err)
			}
			plan.Steps = append(plan.Steps, step)
		}
	}
	if !begun {
		return Plan{}, errors.New("it is empty")
	}
	return plan, nil
}

// parseHead reads "plan format=1 seed=42".
func parseHead(line string) (seed uint64, err error) {
	head, err := ParseSpec(line)
	if err != nil || head.Kind != "plan" {
		return 0, fmt.Errorf("first line %q: want plan format=%d seed=NUMBER", line, PlanFormat)
	}
	format, err := strconv.Atoi(head.Args["format"])
	if err != nil {
		return 0, fmt.Errorf("format %q: want a number", head.Args["format"])
	}
	if err := checkFormat(format); err != nil {
		return 0, err
	}
	if seed, err = strconv.ParseUint(head.Args["seed"], 10, 64); err != nil {
		return 0, fmt.Errorf("seed %q: want a whole number from 0", head.Args["seed"])
	}
	return seed, nil
}

func checkFormat(format int) error {
	switch {
	case format > PlanFormat:
		return fmt.Errorf("format %d is newer than %d, the newest that is known here", format, PlanFormat)
	case format < 1:
		return fmt.Errorf("format %d: want 1 to %d", format, PlanFormat)
	}
	return nil
}

// parseStep reads "at=1.5s hold=3s cut links=broker-1→zk-1".
func parseStep(line string) (step Step, err error) {
	for {
		word, rest, _ := strings.Cut(line, " ")
		name, value, isArg := strings.Cut(word, "=")
		if !isArg {
			step.Spec, err = ParseSpec(line)
			return step, err
		}
		switch name {
		case "at":
			step.At, err = parseLength(name, value)
		case "hold":
			step.Hold, err = parseLength(name, value)
		default:
			err = fmt.Errorf("%s: want at, hold, then the fault", word)
		}
		if err != nil {
			return Step{}, err
		}
		line = strings.TrimSpace(rest)
	}
}

func parseLength(name, text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s=%s: want a duration such as 1.5s", name, text)
	}
	return d, nil
}

// planJSON and stepJSON are the form of plans in JSON.
type planJSON struct {
	Format int               `json:"format"`
	Seed   uint64            `json:"seed"`
	Steps  []json.RawMessage `json:"steps"`
}

type stepJSON struct {
	At   string `json:"at"`
	Hold string `json:"hold,omitempty"`
	Spec
}

// MarshalJSON writes the plan with its format.
func (p Plan) MarshalJSON() ([]byte, error) {
	out := planJSON{Format: PlanFormat, Seed: p.Seed, Steps: []json.RawMessage{}}
	for _, step := range p.Steps {
		form := stepJSON{At: step.At.String(), Spec: step.Spec}
		if step.Hold != 0 {
			form.Hold = step.Hold.String()
		}
		text, err := marshal(form)
		if err != nil {
			return nil, err
		}
		out.Steps = append(out.Steps, text)
	}
	return marshal(out)
}

// marshal leaves arrows and quotes legible.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(out.Bytes()), err
}

// UnmarshalJSON reads a plan, and names the step that cannot be read.
func (p *Plan) UnmarshalJSON(data []byte) error {
	var in planJSON
	// A newer format is told first, whatever else it may hold.
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("read plan: %w", err)
	}
	if err := checkFormat(in.Format); err != nil {
		return err
	}
	if err := strictly(data, &in); err != nil {
		return fmt.Errorf("read plan: %w", err)
	}
	plan := Plan{Seed: in.Seed}
	for i, text := range in.Steps {
		step, err := readStep(text)
		if err != nil {
			return fmt.Errorf("step %d: %s: %w", i+1, text, err)
		}
		plan.Steps = append(plan.Steps, step)
	}
	*p = plan
	return nil
}

func readStep(text []byte) (step Step, err error) {
	var form stepJSON
	if err := strictly(text, &form); err != nil {
		return Step{}, err
	}
	step.Spec = form.Spec
	if step.Kind == "" {
		return Step{}, errors.New("fault is missing")
	}
	if step.At, err = parseLength("at", form.At); err == nil && form.Hold != "" {
		step.Hold, err = parseLength("hold", form.Hold)
	}
	return step, err
}

// strictly refuses fields that are not known.
func strictly(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
