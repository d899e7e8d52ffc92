package faults

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Spec is a fault as plain data: its kind and its arguments, all of them text.
// It prints as one line, kind first, arguments in the order of their names:
//
//	delay by=300ms links=broker-1→zk-1 stream=upstream
type Spec struct {
	Kind string            `json:"fault"`
	Args map[string]string `json:"args,omitempty"`
}

func (s Spec) String() string {
	var line strings.Builder
	line.WriteString(s.Kind)
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		fmt.Fprintf(&line, " %s=%s", name, quoted(s.Args[name]))
	}
	return line.String()
}

// quoted puts a value in quotes if it could not be read back without.
func quoted(value string) string {
	if value == "" || strings.ContainsAny(value, " \t\n\r\"=#\\") {
		return strconv.Quote(value)
	}
	return value
}

// ParseSpec reads what Spec.String writes. It does not ask whether there is such
// a fault.
func ParseSpec(text string) (Spec, error) {
	kind, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if kind == "" || strings.Contains(kind, "=") {
		return Spec{}, fmt.Errorf("parse fault %q: want a kind, then name=value", text)
	}
	args, err := parseArgs(rest)
	if err != nil {
		return Spec{}, fmt.Errorf("parse fault %q: %w", text, err)
	}
	return Spec{Kind: kind, Args: args}, nil
}

// parseArgs reads name=value pairs with blanks between them.
func parseArgs(text string) (map[string]string, error) {
	args := map[string]string{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		name, rest, found := strings.Cut(text, "=")
		if !found || name == "" || strings.ContainsAny(name, " \t\"") {
			return nil, fmt.Errorf("want name=value at %q", text)
		}
		value, after, err := cutValue(rest)
		if err != nil {
			return nil, fmt.Errorf("value of %s: %w", name, err)
		}
		if _, twice := args[name]; twice {
			return nil, fmt.Errorf("%s is given twice", name)
		}
		args[name], text = value, after
	}
	return args, nil
}

// cutValue takes one value, in quotes or up to the next blank, off the text.
func cutValue(text string) (value, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		value, rest, _ = strings.Cut(text, " ")
		return value, rest, nil
	}
	prefix, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", fmt.Errorf("quotes not closed at %q", text)
	}
	value, err = strconv.Unquote(prefix)
	return value, text[len(prefix):], err
}
