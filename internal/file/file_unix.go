//go:build unix

package file

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblocking opens a pipe without waiting for its other end.
const nonblocking = syscall.O_NONBLOCK

// mostWriters is how many may write to one name at the same time.
const mostWriters = 64

// unfinished opens the file that is to become path, empty, and locks it. The lock
// ends with the process, so that what one has left unfinished is taken by the
// next.
func unfinished(path string, perm os.FileMode) (*os.File, error) {
	for n := 0; n < mostWriters; {
		f, err := os.OpenFile(fmt.Sprintf("%s.%d.tmp", path, n), os.O_RDWR|os.O_CREATE, perm)
		if err != nil {
			return nil, err
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EWOULDBLOCK): // somebody else writes
			f.Close()
			n++
			continue
		case err == nil && !stillNamed(f): // somebody else has finished it
			f.Close()
			continue
		}
		// On file systems without locks the last writer wins.
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

// rename gives a file its name, and lets go of it then.
func rename(f *os.File, path string) error {
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return f.Close()
}
