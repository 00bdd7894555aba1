package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Claim is a worker's folder with its lasting key. Workers on one machine
// share a folder: each has a numbered one in it to itself.
type Claim struct {
	Dir  string
	Key  Key
	lock *flock.Flock
}

// ClaimFolder takes the first free place in a folder. note is told what was mended
// about the key there.
func ClaimFolder(dir string, note func(text string)) (*Claim, error) {
	for n := range 1024 {
		at := filepath.Join(dir, fmt.Sprint(n))
		if err := os.MkdirAll(at, 0o700); err != nil {
			return nil, err
		}
		lock := flock.New(filepath.Join(at, "lock"))
		free, err := lock.TryLock()
		if err != nil {
			return nil, err
		}
		if !free {
			continue
		}
		c := &Claim{Dir: at, lock: lock}
		if c.Key, err = KeyIn(at, note); err != nil {
			lock.Close()
			return nil, err
		}
		return c, nil
	}
	return nil, fmt.Errorf("%s: 1024 workers are at work there", dir)
}

// Close lets go of the folder.
func (c *Claim) Close() error { return c.lock.Close() }
