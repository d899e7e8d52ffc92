package docker

import (
	"archive/tar"
	"bytes"
	"maps"
	"slices"
)

// Context is the build context as a tar archive: the same bytes for the same
// recipe. A file that begins with #! can be executed.
func (r Recipe) Context() ([]byte, error) {
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		content := r.Files[name]
		header := tar.Header{Name: name, Size: int64(len(content)), Mode: 0o644}
		if bytes.HasPrefix(content, []byte("#!")) || bytes.HasPrefix(content, []byte("\x7fELF")) {
			header.Mode = 0o755
		}
		if err := archive.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(content); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return buffer.Bytes(), err
}
