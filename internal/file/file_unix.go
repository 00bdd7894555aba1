//go:build unix

package file

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblocking is a flag to open a pipe without waiting for its other end.
const nonblocking = syscall.O_NONBLOCK

// unfinished opens and locks an empty temporary file for path. The lock ends with the process, so
// that the next writer reuses the file of a killed one.
func unfinished(path string, perm os.FileMode) (*os.File, error) {
	for n := 0; n < mostWriters; {
		f, err := os.OpenFile(fmt.Sprintf("%s.%d.tmp", path, n), os.O_RDWR|os.O_CREATE, perm)
		if err != nil {
			return nil, err
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EWOULDBLOCK): // another writer holds the lock
			f.Close()
			n++
			continue
		case err == nil && !stillNamed(f): // another writer has renamed the file
			f.Close()
			continue
		}
		// Other errors are ignored: on file systems without locks the last writer wins.
		if err := f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	}
	return nil, fmt.Errorf("%d others write to it", mostWriters)
}

func stillNamed(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(open, named)
}

// rename renames an open file and closes it.
func rename(f *os.File, path string) error {
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return f.Close()
}
