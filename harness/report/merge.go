package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Merge makes one run of the last ones in several folders, such as the shards of a
// catalogue: one summary and one page in the folder, which is made if need be. The
// histories and the evidence stay where they are. What the folder has of its own is
// replaced, unless it is one of those that are merged, which then loses the runs
// before its last.
func Merge(folder string, runs ...string) error {
	all, err := readAll(runs)
	if err != nil {
		return fmt.Errorf("merge runs: %w", err)
	}
	if len(all) == 0 {
		return errors.New("merge runs: there is no scenario in any of them")
	}
	slices.SortStableFunc(all, func(a, b Scenario) int { return cmp.Or(a.Date.Compare(b.Date), cmp.Compare(a.Title, b.Title)) })
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("merge runs: %w", err)
	}
	var text []byte
	for i := range all {
		s := &all[i]
		if s.History, err = move(folder, s.HistoryFolder()); err != nil {
			return err
		}
		if s.Evidence, err = move(folder, s.EvidenceFolder()); err != nil {
			return err
		}
		s.folder = folder
		line, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("merge runs: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(filepath.Join(folder, SummaryName), text, 0o644); err != nil {
		return fmt.Errorf("merge runs: %w", err)
	}
	return writePage(folder, all)
}

// move is the path of a folder, as seen from the one that the summary is in now.
func move(folder, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("merge runs: %w", err)
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("merge runs: %w", err)
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return "", fmt.Errorf("merge runs: %w", err)
	}
	return filepath.ToSlash(relative), nil
}
