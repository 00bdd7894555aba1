package file

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ReadPlain returns the content of a file in a folder; most is the largest size accepted, in bytes. Unlike
// [Read], it refuses links, pipes and devices, so that it reads nothing outside the folder.
func ReadPlain(dir, name string, most int64) ([]byte, error) {
	data, err := readPlain(dir, name, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), bare(err))
	}
	return data, nil
}

func readPlain(dir, name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	there, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !there.Mode().IsRegular():
		return nil, fmt.Errorf("%w but %s", ErrKind, kindOf(there.Mode()))
	case there.Size() > most:
		return nil, tooLong(most)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !os.SameFile(there, info) {
		return nil, fmt.Errorf("%w any more: it was replaced while it was read", ErrKind)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, tooLong(most)
	}
	return data, err
}

func kindOf(m os.FileMode) string {
	switch {
	case m&os.ModeSymlink != 0:
		return "a link"
	case m.IsDir():
		return "a folder"
	}
	return "a device or a pipe"
}
