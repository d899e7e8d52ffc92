package mesh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kafkachaos/faults"
	"kafkachaos/harness/topology"
)

// undoBound ends the undoing of a half-applied change, whatever became of the
// context that it was applied under.
const undoBound = 5 * time.Second

// Change is one change to one link, made by Add, Update, Remove, Enable or
// Disable.
type Change struct {
	Link  topology.Link
	do    string
	name  string
	toxic *faults.Toxic
}

func (c Change) String() string {
	if c.name == "" {
		return c.do + " " + c.Link.String()
	}
	return c.do + " " + c.name + " on " + c.Link.String()
}

// Add puts the toxic on the link.
func Add(link topology.Link, toxic faults.Toxic) Change {
	return Change{Link: link, do: "add", name: toxic.Name, toxic: &toxic}
}

// Update gives the toxic of that name on the link new attributes; those that
// are not named stay.
func Update(link topology.Link, toxic faults.Toxic) Change {
	return Change{Link: link, do: "update", name: toxic.Name, toxic: &toxic}
}

// Remove takes the toxic of that name off the link, if it is there.
func Remove(link topology.Link, name string) Change {
	return Change{Link: link, do: "remove", name: name}
}

// Enable lets the link accept connections again.
func Enable(link topology.Link) Change { return Change{Link: link, do: "enable"} }

// Disable closes the link's connections and refuses new ones.
func Disable(link topology.Link) Change { return Change{Link: link, do: "disable"} }

// inverse undoes a change; an update, a removal and an enabling have none.
func (c Change) inverse() (Change, bool) {
	switch c.do {
	case "add":
		return Remove(c.Link, c.name), true
	case "disable":
		return Enable(c.Link), true
	}
	return Change{}, false
}

// AddToxic puts the toxic on every proxy of the link, or on none.
func (m *Mesh) AddToxic(ctx context.Context, link topology.Link, toxic faults.Toxic) error {
	return m.Apply(ctx, Add(link, toxic))
}

// UpdateToxic changes attributes of a toxic that is on the link, such as the
// latency, without a gap in which it is off.
func (m *Mesh) UpdateToxic(ctx context.Context, link topology.Link, toxic faults.Toxic) error {
	return m.Apply(ctx, Update(link, toxic))
}

// RemoveToxic takes the toxic off the link. That it is not there is no error.
func (m *Mesh) RemoveToxic(ctx context.Context, link topology.Link, name string) error {
	return m.Apply(ctx, Remove(link, name))
}

// SetEnabled opens or cuts the link.
func (m *Mesh) SetEnabled(ctx context.Context, link topology.Link, enabled bool) error {
	if enabled {
		return m.Apply(ctx, Enable(link))
	}
	return m.Apply(ctx, Disable(link))
}

// AddToxics puts the toxic on every one of the links.
func (m *Mesh) AddToxics(ctx context.Context, links []topology.Link, toxic faults.Toxic) error {
	return m.all(ctx, links, func(link topology.Link) Change { return Add(link, toxic) })
}

// RemoveToxics takes the toxic of that name off every one of the links.
func (m *Mesh) RemoveToxics(ctx context.Context, links []topology.Link, name string) error {
	return m.all(ctx, links, func(link topology.Link) Change { return Remove(link, name) })
}

// SetAllEnabled opens or cuts every one of the links.
func (m *Mesh) SetAllEnabled(ctx context.Context, links []topology.Link, enabled bool) error {
	if enabled {
		return m.all(ctx, links, Enable)
	}
	return m.all(ctx, links, Disable)
}

func (m *Mesh) all(ctx context.Context, links []topology.Link, change func(topology.Link) Change) error {
	changes := make([]Change, len(links))
	for i, link := range links {
		changes[i] = change(link)
	}
	return m.Apply(ctx, changes...)
}

// Apply makes the changes, those of one egress in their order and in one round
// trip, all egresses at once. Each change is made on all proxies of its link or,
// if one of them refuses, undone on the others; one that fails does not keep
// the others from being made, and the error names each. A link that does not
// exist is refused before anything is done.
func (m *Mesh) Apply(ctx context.Context, changes ...Change) error {
	batches := make(map[topology.Node]*batch)
	for _, change := range changes {
		proxies, err := m.find(change.Link)
		if err != nil {
			return fmt.Errorf("%s: %w", change, err)
		}
		from := change.Link.From
		if batches[from] == nil {
			batches[from] = new(batch)
		}
		batches[from].add(change, proxies)
	}
	return m.each(func(e *egress) error {
		b := batches[e.node]
		if b == nil {
			return nil
		}
		err := b.send(ctx, e)
		if err == nil {
			return nil
		}
		return errors.Join(err, b.undo(ctx, e))
	})
}

// batch is the operations that one egress gets at once; operation i is part of
// changes[i].
type batch struct {
	operations []operation
	changes    []Change
	failed     map[Change]bool // did so on one proxy at least, or may have
	refused    map[int]bool    // operations that were surely not carried out
}

type operation struct {
	Do    string     `json:"do"`
	Proxy string     `json:"proxy"`
	Name  string     `json:"name,omitempty"`
	Toxic *toxicJSON `json:"toxic,omitempty"`
}

type outcome struct {
	Status int    `json:"status"`
	Error  string `json:"error"`
}

func (b *batch) add(change Change, proxies []Proxy) {
	for _, proxy := range proxies {
		b.operations = append(b.operations, operation{change.do, proxy.Name, change.name, wire(change.toxic)})
		b.changes = append(b.changes, change)
	}
}

func (b *batch) send(ctx context.Context, e *egress) error {
	b.failed, b.refused = map[Change]bool{}, map[int]bool{}
	var outcomes []outcome
	err := e.call(ctx, http.MethodPost, "/batch", b.operations, &outcomes)
	if err == nil && len(outcomes) != len(b.operations) {
		err = fmt.Errorf("ask egress of %s: %d outcomes of %d operations", e.node, len(outcomes), len(b.operations))
	}
	if err != nil { // it may have been carried out all the same
		for _, change := range b.changes {
			b.failed[change] = true
		}
		return fmt.Errorf("%s: %w", b.title(), err)
	}
	return b.judge(outcomes)
}

func (b *batch) judge(outcomes []outcome) error {
	var errs []error
	for i, outcome := range outcomes {
		absent := outcome.Status == http.StatusNotFound && b.operations[i].Do == "remove"
		if outcome.Error != "" && !absent {
			b.failed[b.changes[i]], b.refused[i] = true, true
			errs = append(errs, fmt.Errorf("%s: %s", b.changes[i], outcome.Error))
		}
	}
	return errors.Join(errs...)
}

// undo takes failed changes back from the proxies that have, or may have,
// accepted them, last first, on a bound of its own.
func (b *batch) undo(ctx context.Context, e *egress) error {
	back := new(batch)
	for i := len(b.changes) - 1; i >= 0; i-- {
		inverse, ok := b.changes[i].inverse()
		if ok && b.failed[b.changes[i]] && !b.refused[i] {
			back.add(inverse, []Proxy{{Name: b.operations[i].Proxy}})
		}
	}
	if len(back.operations) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoBound)
	defer cancel()
	if err := back.send(ctx, e); err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	return nil
}

func (b *batch) title() string {
	title := b.changes[0].String()
	if more := len(b.operations) - 1; more > 0 {
		title += fmt.Sprintf(" and %d more", more)
	}
	return title
}
