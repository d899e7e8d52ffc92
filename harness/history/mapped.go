package history

import (
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

// windowSize is the least size of a window, a multiple of every page's.
const windowSize = 1 << 20

func (m *mapped) Write(line []byte) (int, error) {
	if m.used+len(line) > len(m.window) {
		if err := m.move(len(line)); err != nil {
			return 0, err
		}
	}
	m.used += copy(m.window[m.used:], line)
	return len(line), nil
}

// move opens a window from the page on that is written now, with room for so much
// more. The room is filled with zeros first: of a disk that is full a write
// tells, but mapped memory kills the program.
func (m *mapped) move(room int) error {
	page := int64(os.Getpagesize())
	end := m.base + int64(m.used)
	if err := m.unmap(); err != nil {
		return err
	}
	m.base = end / page * page
	m.used = int(end - m.base)
	size := (m.used + room + windowSize) / windowSize * windowSize
	if _, err := m.file.WriteAt(make([]byte, size-m.used), end); err != nil {
		return err
	}
	window, err := syscall.Mmap(int(m.file.Fd()), m.base, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map %s: %w", m.file.Name(), err)
	}
	m.window = window
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
	if err := m.unmap(); err != nil {
		return err
	}
	if err := m.file.Truncate(m.base + int64(m.used)); err != nil {
		return err
	}
	return m.file.Close()
}
