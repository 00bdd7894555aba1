package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// Claim is a worker's folder with its lasting identity. Workers on one machine
// share a folder: each has a numbered one in it to itself.
type Claim struct {
	Dir  string
	ID   string
	lock *flock.Flock
}

// ClaimFolder takes the first free place in a folder.
func ClaimFolder(dir string) (*Claim, error) {
	for n := range 1024 {
		at := filepath.Join(dir, fmt.Sprint(n))
		if err := os.MkdirAll(at, 0o755); err != nil {
			return nil, err
		}
		lock := flock.New(filepath.Join(at, "lock"))
		if free, err := lock.TryLock(); err != nil {
			return nil, err
		} else if !free {
			continue
		}
		c := &Claim{Dir: at, lock: lock}
		path := filepath.Join(at, "id")
		data, err := os.ReadFile(path)
		if c.ID = strings.TrimSpace(string(data)); err != nil || !inboxName.MatchString(c.ID) {
			c.ID = NewID()
			if err := writeSecret(path, []byte(c.ID+"\n")); err != nil {
				lock.Close()
				return nil, err
			}
		}
		return c, nil
	}
	return nil, fmt.Errorf("%s: 1024 workers are at work there", dir)
}

// Close lets go of the folder.
func (c *Claim) Close() error { return c.lock.Close() }
