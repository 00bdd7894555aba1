package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"kosumi/internal/file"
)

// Claim is a worker's folder, which is locked and holds the worker's permanent key. Workers on one
// machine share a parent folder, in which each has a numbered folder.
type Claim struct {
	Dir  string
	Key  Key
	hold *file.Hold
}

// ClaimFolder locks the first free numbered folder in dir. note is called with each repair
// of the key.
func ClaimFolder(dir string, note func(text string)) (*Claim, error) {
	for n := range 1024 {
		at := filepath.Join(dir, fmt.Sprint(n))
		if err := os.MkdirAll(at, 0o700); err != nil {
			return nil, err
		}
		hold, err := file.LockFolder(at)
		if errors.Is(err, file.ErrTaken) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c := &Claim{Dir: at, hold: hold}
		if c.Key, err = KeyIn(at, note); err != nil {
			return nil, errors.Join(err, hold.Release())
		}
		return c, nil
	}
	return nil, fmt.Errorf("%s: 1024 workers are at work there", dir)
}

// Close unlocks the folder.
func (c *Claim) Close() error { return c.hold.Release() }
