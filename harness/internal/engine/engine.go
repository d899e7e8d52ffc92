// Package engine runs the processes of a cluster. It is the only importer of
// testcontainers and of the Docker client. Of Kafka it knows how the images of
// its releases are built, and nothing else: what to run comes as a Program, what
// runs goes back as a Process.
//
// A second engine, plain local processes for one, has to offer what Engine and
// Process list.
package engine

import (
	"context"
	"errors"
	"io"
	"time"
)

// Engine runs the processes of one run, on a network of their own.
type Engine interface {
	// Reserve returns the address at which the program of that name will be found,
	// before it is made, so that others can be told.
	Reserve(name string) (string, error)
	// Create makes the program ready to start. The Process is returned whenever
	// something was made, with an error too.
	Create(ctx context.Context, program Program) (Process, error)
	// Close ends and removes all that the run made. It may be called again.
	Close(ctx context.Context) error
	// Keep marks the run so that no sweep takes it for a leftover.
	Keep(ctx context.Context) error
}

// Program says what to run.
type Program struct {
	Name    string            // unique in the run: broker-1, proxies
	Image   string            // an image that is there
	Command []string          // arguments of the image's entry point
	Env     map[string]string // environment
	Files   map[string]string // path in the process's world → text
	Folders map[string]string // path in the process's world → folder on this machine, copied in
	Aliases []string          // names by which the others on the network find it
	Hosts   map[string]string // name → address, before any name service is asked
	Publish map[int]int       // its port → port of this machine, on 127.0.0.1
	// OwnNetwork lets it change its own network, to add addresses that are reserved, and
	// has it asked, at its port 53, for names that the network does not know.
	OwnNetwork bool
}

// Process is one program that was created. It stays the same process through
// kill and start: same names, same address, same files.
type Process interface {
	Control
	Insight
	Accounts
}

// Control acts on a process.
type Control interface {
	// Start starts a process that has not begun or has ended.
	Start(ctx context.Context) error
	// Signal sends a signal: KILL, TERM, QUIT.
	Signal(ctx context.Context, signal string) error
	// SetPaused freezes or thaws it. Doing it twice is no error.
	SetPaused(ctx context.Context, paused bool) error
	// LimitCPU gives it that many processors at most; 0 lifts the limit.
	LimitCPU(ctx context.Context, processors float64) error
}

// Insight reads a process.
type Insight interface {
	State(ctx context.Context) (State, error)
	// Logs writes what the process has printed since then, by the engine's clock, if
	// that is among its last 20,000 lines; all since it was first launched if it is zero.
	Logs(ctx context.Context, since time.Time, to io.Writer) error
	// Tail returns the last so many lines that the process has printed.
	Tail(ctx context.Context, lines int) (string, error)
	// Run runs a command beside the process and returns what it prints.
	Run(ctx context.Context, command ...string) (string, error)
}

// Accounts are what the kernel keeps of a process.
type Accounts interface {
	// Sockets returns the tables of the TCP sockets in the process's network, as
	// /proc/net/tcp and /proc/net/tcp6 have them, given its number of State.
	Sockets(ctx context.Context, pid int) (string, error)
	// Memory returns how many bytes the process holds, without pages of files that it
	// has not used lately.
	Memory(ctx context.Context) (int64, error)
}

// State is the state of a process at one moment.
type State struct {
	Running   bool // also while paused
	Paused    bool
	ExitCode  int // of the last end
	OutOfMem  bool
	Pid       int
	StartedAt time.Time
	EndedAt   time.Time
	// Processors is the limit that stands, 0 for none.
	Processors float64
	Raw        string // all that the engine knows, as JSON
}

// ErrDied means that a process ended that was expected to run.
var ErrDied = errors.New("the process ended")
