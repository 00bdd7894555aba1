package file

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

const maxSecret = 64 << 10

// Secret returns a token, a key or a certificate from a file of mode 0600, without surrounding
// white space. If the file is missing or empty, the function fresh makes its content; the file is
// synced, and a new folder gets mode 0700. Other modes are changed to 0600. note, if not nil, gets
// a line about each repair.
//
// If fresh is nil, nothing is repaired: the file must not be missing or empty, and note gets a
// line if others can read it.
func Secret(path string, fresh func() ([]byte, error), note func(text string)) ([]byte, error) {
	if note == nil {
		note = func(string) {}
	}
	data, err := Read(path, maxSecret)
	data = bytes.TrimSpace(data)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && (!missing || fresh == nil):
		return nil, err
	case len(data) == 0 && fresh == nil:
		return nil, fmt.Errorf("%s is empty", path)
	case len(data) > 0:
		return data, private(path, fresh != nil, note)
	}
	if data, err = fresh(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := WritePrivate(path, append(bytes.TrimSpace(data), '\n')); err != nil {
		return nil, err
	}
	if !missing {
		note(path + " was empty; a new one is made")
	}
	return bytes.TrimSpace(data), nil
}

// Exposed calls note with a line if others can read a file.
func Exposed(path string, note func(text string)) error { return private(path, false, note) }

// private makes a file readable by its owner alone. Without mend it only calls note if others can
// read the file.
func private(path string, mend bool, note func(text string)) error {
	if runtime.GOOS == "windows" { // the folder's permissions apply there
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	mode := info.Mode().Perm()
	switch {
	case mode&0o077 == 0 || !info.Mode().IsRegular():
		return nil
	case !mend:
		note(fmt.Sprintf("%s can be read by others (mode %04o); chmod 600 it", path, mode))
		return nil
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("%s can be read by others (mode %04o); chmod 600 it, or remove it for a new one: %w", path, mode, bare(err))
	}
	note(fmt.Sprintf("%s could be read by others (mode %04o) and is its owner's alone now; remove it for a new one if somebody may have read it", path, mode))
	return nil
}
