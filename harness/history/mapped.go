package history

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// mapped writes to a file through a window of memory: that costs a tenth of a
// call of the system for each line, and loses no more if the program crashes, for
// the pages are the system's.
type mapped struct {
	file   *os.File
	window []byte
	base   int64 // of the window in the file
	used   int   // of the window
}

// A window is a multiple of every page. What is written to it at once is less: of
// larger pieces, which the system keeps as one, the first write to each page costs
// several times as much.
const (
	windowSize = 256 << 10
	pieceSize  = 64 << 10
)

var zeros [pieceSize]byte

// Write writes a line that does not fit into the window in parts.
func (m *mapped) Write(line []byte) (written int, err error) {
	for written < len(line) {
		if m.used >= len(m.window) {
			if err := m.move(); err != nil {
				return written, err
			}
		}
		n := copy(m.window[m.used:], line[written:])
		m.used += n
		written += n
	}
	return written, nil
}

// move moves the window to the end of what was written. It is filled with zeros
// first: of a disk that is full a write tells, but mapped memory kills the
// program.
func (m *mapped) move() error {
	end := m.base + int64(m.used)
	if err := m.unmap(); err != nil {
		return err
	}
	for at := end; at < end+windowSize; at += pieceSize {
		if _, err := m.file.WriteAt(zeros[:], at); err != nil {
			return err
		}
	}
	window, err := syscall.Mmap(int(m.file.Fd()), end, windowSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map %s: %w", m.file.Name(), err)
	}
	m.window, m.base, m.used = window, end, 0
	return nil
}

func (m *mapped) unmap() error {
	if m.window == nil {
		return nil
	}
	window := m.window
	m.window = nil
	if err := syscall.Munmap(window); err != nil {
		return fmt.Errorf("unmap %s: %w", m.file.Name(), err)
	}
	return nil
}

// Close cuts the zeros off.
func (m *mapped) Close() error {
	return errors.Join(m.unmap(), m.file.Truncate(m.base+int64(m.used)), m.file.Close())
}
