// Package incident holds the real incidents that the scenarios stand up to, as
// data: a bug of Kafka, the releases that have it, the scenario that finds it,
// and what the scenario must say there. It runs the scenarios on those releases
// and judges the reports.
//
// A red run counts only if it is red for the reason that the incident names. The
// package knows no bug and starts no cluster itself, and it imports neither
// ginkgo nor gomega: it runs the compiled suite and reads its JSON report.
package incident

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"kafkachaos/assertions"
	"kafkachaos/harness/topology"
)

// Incident is one bug and what shows it.
type Incident struct {
	ID       string
	Title    string
	Affected []Releases // where the scenario must be red for the Finding
	Cured    []Releases // where it must be green
	Scenario string     // the full title of the scenario
	Finding  Finding
	// References are where the bug was reported, and what was seen of it.
	References []string
}

// Releases are what the roles of a cluster run.
type Releases struct {
	Brokers string
	Workers string // empty if the scenario has none, or they run what the brokers run
}

func (r Releases) String() string {
	if r.Workers == "" {
		return r.Brokers
	}
	return fmt.Sprintf("%s on %s", r.Workers, r.Brokers)
}

// Name is the same in a form that file names can have.
func (r Releases) Name() string { return strings.ReplaceAll(r.String(), " ", "-") }

// Versions are the releases that have to be there.
func (r Releases) Versions() ([]topology.Version, error) {
	var all []topology.Version
	for _, text := range []string{r.Brokers, r.Workers} {
		if text == "" && len(all) > 0 {
			continue
		}
		version, err := topology.ParseVersion(text)
		if err != nil {
			return nil, err
		}
		all = append(all, version)
	}
	return all, nil
}

// Finding is what an affected release must fail with.
type Finding struct {
	Assertion string // one of the names in package assertions
	Subject   string // a regular expression for all of the subject
}

func (f Finding) String() string { return f.Assertion + " of " + f.Subject }

// Matches says whether the finding is the expected one.
func (f Finding) Matches(found assertions.Finding) bool {
	subject, err := regexp.Compile("^(?:" + f.Subject + ")$")
	return err == nil && found.Assertion == f.Assertion && subject.MatchString(found.Subject)
}

// Check says what is wrong with the entry itself.
func (i Incident) Check() error {
	switch {
	case i.ID == "" || i.Title == "" || i.Scenario == "" || i.Finding.Assertion == "":
		return fmt.Errorf("incident %q: want id, title, scenario and finding", i.ID)
	case len(i.Affected) == 0 || len(i.Cured) == 0:
		return fmt.Errorf("incident %s: want affected and cured releases", i.ID)
	}
	if _, err := regexp.Compile(i.Finding.Subject); err != nil {
		return fmt.Errorf("incident %s: subject of its finding: %w", i.ID, err)
	}
	for _, releases := range slices.Concat(i.Affected, i.Cured) {
		if _, err := releases.Versions(); err != nil {
			return fmt.Errorf("incident %s: %w", i.ID, err)
		}
	}
	return nil
}

// Choose finds incidents by their ids, with commas between them; all of them if
// there is none.
func Choose(all []Incident, ids string) ([]Incident, error) {
	if strings.TrimSpace(ids) == "" {
		return all, nil
	}
	var chosen []Incident
	var known []string
	for _, one := range all {
		known = append(known, one.ID)
	}
	for id := range strings.SplitSeq(ids, ",") {
		at := slices.Index(known, strings.ToUpper(strings.TrimSpace(id)))
		if at < 0 {
			return nil, fmt.Errorf("choose incidents: there is no incident %q, only %s", strings.TrimSpace(id), strings.Join(known, ", "))
		}
		if !slices.ContainsFunc(chosen, func(i Incident) bool { return i.ID == known[at] }) {
			chosen = append(chosen, all[at])
		}
	}
	return chosen, nil
}
