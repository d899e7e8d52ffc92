package faults

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Vocabulary knows how to make faults of plain data, by their kind. Add kinds of
// your own to a Standard one.
type Vocabulary map[string]func(*Args) Fault

// Standard is the vocabulary of all faults of this package.
func Standard() Vocabulary {
	words := Vocabulary{}
	for _, family := range []Vocabulary{linkWords, nodeWords, systemWords, composedWords()} {
		maps.Copy(words, family)
	}
	return words
}

// ParseFault reads what the String of a fault of this package writes.
func ParseFault(text string) (Fault, error) { return Standard().Parse(text) }

// Parse reads a fault from one line of text.
func (v Vocabulary) Parse(text string) (Fault, error) {
	spec, err := ParseSpec(text)
	if err != nil {
		return nil, err
	}
	return v.Build(spec)
}

// Build makes a fault of plain data. An unknown kind, an unknown or a missing
// argument and one of the wrong type are errors; whether links and nodes exist
// is for Check.
func (v Vocabulary) Build(spec Spec) (Fault, error) {
	make, known := v[spec.Kind]
	if !known {
		return nil, fmt.Errorf("unknown fault %q: want one of %s", spec.Kind, strings.Join(slices.Sorted(maps.Keys(v)), ", "))
	}
	args := &Args{words: v, given: spec.Args, asked: map[string]bool{}}
	fault := make(args)
	if err := args.finish(); err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Kind, err)
	}
	return fault, nil
}

var linkWords = Vocabulary{
	"cut":                 func(a *Args) Fault { return Cut().On(a.Route("links")) },
	"blackhole":           func(a *Args) Fault { return a.directed(Blackhole()) },
	"hold":                func(a *Args) Fault { return a.directed(Hold()) },
	"bandwidth":           func(a *Args) Fault { return a.directed(Bandwidth(a.Int("rate"))) },
	"slice":               func(a *Args) Fault { return a.directed(Slice(a.Int("size"), a.Duration("gap"))) },
	"reset":               func(a *Args) Fault { return Reset().On(a.Route("links")) },
	"close-after":         func(a *Args) Fault { return a.directed(CloseAfter(int64(a.Int("bytes")))) },
	"swallow-first-reply": func(a *Args) Fault { return SwallowFirstReply().On(a.Route("links")) },
	"delay": func(a *Args) Fault {
		delay := a.directed(Delay(a.Duration("by")))
		if a.Has("jitter") {
			delay = delay.Jitter(a.Duration("jitter"), a.Duration("every"), a.Seed("seed"))
		}
		return delay
	},
}

var nodeWords = Vocabulary{
	"kill":      func(a *Args) Fault { return Kill(a.Target("node")) },
	"terminate": func(a *Args) Fault { return Terminate(a.Target("node")) },
	"bounce":    func(a *Args) Fault { return Bounce(a.Target("node")) },
	"pause":     func(a *Args) Fault { return Pause(a.Target("node")) },
	"start":     func(a *Args) Fault { return Start(a.Target("node")) },
	"limit-cpu": func(a *Args) Fault { return LimitCPU(a.Target("node"), a.Float("cores")) },
	"restart": func(a *Args) Fault {
		return restarting("restart", SignalTerminate, a.Target("node"), a.Has("ready") && a.Bool("ready"))
	},
	"crash-loop": func(a *Args) Fault {
		return CrashLoop(a.Target("node"), a.Int("crashes"), a.Duration("down"), a.Duration("up"))
	},
	"rolling-restart": func(a *Args) Fault { return RollingRestart(a.Duration("rest"), a.Nodes("nodes", ",")...) },
}

var systemWords = Vocabulary{
	"expire":                  func(a *Args) Fault { return Expire(a.Target("node")) },
	"expire-repeatedly":       func(a *Args) Fault { return ExpireRepeatedly(a.Target("node"), a.Int("times"), a.Duration("gap")) },
	"expire-all":              func(*Args) Fault { return ExpireAll() },
	"expire-while-blackholed": func(a *Args) Fault { return ExpireWhileBlackholed(a.Target("node")) },
	"starve":                  func(a *Args) Fault { return Starve(a.Target("node")) },
	"evict":                   func(a *Args) Fault { return Evict(a.Optional("group"), a.Target("node")) },
	"phantom-joins":           func(*Args) Fault { return PhantomJoins() },
	"phantom-stalls":          func(*Args) Fault { return PhantomStalls() },
	"move-coordinator":        func(a *Args) Fault { return MoveCoordinator(a.Optional("group")) },
	"restart-connector":       func(a *Args) Fault { return RestartConnector(a.Text("connector")) },
	"restart-task":            func(a *Args) Fault { return RestartTask(a.Text("connector"), a.Int("task")) },
	"change-config":           func(a *Args) Fault { return ChangeConfig(a.Text("connector"), a.Text("key"), a.Text("value")) },
	"change-topic":            func(a *Args) Fault { return ChangeTopic(a.Text("topic"), a.Text("key"), a.Text("value")) },
	"create-topic":            func(a *Args) Fault { return CreateTopic(a.Text("topic"), a.Int("partitions"), a.Int("replication")) },
	"delete-topic":            func(a *Args) Fault { return DeleteTopic(a.Text("topic")) },
	"reassign":                func(a *Args) Fault { return Reassign(a.Text("topic"), a.Int("partition"), a.Ints("brokers")...) },
	"elect-preferred":         func(a *Args) Fault { return ElectPreferred(a.Text("topic"), a.Int("partition")) },
}

// composedWords is a function because its faults are parsed by the vocabulary.
func composedWords() Vocabulary {
	return Vocabulary{
		"one-way":   func(a *Args) Fault { return OneWay(a.Nodes("from", "+"), a.Nodes("to", "+")) },
		"for":       func(a *Args) Fault { return For(a.Duration("hold"), a.Fault("of")) },
		"sequence":  func(a *Args) Fault { return Sequence(a.Faults()...) },
		"together":  func(a *Args) Fault { return Together(a.Faults()...) },
		"repeat":    func(a *Args) Fault { return Repeat(a.Int("times"), a.Duration("every"), a.Fault("of")) },
		"guarded":   func(a *Args) Fault { return Guarded(a.Int("most"), a.Fault("of")) },
		"when":      func(a *Args) Fault { return When(a.Condition("condition"), a.Fault("of")) },
		"rebalance": func(a *Args) Fault { return Rebalance(a.Optional("group"), a.Fault("of")) },
		"at-random-times": func(a *Args) Fault {
			return AtRandomTimes(a.Seed("seed"), a.Int("times"), a.Duration("within"), a.Faults()...)
		},
		"flap": func(a *Args) Fault {
			wave := Wave{Period: a.Duration("period"), Duty: a.Float("duty")}
			if a.Has("count") {
				wave.Count = a.Int("count")
			}
			if a.Has("jitter") {
				wave.Jitter, wave.Seed = a.Duration("jitter"), a.Seed("seed")
			}
			return Flap(a.Fault("of"), wave)
		},
	}
}

var errMissing = errors.New("is missing")
