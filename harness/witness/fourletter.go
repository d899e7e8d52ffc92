package witness

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"kafkachaos/harness/state"
)

// FourLetter sends one of ZooKeeper's administrative words ("cons", "srvr",
// "mntr", …) to one server, by its address, and returns the answer.
func (z *ZooKeeper) FourLetter(ctx context.Context, server, word string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, done, err := z.dial.open(ctx, server)
	if err != nil {
		return "", fmt.Errorf("ask %s for %q: %w", nodeOf(server), word, err)
	}
	defer done()
	if _, err := io.WriteString(conn, word); err != nil {
		return "", fmt.Errorf("ask %s for %q: %w", nodeOf(server), word, err)
	}
	answer, err := io.ReadAll(conn)
	switch {
	case err != nil:
		return "", fmt.Errorf("ask %s for %q: %w", nodeOf(server), word, err)
	case len(answer) == 0:
		return "", fmt.Errorf("ask %s for %q: no answer", nodeOf(server), word)
	case strings.Contains(string(answer), "is not executed because it is not in the whitelist"):
		return "", fmt.Errorf("ask %s for %q: not in its 4lw.commands.whitelist", nodeOf(server), word)
	}
	return string(answer), nil
}

// Server reads what one server says of itself: leader, follower, standalone.
func (z *ZooKeeper) Server(ctx context.Context, server string) (state.ServerView, error) {
	answer, err := z.FourLetter(ctx, server, "srvr")
	if err != nil {
		return state.ServerView{}, err
	}
	view, err := state.ParseServer(answer)
	if err != nil {
		return state.ServerView{}, fmt.Errorf("read %s: %w", nodeOf(server), err)
	}
	view.Source = state.Source{By: nodeOf(server), At: time.Now()}
	return view, nil
}

// Connections reads the client connections of one server with their sessions.
func (z *ZooKeeper) Connections(ctx context.Context, server string) (state.Connections, error) {
	answer, err := z.FourLetter(ctx, server, "cons")
	if err != nil {
		return state.Connections{}, err
	}
	all, err := state.ParseConnections(answer)
	if err != nil {
		return state.Connections{}, fmt.Errorf("read %s: %w", nodeOf(server), err)
	}
	return state.Connections{Source: state.Source{By: nodeOf(server), At: time.Now()}, All: all}, nil
}
