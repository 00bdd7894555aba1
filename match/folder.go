package match

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FolderFor returns the default folder of a match: the first of base, base-2, base-3 and so
// on that does not exist, or that holds this match with games left to play and no process
// playing it. Errors wrap ErrConfig or come from the file system.
func FolderFor(c Config, base string) (dir string, err error) {
	p, err := newPlan(c)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		dir = base
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", base, n)
		}
		switch _, err := os.Lstat(dir); {
		case errors.Is(err, fs.ErrNotExist):
			return dir, nil
		case err != nil:
			return "", err
		}
		if p.Journal == "" && p.stoppedIn(dir) {
			return dir, nil
		}
	}
}

// stoppedIn reports whether a folder holds the journal of this match, with games left to play.
func (p *plan) stoppedIn(dir string) bool {
	name := filepath.Join(dir, JournalName)
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	j, results, err := openJournal(name, p.identity())
	if err != nil {
		return false
	}
	j.close()
	left := false
	for i := range p.Games {
		r, played := results[i]
		left = left || !played || r.Stillborn != ""
	}
	return left && !decided(p.summarize(results))
}
