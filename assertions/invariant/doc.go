// Package invariant judges a history: whether what a run of traffic saw is what
// the configuration of its topics, producers, consumers and connectors promises.
//
// Each Law says what it demands and which configuration promises that; see Laws.
// Where a law is not promised its breaches are counted and shown, but do not
// fail the run, unless its terms demand the law. A report says what was promised
// and how often it was checked, so that a pass has a meaning; where there was too
// little to go by, or a fault was never seen in effect, the verdict is
// inconclusive.
//
//	r, file, err := history.Open("out/run")
//	…
//	defer file.Close()
//	report, err := invariant.JudgeHistory(r)
//	fmt.Print(report) // the same bytes each time
//
// A history is gone through once, event by event, in time that is linear in its
// operations, the records that they brought and the offsets that were left out. What stays in memory is an entry of 48 bytes for each
// record sent and one of 16 for each offset; of violations the first ten of a
// kind are kept, and all are counted.
//
// How the laws treat odd histories: an operation that never returned may have
// happened; what comes after the last whole line is left out and makes the
// verdict inconclusive, as do marks of an unknown kind; clocks that go back and
// histories that contradict themselves are errors.
//
// The package reads no cluster and no log segment. To say of a loss whether logs
// on disk still hold it, a run judges its history, looks for what Violation.Of
// names, records what it found as marks, ends the history, and judges again.
package invariant
