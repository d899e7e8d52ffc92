package faults

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kafkachaos/harness/topology"
)

// Args hands the arguments of a fault to the function that makes it, each as the
// type that is asked for. A missing one, one of another type and one that nobody
// asked for are told by Vocabulary.Build; meanwhile a zero value stands in.
type Args struct {
	words Vocabulary
	given map[string]string
	asked map[string]bool
	errs  []error
}

// Has says whether the argument is given. It does not count as asked for.
func (a *Args) Has(name string) bool {
	_, given := a.given[name]
	return given
}

// Text is the argument as it stands.
func (a *Args) Text(name string) string {
	if !a.Has(name) {
		a.errs = append(a.errs, fmt.Errorf("%s %w", name, errMissing))
	}
	return a.Optional(name)
}

// Optional is the argument as it stands, or nothing.
func (a *Args) Optional(name string) string {
	a.asked[name] = true
	return a.given[name]
}

// read turns an argument into what it should be.
func read[T any](a *Args, name, want string, parse func(string) (T, error)) T {
	text := a.Text(name)
	var none T
	if !a.Has(name) {
		return none
	}
	value, err := parse(text)
	switch {
	case err == nil:
		return value
	case want != "":
		err = errors.New("want " + want)
	}
	a.errs = append(a.errs, fmt.Errorf("%s=%s: %w", name, quoted(text), err))
	return none
}

// Duration is the argument as a length of time, such as 1.5s.
func (a *Args) Duration(name string) time.Duration {
	return read(a, name, "a duration such as 1.5s", time.ParseDuration)
}

// Int is the argument as a whole number.
func (a *Args) Int(name string) int { return read(a, name, "a whole number", strconv.Atoi) }

// Ints is the argument as whole numbers with commas between them.
func (a *Args) Ints(name string) []int {
	return read(a, name, "whole numbers such as 1,2", func(text string) (all []int, err error) {
		for part := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(part)
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
		return all, nil
	})
}

// Float is the argument as a number.
func (a *Args) Float(name string) float64 {
	return read(a, name, "a number", func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
}

// Bool is the argument as true or false.
func (a *Args) Bool(name string) bool { return read(a, name, "true or false", strconv.ParseBool) }

// Seed is the argument as a seed.
func (a *Args) Seed(name string) uint64 {
	return read(a, name, "a whole number from 0", func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })
}

// Target is the argument as a target, such as broker-1 or controller.
func (a *Args) Target(name string) Target { return read(a, name, "", ParseTarget) }

// Nodes is the argument as nodes, with that between them.
func (a *Args) Nodes(name, between string) []topology.Node {
	return read(a, name, "", func(text string) ([]topology.Node, error) { return parseNodes(text, between) })
}

// Route is the argument as a set of links. See ParseRoute.
func (a *Args) Route(name string) Route {
	if route := read(a, name, "", ParseRoute); route != nil {
		return route
	}
	return Fixed()
}

// Condition is the argument as a condition, such as znode-gone(/controller).
func (a *Args) Condition(name string) Condition { return read(a, name, "", ParseCondition) }

// Fault is the argument as a fault, its text in quotes.
func (a *Args) Fault(name string) Fault {
	if fault := read(a, name, "", a.words.Parse); fault != nil {
		return fault
	}
	return Cut()
}

// Faults are the arguments 01, 02, … as faults.
func (a *Args) Faults() (faults []Fault) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%02d", n)
		if !a.Has(name) && n > 1 {
			return faults
		}
		faults = append(faults, a.Fault(name))
	}
}

// directed reads the links of a fault, and its half of them if one is given.
func (a *Args) directed(fault LinkFault) LinkFault {
	fault = fault.On(a.Route("links"))
	if !a.Has("stream") {
		return fault
	}
	stream := Stream(a.Text("stream"))
	if stream != Upstream && stream != Downstream {
		a.errs = append(a.errs, fmt.Errorf("stream=%s: want upstream or downstream", stream))
	}
	return fault.only(stream)
}

// finish tells what was wrong with the arguments.
func (a *Args) finish() error {
	for _, name := range slices.Sorted(maps.Keys(a.given)) {
		if !a.asked[name] {
			a.errs = append(a.errs, fmt.Errorf("unknown argument %s", name))
		}
	}
	return errors.Join(a.errs...)
}
