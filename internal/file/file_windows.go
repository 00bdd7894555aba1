package file

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// nonblocking is a flag to open a pipe without waiting for its other end.
const nonblocking = syscall.O_NONBLOCK

// unfinished opens an empty temporary file for path, for this process alone. The next writer reuses
// the file of a killed one.
func unfinished(path string, perm os.FileMode) (*os.File, error) {
	for n := range mostWriters {
		name := fmt.Sprintf("%s.%d.tmp", path, n)
		wide, err := windows.UTF16PtrFromString(name)
		if err != nil {
			return nil, err
		}
		h, err := windows.CreateFile(wide, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.CREATE_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
		if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return os.NewFile(uintptr(h), name), nil
	}
	return nil, fmt.Errorf("%d others write to it", mostWriters)
}

// rename closes a file and renames it.
func rename(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
