// Package file reads and writes whole files. A written file stays whole if the program is
// killed, and names of folders, devices and pipes get a clear error.
package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// ErrKind is wrapped by errors about names that denote a folder, a device or, for writing, a
// pipe.
var ErrKind = errors.New("not a file")

// ErrExists is wrapped by the errors of [Try] and [WriteNew] about a file that exists.
var ErrExists = errors.New("the file exists already")

// Write creates or replaces a file with the output of write. The file appears under its name
// whole and synced, or the old one stays. The next Write of the same name reuses the temporary
// file of a killed process.
func Write(path string, write func(w io.Writer) error) error {
	if path == os.DevNull {
		return write(io.Discard)
	}
	return said(path, replace(path, kept{}, write))
}

func said(path string, err error) error {
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, bare(err))
	}
	return nil
}

// WriteBytes is [Write] of a byte slice.
func WriteBytes(path string, data []byte) error {
	return Write(path, all(data))
}

func all(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// WriteNew is [WriteBytes] of a new file. If a file of that name exists, or appears meanwhile, the
// error wraps [ErrExists].
func WriteNew(path string, data []byte) error {
	return said(path, replace(path, kept{anew: true}, all(data)))
}

// WritePrivate is [WriteBytes] with mode 0600, whatever the mode of the old file. On systems without
// modes the folder's permissions apply.
func WritePrivate(path string, data []byte) error {
	return said(path, replace(path, kept{private: true}, all(data)))
}

// bare removes the file's name from an error, since that may be the name of a temporary file.
func bare(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// target resolves links and refuses anything but a regular file. old describes the file to replace, nil if
// there is none.
func target(path string) (real string, old fs.FileInfo, err error) {
	old, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil, nil
	case err != nil:
		return "", nil, err
	case !old.Mode().IsRegular():
		return "", nil, fmt.Errorf("%w but %s", ErrKind, kindOf(old.Mode()))
	}
	real, err = filepath.EvalSymlinks(path)
	return real, old, err
}

// mostWriters is the maximum number of concurrent writers of one name.
const mostWriters = 64

// kept holds the options of replace.
type kept struct{ private, anew bool }

func replace(path string, how kept, write func(w io.Writer) error) (err error) {
	path, old, err := target(path)
	if err == nil && how.anew && old != nil {
		err = ErrExists
	}
	if err != nil {
		return err
	}
	perm := fs.FileMode(0o666)
	if how.private {
		perm = 0o600
	} else if old != nil {
		perm = old.Mode().Perm()
	}
	f, err := unfinished(path, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // must come before the lock is released
			f.Close()
		}
	}()
	if how.private || old != nil {
		if err := f.Chmod(perm); err != nil && !(how.private && errors.Is(err, fs.ErrPermission)) {
			return err
		}
	}
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if how.anew {
		// The data is on the disk: reserve the name, and rename at once.
		name, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, perm)
		switch {
		case errors.Is(err, fs.ErrExist):
			return ErrExists
		case err != nil:
			return err
		}
		name.Close()
	}
	if err := rename(f, path); err != nil {
		if how.anew {
			os.Remove(path)
		}
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFolder syncs the names in a folder to the disk, if the file system can.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync() // some file systems refuse it for folders
	return nil
}

// ErrInput is wrapped by the error of [Try] about an output file that is also an input.
var ErrInput = errors.New("the same file is read")

// Same reports whether two names denote one existing file or folder, even if they are spelt
// differently or one is a link.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// Try returns the error that [Write] of a file would have, before the work is done. The file must
// not be one of the inputs, and may exist only if over is true. Missing inputs are ignored.
func Try(path string, over bool, inputs ...string) error {
	if path == os.DevNull {
		return nil
	}
	for _, in := range inputs {
		if Same(path, in) {
			return fmt.Errorf("%s: %w as %s", path, ErrInput, in)
		}
	}
	real, old, err := target(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, bare(err))
	case old != nil && !over:
		return fmt.Errorf("%s: %w", path, ErrExists)
	}
	f, err := unfinished(real, 0o666)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, bare(err))
	}
	os.Remove(f.Name())
	return f.Close()
}

// patience is how long Read waits for a pipe.
const patience = 5 * time.Second

// Read returns the content of a file, or an error if it has more than most bytes. A named pipe must
// end within a few seconds. Folders and devices are refused, except the null device.
func Read(path string, most int64) ([]byte, error) {
	data, err := read(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Absent(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	return data, nil
}

type Absent string

func (a Absent) Error() string { return "no file " + string(a) }

// Is makes errors.Is report that the error is [fs.ErrNotExist].
func (a Absent) Is(target error) bool { return target == fs.ErrNotExist }

func read(path string, most int64) ([]byte, error) {
	if path == os.DevNull {
		return nil, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%w but a folder", ErrKind)
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeNamedPipe == 0:
		return nil, fmt.Errorf("%w but a device", ErrKind)
	case info.Size() > most:
		return nil, tooLong(most)
	}
	// Without nonblocking, opening a pipe would wait for its other end.
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(patience)) // for pipes; regular files refuse a deadline and need none
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, fmt.Errorf("a pipe that did not end within %v", patience)
	case err == nil && int64(len(data)) > most:
		return nil, tooLong(most)
	}
	return data, err
}

func tooLong(most int64) error { return fmt.Errorf("more than the %d bytes that are accepted", most) }
