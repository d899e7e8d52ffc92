package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

// DecodeWorker fills in what a member of a Connect group does, from the
// metadata that it joined with and what its leader gave it then. Both are empty
// while the group rebalances.
//
// An eager leader gives each worker all that it shall do. An incremental one
// gives only what is new and what shall go; the rest a worker holds from before
// and says so when it joins (WorkerCoordinator.onJoinComplete).
func (m *Member) DecodeWorker(metadata, assignment []byte) error {
	var held Assignment
	if len(metadata) > 0 {
		var err error
		if m.URL, held, err = decodeMetadata(metadata); err != nil {
			return err
		}
	}
	if len(assignment) > 0 {
		var err error
		if m.Assignment, err = DecodeAssignment(assignment); err != nil {
			return err
		}
	}
	given := m.Assignment
	m.Connectors = merge(held.Connectors, given.RevokedConnectors, given.Connectors)
	m.Tasks = merge(held.Tasks, given.RevokedTasks, given.Tasks)
	return nil
}

func merge[T comparable](held, revoked, given []T) []T {
	var all []T
	for _, one := range held {
		if !slices.Contains(revoked, one) {
			all = append(all, one)
		}
	}
	for _, one := range given {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// decodeMetadata reads the address of a worker and what it held when it joined
// (ConnectProtocol.WorkerState, and
// IncrementalCooperativeConnectProtocol.ExtendedWorkerState).
func decodeMetadata(metadata []byte) (url string, held Assignment, err error) {
	r := wire{rest: metadata}
	version := r.int16()
	url = r.string()
	r.int64() // how far it had read the configuration topic
	var allocation []byte
	if version >= 1 {
		allocation = r.bytes()
	}
	err = r.end()
	if err == nil && len(allocation) > 0 {
		held, err = DecodeAssignment(allocation)
	}
	if err != nil {
		return "", Assignment{}, fmt.Errorf("decode metadata of a worker, version %d: %w", version, err)
	}
	return url, held, nil
}

// DecodeAssignment reads what the leader of a Connect group gave to a worker.
// (ConnectProtocol.Assignment, and
// IncrementalCooperativeConnectProtocol.ExtendedAssignment; a task's number has
// 32 bits there.)
func DecodeAssignment(data []byte) (Assignment, error) {
	r := wire{rest: data}
	a := Assignment{Version: int(r.int16())}
	a.Failed = r.int16() != 0
	a.Leader, a.LeaderURL = r.string(), r.string()
	a.ConfigOffset = r.int64()
	a.Connectors, a.Tasks = r.work()
	if a.Version >= 1 {
		a.RevokedConnectors, a.RevokedTasks = r.work()
		a.Delay = time.Duration(r.int32()) * time.Millisecond
	}
	if err := r.end(); err != nil {
		return Assignment{}, fmt.Errorf("decode assignment of a worker, version %d: %w", a.Version, err)
	}
	return a, nil
}

// wire reads Kafka's primitive types off a message. After the first thing that
// is not there, everything is zero.
type wire struct {
	rest []byte
	err  error
}

func (w *wire) take(size int) []byte {
	if w.err == nil && (size < 0 || size > len(w.rest)) {
		w.err = fmt.Errorf("it ends %d bytes early", size-len(w.rest))
	}
	if w.err != nil {
		return nil
	}
	taken := w.rest[:size]
	w.rest = w.rest[size:]
	return taken
}

func (w *wire) int16() int16 {
	if b := w.take(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (w *wire) int32() int32 {
	if b := w.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (w *wire) int64() int64 {
	if b := w.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (w *wire) string() string { return string(w.take(int(w.int16()))) }

func (w *wire) bytes() []byte { return w.take(max(0, int(w.int32()))) }

// work reads connectors with their numbers; -1 stands for the connector itself.
func (w *wire) work() (connectors []string, tasks []TaskID) {
	for range w.int32() { // none if the array is null, -1
		connector := w.string()
		for range w.int32() {
			switch number := w.int32(); {
			case w.err != nil:
				return nil, nil
			case number < 0:
				connectors = append(connectors, connector)
			default:
				tasks = append(tasks, TaskID{connector, int(number)})
			}
		}
		if w.err != nil {
			return nil, nil
		}
	}
	return connectors, tasks
}

func (w *wire) end() error {
	if w.err == nil && len(w.rest) > 0 {
		return errors.New("bytes are left over")
	}
	return w.err
}

// EncodeWorker writes the metadata that a worker joins its group with, in a
// version of Connect's protocol: one at that address that has read nothing of
// the configuration topic and holds no work.
func EncodeWorker(version int16, url string) []byte {
	metadata := binary.BigEndian.AppendUint16(nil, uint16(version))
	metadata = binary.BigEndian.AppendUint16(metadata, uint16(len(url)))
	metadata = append(metadata, url...)
	metadata = binary.BigEndian.AppendUint64(metadata, 1<<64-1) // -1, ClusterConfigState.NO_OFFSET: a leader must not be behind
	if version >= 1 {
		metadata = binary.BigEndian.AppendUint32(metadata, 1<<32-1) // no bytes at all
	}
	return metadata
}
