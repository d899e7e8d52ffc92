package engine

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

func TestOwnerIsReadBackAndAlive(t *testing.T) {
	me := self()
	back, err := parseOwner(me.String())
	if err != nil || back != me {
		t.Fatalf("%v is read as %v, %v", me, back, err)
	}
	if !me.alive() {
		t.Error("this very process is taken for dead")
	}
	for _, text := range []string{"", "host/1", "host/x/1", "host/1/2/3"} {
		if _, err := parseOwner(text); err == nil {
			t.Errorf("%q is read as an owner", text)
		}
	}
}

func TestOwnerThatEndedIsDead(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	me := self()
	gone := owner{me.host, ended.Process.Pid, "1"}
	if gone.alive() {
		t.Error("an ended process is taken for alive")
	}
	reused := owner{me.host, me.pid, me.start + "0"}
	if reused.alive() {
		t.Error("a later process with the same number is taken for the owner")
	}
	elsewhere := owner{me.host + "-other", ended.Process.Pid, "1"}
	if !elsewhere.alive() {
		t.Error("a process of another machine is taken for dead")
	}
}

func TestLeftoversAreThoseOfDeadOwners(t *testing.T) {
	all := []belonging{{"live", "me", false}, {"dead", "gone", false}, {"dead", "gone", false},
		{"kept", "gone", true}, {"kept", "gone", false}}
	alive := func(owner string) bool { return owner == "me" }
	if got := leftovers(all, false, alive); !slices.Equal(got, []string{"dead"}) {
		t.Errorf("a sweep would remove %v", got)
	}
	if got := leftovers(all, true, alive); !slices.Equal(got, []string{"dead", "kept"}) {
		t.Errorf("a clean would remove %v", got)
	}
	if lives("nonsense") {
		t.Error("an unreadable owner is taken for alive")
	}
}

func TestFreePortsSkipsTheTaken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	taken, _ := strconv.Atoi(port)
	t.Setenv(PortsVariable, fmt.Sprintf("%d-%d", taken, taken))
	if _, err := FreePorts(1); err == nil || !strings.Contains(err.Error(), PortsVariable) {
		t.Errorf("a range that is taken: %v, want an error that names %s", err, PortsVariable)
	}
	t.Setenv(PortsVariable, "")
	ports, err := FreePorts(20)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Sort(ports); len(slices.Compact(ports)) != 20 {
		t.Errorf("ports are handed out twice: %v", ports)
	}
	for _, bad := range []string{"x", "1", "5-1", "0-10", "1-70000"} {
		if _, _, err := portRange(bad); err == nil {
			t.Errorf("range %q is accepted", bad)
		}
	}
}

func TestTarFolderPutsFilesBelowThePath(t *testing.T) {
	from := fstest.MapFS{"a.jar": {Data: []byte("A")}, "sub/b.jar": {Data: []byte("BB")}}
	var archive bytes.Buffer
	if err := tarFolder(&archive, from, "opt/plugins/1"); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for reader := tar.NewReader(&archive); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(reader)
		files[header.Name] = string(text)
	}
	want := map[string]string{"opt/plugins/1/": "", "opt/plugins/1/a.jar": "A", "opt/plugins/1/sub/": "",
		"opt/plugins/1/sub/b.jar": "BB"}
	if fmt.Sprint(files) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", files, want)
	}
	if err := tarFolder(io.Discard, os.DirFS("/no/such/folder"), "x"); err == nil {
		t.Error("a folder that is not there is archived")
	}
	folder := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(folder, "plugin")); err != nil {
		t.Fatal(err)
	}
	if err := tarFolder(io.Discard, os.DirFS(folder), "x"); err == nil || !strings.Contains(err.Error(), "plugin is a link") {
		t.Errorf("a link to a folder: %v, want an error that names it", err)
	}
}

func TestExplainNamesTheWayOut(t *testing.T) {
	for text, want := range map[string]string{
		"write /x: no space left on device":                                         "make clean",
		"driver failed: Bind for 127.0.0.1:20001 failed: port is already allocated": PortsVariable,
	} {
		if err := explain(errors.New(text)); !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), text) {
			t.Errorf("%q is explained as %q", text, err)
		}
	}
	if explain(nil) != nil {
		t.Error("nothing is explained as an error")
	}
}
