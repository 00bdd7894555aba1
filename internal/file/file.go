// Package file reads and writes whole files as a program should that may be
// killed, told to stop, or given the name of something that is not a file.
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

// ErrKind is wrapped where a name belongs to something that is not a file: a
// folder, a device, a pipe that is to be written.
var ErrKind = errors.New("not a file")

// ErrExists is wrapped by [Try] and [WriteNew] where a file would be replaced unasked.
var ErrExists = errors.New("there is such a file already")

// Write makes a file with what write gives, or replaces one: it appears under its
// name as a whole and on the disk, or what was there stays. The next Write of
// the same name uses up what a killed process has left beside it.
func Write(path string, write func(w io.Writer) error) error {
	if path == os.DevNull {
		return write(io.Discard)
	}
	return said(path, replace(path, kept{}, write))
}

// said names the file in an error of writing it.
func said(path string, err error) error {
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, bare(err))
	}
	return nil
}

// WriteBytes is [Write] of what is known already.
func WriteBytes(path string, data []byte) error {
	return Write(path, all(data))
}

func all(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// WriteNew is [WriteBytes] of a file that is not there yet: where there is one of that
// name, also one that appeared meanwhile, the error wraps [ErrExists].
func WriteNew(path string, data []byte) error {
	return said(path, replace(path, kept{anew: true}, all(data)))
}

// WritePrivate is [WriteBytes] for this user's eyes only, whoever could read what
// it replaces; where files have no modes, the folder must see to it.
func WritePrivate(path string, data []byte) error {
	return said(path, replace(path, kept{private: true}, all(data)))
}

// bare takes the name of an unfinished file, which says nothing to anybody, out
// of an error.
func bare(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// target follows links to what a name stands for, and refuses what is not a file.
// mode is that of the file to replace, 0 if there is none.
func target(path string) (real string, mode fs.FileMode, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, 0, nil
	case err != nil:
		return "", 0, err
	case info.IsDir():
		return "", 0, fmt.Errorf("%w but a folder", ErrKind)
	case !info.Mode().IsRegular():
		return "", 0, fmt.Errorf("%w but a device or a pipe", ErrKind)
	}
	real, err = filepath.EvalSymlinks(path)
	return real, info.Mode().Perm(), err
}

// kept says how a file is written.
type kept struct{ private, anew bool }

func replace(path string, how kept, write func(w io.Writer) error) (err error) {
	path, mode, err := target(path)
	if err == nil && how.anew && mode != 0 {
		err = ErrExists
	}
	if err != nil {
		return err
	}
	perm := fs.FileMode(0o666)
	if how.private {
		perm, mode = 0o600, 0o600
	}
	f, err := unfinished(path, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // while it is locked: nobody else's yet
			f.Close()
		}
	}()
	if mode != 0 {
		if err := f.Chmod(mode); err != nil && !(how.private && errors.Is(err, fs.ErrPermission)) {
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
		// All of it is on the disk by now: the name is taken, and given to it at once.
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
	return syncFolder(filepath.Dir(path))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync() // some file systems refuse it for folders; the rename stands anyhow
	return nil
}

// ErrInput is wrapped by [Try] where the file to write is one that is read.
var ErrInput = errors.New("the same file is read")

// Same reports whether two names are of one file or folder that is there: by another
// spelling, a link, or a file system that tells no capital letters apart.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// Try reports, before the work that a file is to hold, whether [Write] could make
// it. The work reads the inputs, none of which the file may be; names of no file are left
// out. Unless over is set, a file that is there already is an error too.
func Try(path string, over bool, inputs ...string) error {
	if path == os.DevNull {
		return nil
	}
	for _, in := range inputs {
		if Same(path, in) {
			return fmt.Errorf("%s: %w as %s", path, ErrInput, in)
		}
	}
	real, mode, err := target(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, bare(err))
	case mode != 0 && !over:
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

// Read returns what a file holds, most bytes at the most. A named pipe must give
// all it has within a few seconds; devices and folders are refused.
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

// Absent is the error about a file that is not there.
type Absent string

func (a Absent) Error() string { return "no file " + string(a) }

// Is reports that the error is [fs.ErrNotExist] to errors.Is.
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
	// Opening a pipe would wait for its other end.
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_ = f.SetReadDeadline(time.Now().Add(patience)) // for pipes; files need none and refuse
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
