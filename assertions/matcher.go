package assertions

import (
	"fmt"

	"github.com/onsi/gomega/types"
)

// on makes a matcher out of a law over one kind of reading. The law returns
// what is wrong, or nothing.
func on[T fmt.Stringer](obligation string, law func(T) string) types.GomegaMatcher {
	return &matcher[T]{obligation: obligation, law: law}
}

type matcher[T fmt.Stringer] struct {
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

// FailureMessage says what was expected, what is wrong, and what was read.
func (m *matcher[T]) FailureMessage(actual any) string {
	return fmt.Sprintf("expected %s, but %s:\n    %v", m.obligation, m.wrong, actual)
}

// NegatedFailureMessage says the same for ShouldNot.
func (m *matcher[T]) NegatedFailureMessage(actual any) string {
	return fmt.Sprintf("expected not %s, but it is so:\n    %v", m.obligation, actual)
}
