package terminal

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"kafkachaos/harness/history"
)

// Story tells what was observed and what faults did, one line each, by the seconds
// since the scenario had its cluster. What clients did is left out: it would be
// thousands of lines.
func Story(to io.Writer, r *history.Reader) error {
	fmt.Fprintf(to, "%11s began at %s\n", "", r.Header.Origin.Format(time.TimeOnly+".000 MST"))
	owned := ""
	for event, err := range r.Events() {
		if err != nil {
			return err
		}
		text := tell(event)
		if event.Kind == history.OwnersMark {
			if text == owned {
				continue // read again, and the same
			}
			owned = text
		}
		if text != "" {
			fmt.Fprintf(to, "%9.3f s %s\n", event.At.Seconds(), text)
		}
	}
	return nil
}

// tell tells one event, or nothing.
func tell(event *history.Event) string {
	switch event.Kind {
	case history.ReadingMark:
		return told(*event.Reading)
	case history.FaultMark:
		return fmt.Sprintf("FAULT %s: %s", event.Fault.Step, event.Fault.Name)
	case history.OwnersMark:
		return tasks(*event.Owners)
	case history.StopMark:
		if event.Stop.Node != "" {
			return event.Stop.Node + " was stopped"
		}
	}
	return ""
}

// told is a reading without when it was read, and of what, if it says so itself.
func told(r history.Reading) string {
	text, _, _ := strings.Cut(r.Text, " (read ")
	first, _, _ := strings.Cut(text, " ")
	if strings.Contains(text, r.Of) || slices.Contains(strings.Fields(r.Of), first) {
		return text
	}
	return r.Of + ": " + text
}

// tasks tells who has which tasks.
func tasks(o history.Owners) string {
	var parts []string
	for _, member := range slices.Sorted(maps.Keys(o.Owned)) {
		parts = append(parts, fmt.Sprintf("%s %v", member, o.Owned[member]))
	}
	return fmt.Sprintf("tasks of group %s in generation %d: %s", o.Group, o.Generation, strings.Join(parts, ", "))
}
