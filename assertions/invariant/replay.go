package invariant

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"kafkachaos/harness/history"
)

// VerdictName is what the rendered report of a run is called, next to its
// history.
const VerdictName = "verdict.txt"

// ErrOtherVerdict says that a history was judged otherwise before.
var ErrOtherVerdict = errors.New("the verdict is another one than that of the run")

// Replay judges the history in a folder again. If the folder has the verdict of
// the run, a different one is ErrOtherVerdict, and the report is returned with
// it. Nothing is written.
func Replay(dir string) (Report, error) {
	r, file, err := history.Open(dir)
	if err != nil {
		return Report{}, err
	}
	defer file.Close()
	report, err := JudgeHistory(r)
	if err != nil {
		return Report{}, fmt.Errorf("replay %s: %w", dir, err)
	}
	path := filepath.Join(dir, VerdictName)
	then, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return report, nil
	case err != nil:
		return report, fmt.Errorf("replay %s: %w", dir, err)
	case string(then) != report.String():
		return report, fmt.Errorf("replay %s: %w, see %s", dir, ErrOtherVerdict, path)
	}
	return report, nil
}
