package witness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-zookeeper/zk"

	"kafkachaos/harness/state"
)

// What an operation on ZooKeeper's tree may meet. For Get, Exists and the
// readings made of them an absent node is a value instead.
var (
	ErrNoNode     = errors.New("no such node")
	ErrNodeExists = errors.New("node exists already")
)

// Registration reads who owns /brokers/ids/N.
func (z *ZooKeeper) Registration(ctx context.Context, broker int) (state.Registration, error) {
	node, err := z.Get(ctx, RegistrationPath(broker))
	if err != nil {
		return state.Registration{}, fmt.Errorf("read registration of broker-%d: %w", broker, err)
	}
	return state.NewRegistration(broker, node)
}

// LiveBrokers reads which brokers are registered, in order.
func (z *ZooKeeper) LiveBrokers(ctx context.Context) ([]int, error) {
	names, err := z.Children(ctx, BrokersPath)
	if err != nil && !errors.Is(err, ErrNoNode) {
		return nil, fmt.Errorf("read the registered brokers: %w", err)
	}
	var ids []int
	for _, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil {
			return nil, fmt.Errorf("read the registered brokers: node %q is no broker id", name)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

// Controller reads which broker is the controller. The epoch is read just after
// and may be one that is newer.
func (z *ZooKeeper) Controller(ctx context.Context) (state.ControllerView, error) {
	controller, err := z.Get(ctx, ControllerPath)
	if err != nil {
		return state.ControllerView{}, fmt.Errorf("read the controller: %w", err)
	}
	epoch, err := z.Get(ctx, EpochPath)
	if err != nil {
		return state.ControllerView{}, fmt.Errorf("read the controller epoch: %w", err)
	}
	return state.NewControllerView(controller, epoch)
}

// Get reads a node with its data.
func (z *ZooKeeper) Get(ctx context.Context, path string) (state.ZNode, error) {
	return z.read(ctx, path, func(conn *zk.Conn) (found, error) {
		data, stat, err := conn.Get(path)
		if err != nil {
			return found{}, err
		}
		return found{stat, data, conn.Server()}, nil
	})
}

// Exists reads a node without its data.
func (z *ZooKeeper) Exists(ctx context.Context, path string) (state.ZNode, error) {
	return z.read(ctx, path, func(conn *zk.Conn) (found, error) {
		exists, stat, err := conn.Exists(path)
		if err == nil && !exists {
			err = zk.ErrNoNode
		}
		if err != nil {
			return found{}, err
		}
		return found{stat, nil, conn.Server()}, nil
	})
}

// found is a node as the client hands it over.
type found struct {
	stat   *zk.Stat
	data   []byte
	server string
}

func (z *ZooKeeper) read(ctx context.Context, path string, operation func(*zk.Conn) (found, error)) (state.ZNode, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	got, err := askAgain(ctx, z, operation)
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return znode(path, nil, nil, z.server()), nil
	case err != nil:
		return state.ZNode{}, fmt.Errorf("read %s in ZooKeeper: %w", path, err)
	}
	return znode(path, got.stat, got.data, got.server), nil
}

func znode(path string, stat *zk.Stat, data []byte, server string) state.ZNode {
	node := state.ZNode{Source: state.Source{By: nodeOf(server), At: time.Now()}, Path: path}
	if stat == nil {
		return node
	}
	node.Exists = true
	node.Owner = state.SessionID(stat.EphemeralOwner)
	node.Czxid, node.Mzxid, node.Version = stat.Czxid, stat.Mzxid, stat.Version
	node.Created = time.UnixMilli(stat.Ctime)
	node.Data = data
	return node
}

// Children lists the names below a node, in order; ErrNoNode if it is absent.
func (z *ZooKeeper) Children(ctx context.Context, path string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	names, err := askAgain(ctx, z, func(conn *zk.Conn) ([]string, error) {
		names, _, err := conn.Children(path)
		return names, err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s in ZooKeeper: %w", path, known(err))
	}
	slices.Sort(names)
	return names, nil
}

// Create makes a persistent node; ErrNodeExists if there is one. Like every
// write here, it may have happened although an error says that no answer came.
func (z *ZooKeeper) Create(ctx context.Context, path string, data []byte) error {
	_, err := z.create(ctx, path, data, zk.FlagPersistent)
	return err
}

// CreateSequential makes a persistent node of that name with a number behind it
// that ZooKeeper counts up, and returns its path.
func (z *ZooKeeper) CreateSequential(ctx context.Context, path string, data []byte) (string, error) {
	return z.create(ctx, path, data, zk.FlagSequence)
}

func (z *ZooKeeper) create(ctx context.Context, path string, data []byte, flags int32) (string, error) {
	return z.write(ctx, "create", path, func(conn *zk.Conn) (string, error) {
		return conn.Create(path, data, flags, zk.WorldACL(zk.PermAll))
	})
}

// Set replaces the data of a node, whatever its version; ErrNoNode if absent.
func (z *ZooKeeper) Set(ctx context.Context, path string, data []byte) error {
	_, err := z.write(ctx, "set", path, func(conn *zk.Conn) (string, error) {
		_, err := conn.Set(path, data, anyVersion)
		return "", err
	})
	return err
}

// Delete removes a node, whatever its version; ErrNoNode if absent.
func (z *ZooKeeper) Delete(ctx context.Context, path string) error {
	_, err := z.write(ctx, "delete", path, func(conn *zk.Conn) (string, error) {
		return "", conn.Delete(path, anyVersion)
	})
	return err
}

const anyVersion = -1

func (z *ZooKeeper) write(ctx context.Context, verb, path string, operation func(*zk.Conn) (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	created, err := ask(ctx, z, operation)
	if err != nil {
		return "", fmt.Errorf("%s %s in ZooKeeper: %w", verb, path, known(err))
	}
	return created, nil
}

// known turns the client's errors that callers ask for into our own.
func known(err error) error {
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return ErrNoNode
	case errors.Is(err, zk.ErrNodeExists):
		return ErrNodeExists
	}
	return err
}
