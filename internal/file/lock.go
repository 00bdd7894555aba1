package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// ErrTaken is wrapped by the errors of [Lock] and [LockFolder] if another process has the lock.
var ErrTaken = errors.New("another process is at work there")

const LockName = "lock"

const lockBytes = 1000 // maximum size of a lock file

// Hold is an exclusive lock. It ends with Release, or with the process.
type Hold struct {
	lock *flock.Flock
	dir  string   // the locked folder if it was new or empty before, else ""
	made []string // the folders that LockFolder created, the innermost first
}

// LockFolder locks a folder, and creates it if necessary. A process that writes several related
// files locks their folder. If another process has the lock, the error wraps [ErrTaken] and names
// the folder and, if known, the process. If the folder was new or empty and nothing was written there,
// Release removes the lock file, and the folders that LockFolder created.
func LockFolder(dir string) (*Hold, error) {
	before, _ := os.ReadDir(dir)
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, os.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	h, err := hold(filepath.Join(dir, LockName), dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if len(before) == 0 {
		h.dir, h.made = dir, made
	}
	return h, nil
}

// Lock locks one file as [LockFolder] locks a folder. The lock file lies beside it, and stays there.
func Lock(path string) (*Hold, error) {
	h, err := hold(path+".lock", path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

func hold(name, what string) (*Hold, error) {
	if err := lockForm(name); err != nil {
		return nil, err
	}
	lock := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o666))
	free, err := lock.TryLock()
	switch {
	case free && removed(lock): // the owner removed the lock file after it was opened here
		lock.Close()
		return hold(name, what)
	case errors.Is(err, errors.ErrUnsupported): // the file system has no locks
	case err != nil:
		return nil, fmt.Errorf("it cannot be locked: %w", bare(err))
	case !free:
		return nil, fmt.Errorf("%w%s; wait until it ends, or name another %s", ErrTaken, holder(name), kind(what))
	default:
		note(name)
	}
	return &Hold{lock: lock}, nil
}

// removed reports whether the name of a lock no longer denotes the locked file.
func removed(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(lock.Path())
	return errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(held, named)
}

func kind(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "folder"
	}
	return "file"
}

// lockForm returns an error if a file of this name exists but is not a lock file.
func lockForm(name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return nil // no such file, or locking it will return the error
	}
	if info.Mode().IsRegular() && info.Size() <= lockBytes {
		text, err := Read(name, lockBytes)
		if _, _, form := lockText(text); form || err != nil || len(text) == 0 { // some systems prevent others from reading a locked file
			return nil
		}
	}
	return fmt.Errorf("%s is not a lock of this program; move it away, or name another folder", name)
}

// lockText parses the text that the function note writes.
func lockText(text []byte) (pid, command string, ok bool) {
	pid, command, found := strings.Cut(strings.TrimSpace(string(text)), " ")
	return pid, command, found && pid != "" && strings.Trim(pid, "0123456789") == "" && !strings.Contains(command, "\n")
}

// note writes this process's id and command into a lock file, for the function holder. Errors are
// ignored.
func note(name string) {
	text := fmt.Sprintf("%d %s\n", os.Getpid(), program(os.Args))
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if f.Truncate(0) == nil {
		_, _ = f.WriteString(text)
	}
}

// program returns the program's name and subcommands from a command line.
func program(args []string) string {
	words := []string{filepath.Base(args[0])}
	for _, word := range args[1:] {
		if strings.HasPrefix(word, "-") || strings.ContainsAny(word, `/\.`) || len(words) == 3 {
			break
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// holder describes the process that a lock file names; "" if it names none.
func holder(name string) string {
	text, err := Read(name, lockBytes)
	pid, command, ok := lockText(text)
	if err != nil || !ok {
		return ""
	}
	return fmt.Sprintf(" (%s, process %s)", command, pid)
}

// Taken reports whether a process has the lock of a folder. It writes nothing.
func Taken(dir string) bool {
	name := filepath.Join(dir, LockName)
	if _, err := os.Stat(name); err != nil {
		return false
	}
	lock := flock.New(name, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if free {
		lock.Unlock()
	}
	return err == nil && !free
}

// Release ends the lock. A nil Hold is valid.
func (h *Hold) Release() error {
	if h == nil {
		return nil
	}
	left, err := os.ReadDir(h.dir)
	unused := h.dir != "" && err == nil && len(left) == 1 && left[0].Name() == LockName
	if unused {
		_ = os.Remove(h.lock.Path()) // Windows keeps an open file
	}
	if err = h.lock.Close(); errors.Is(err, errors.ErrUnsupported) {
		err = nil // nothing was locked
	}
	for _, dir := range h.made {
		if unused {
			_ = os.Remove(dir) // fails if other files are there
		}
	}
	return err
}
