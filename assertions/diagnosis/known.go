package diagnosis

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kafkachaos/harness/topology"
)

//go:embed known.json
var knownJSON []byte

// known is what experience says, as data: what certain frames wait for, and how
// certain bugs look.
var known = mustLoad(knownJSON)

type knowledge struct {
	Waits []wait `json:"waits"`
	Bugs  []Bug  `json:"bugs"`
}

// wait says what a thread waits for that stands in a frame, where the JVM cannot
// know it: nobody owns a latch.
type wait struct {
	Frame  string `json:"frame"`
	For    string `json:"for"`    // something outside the JVM, or
	Thread string `json:"thread"` // the beginning of the name of another thread
	Source string `json:"source"`
}

// Bug is a bug of Kafka that somebody has reported, and how it looks from
// outside.
type Bug struct {
	Title  string             `json:"title"`
	JIRA   string             `json:"jira"`  // such as KAFKA-6252; "" if none is known
	Role   topology.Role      `json:"role"`  // whose release decides
	From   topology.Version   `json:"from"`  // the first release that may have it
	Cured  []topology.Version `json:"cured"` // the first without it, of each line, in order
	Source string             `json:"source"`
	Signs  []Sign             `json:"signs"` // all of which have to be there
}

// Sign is a general symptom, with what has to be in it.
type Sign struct {
	Sign      string `json:"sign"`      // a key of the table of signs
	Thread    string `json:"thread"`    // the beginning of its name
	Frame     string `json:"frame"`     // the beginning of a frame
	Exception string `json:"exception"` // a part of class and message
}

func mustLoad(text []byte) knowledge {
	var k knowledge
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&k); err != nil {
		panic(fmt.Sprintf("load known.json: %v", err)) // a test reads it, too
	}
	return k
}

// Affects says whether a release may have the bug: it is not older than the first
// one, nor as new as a cured one of its own line, nor as the last of these. An
// unknown release may.
func (b Bug) Affects(version topology.Version) bool {
	if version.IsZero() {
		return true
	}
	if version.Before(b.From) || !version.Before(b.Cured[len(b.Cured)-1]) {
		return false
	}
	return !slices.ContainsFunc(b.Cured, func(cured topology.Version) bool {
		return line(cured) == line(version) && !version.Before(cured)
	})
}

// line is the release line of a version, such as 3.5 or 0.10.2.
func line(v topology.Version) string {
	text := v.String()
	return text[:max(0, strings.LastIndexByte(text, '.'))]
}

func (b Bug) String() string {
	name := b.JIRA
	if name == "" {
		name = "a known bug without a JIRA of its own"
	}
	var cured []string
	for _, version := range b.Cured {
		cured = append(cured, version.String())
	}
	return fmt.Sprintf("%s (%s; %s releases from %v; first without it: %s; source: %s)",
		name, b.Title, b.Role, b.From, strings.Join(cured, ", "), b.Source)
}
