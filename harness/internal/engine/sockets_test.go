package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// procWith is a folder like /proc with these files of process 7.
func procWith(t *testing.T, files map[string]string) string {
	t.Helper()
	proc := t.TempDir()
	for name, text := range files {
		path := filepath.Join(proc, "7", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return proc
}

func TestSocketsAreThoseOfTheContainer(t *testing.T) {
	const id = "0123456789abcdef"
	for group, ours := range map[string]bool{
		"4:memory:/docker/" + id:                      true,
		"0::/system.slice/docker-" + id + ".scope":    true,
		"0::/system.slice/ssh.service":                false,
		"0::/system.slice/docker-fedcba987654.scope/": false,
	} {
		proc := procWith(t, map[string]string{"cgroup": group + "\n", "net/tcp": "sl\nfour\n", "net/tcp6": "sl\nsix\n"})
		got, err := socketsHere(proc, 7, id)
		if want := "sl\nfour\nsl\nsix\n"; (err == nil) != ours || ours && got != want {
			t.Errorf("in %s: read %q, %v", group, got, err)
		}
	}
}

func TestSocketsThatCannotBeReadAreNone(t *testing.T) {
	whole := map[string]string{"cgroup": "id", "net/tcp": "sl", "net/tcp6": "sl"}
	for missing := range whole {
		files := map[string]string{}
		for name, text := range whole {
			if name != missing {
				files[name] = text
			}
		}
		if got, err := socketsHere(procWith(t, files), 7, "id"); err == nil {
			t.Errorf("without %s: read %q", missing, got)
		}
	}
	if got, err := socketsHere(procWith(t, whole), 0, "id"); err == nil {
		t.Errorf("of no process: read %q", got)
	}
}

func TestSocketsOfThisVeryProcess(t *testing.T) {
	const anyGroup = ":" // which every line of the file has
	got, err := socketsHere("/proc", os.Getpid(), anyGroup)
	if err != nil || strings.Count(got, "local_address") != 2 {
		t.Errorf("read %q, %v: want two tables", got, err)
	}
}
