package assertions

import (
	"fmt"

	"github.com/onsi/gomega/types"
)

// reading is a value that was read, of whatever kind.
type reading interface {
	fmt.Stringer
	// Subject names what was read: a node, or a part of the cluster.
	Subject() string
}

// on makes a matcher out of a law over one kind of reading. The name is what a
// finding is known by: it stays the same whatever was expected in detail. The
// law returns what is wrong, or nothing.
func on[T reading](name, obligation string, law func(T) string) types.GomegaMatcher {
	return &matcher[T]{name: name, obligation: obligation, law: law}
}

type matcher[T reading] struct {
	name       string
	obligation string
	law        func(T) string
	wrong      string
}

// Match implements gomega's matcher. Another kind of reading is an error.
func (m *matcher[T]) Match(actual any) (bool, error) {
	reading, ok := actual.(T)
	if !ok {
		return false, fmt.Errorf("expected %s, but a %T is no %T", m.obligation, actual, reading)
	}
	m.wrong = m.law(reading)
	return m.wrong == "", nil
}

// FailureMessage says what was found, what was expected, what is wrong, and what
// was read.
func (m *matcher[T]) FailureMessage(actual any) string {
	return fmt.Sprintf("%v\nexpected %s, but %s:\n    %v", m.finding(m.name, actual), m.obligation, m.wrong, actual)
}

// NegatedFailureMessage says the same for ShouldNot.
func (m *matcher[T]) NegatedFailureMessage(actual any) string {
	return fmt.Sprintf("%v\nexpected not %s, but it is so:\n    %v", m.finding("not "+m.name, actual), m.obligation, actual)
}

func (m *matcher[T]) finding(assertion string, actual any) Finding {
	found := Finding{Assertion: assertion}
	if of, ok := actual.(reading); ok {
		found.Subject = of.Subject()
	}
	return found
}
