// Package player answers what a page asks about its player, and remembers what the page
// would forget: lessons that are done, the problems of each day.
package player

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"kosumi/internal/file"
	"kosumi/web/api"
)

// profileFile is the file's name in the folder; mostBytes bounds it, a real one has some
// kilobytes.
const (
	profileFile = "profile.json"
	mostBytes   = 4 << 20
)

// daysKept is how many days of problems are remembered.
const daysKept = 1000

// Profile is the file of what is remembered. Every change is on the disk when its method
// returns. Make one with [Open].
type Profile struct {
	dir string

	mu     sync.Mutex
	now    state
	warn   string // what became of a damaged file
	unread error  // the file is there and cannot be read: it is not overwritten
}

type state struct {
	Version int                 `json:"version"`
	Lessons []string            `json:"lessons,omitempty"`
	Days    map[string][]string `json:"days,omitempty"` // IDs of problems by date
}

const version = 1

// Open reads the profile of a folder. A damaged one is kept under another name, and an
// empty one begun; one that cannot be read stays as it is, and no change is taken.
func Open(dir string) *Profile {
	p := &Profile{dir: dir, now: state{Version: version}}
	data, err := file.ReadPlain(dir, profileFile, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return p
	}
	if err != nil {
		p.unread = err
		p.warn = fmt.Sprintf("%s cannot be read: %v", p.path(), err)
		return p
	}
	var s state
	if err := json.Unmarshal(data, &s); err != nil || s.Version != version {
		p.setAside(err, s.Version)
		return p
	}
	p.now = s
	return p
}

func (p *Profile) path() string { return filepath.Join(p.dir, profileFile) }

// setAside keeps a damaged file under a name that is free.
func (p *Profile) setAside(why error, has int) {
	if why == nil {
		why = fmt.Errorf("it is of version %d, this program reads %d", has, version)
	}
	aside, err := file.SetAside(p.path())
	if p.unread = err; err != nil {
		aside = p.path()
	}
	p.warn = fmt.Sprintf("%s was damaged (%v). It is kept as %s; a new one has been begun.", p.path(), why, filepath.Base(aside))
}

// change makes a change and writes it; the state is as it was where that fails. The
// caller holds mu.
func (p *Profile) change(f func(*state)) error {
	if p.unread != nil {
		return api.NotSaved(p.unread)
	}
	next := p.now
	next.Lessons, next.Days = slices.Clone(p.now.Lessons), maps.Clone(p.now.Days)
	f(&next)
	data, err := json.Marshal(next)
	if err == nil {
		err = file.WritePrivate(p.path(), append(data, '\n'))
	}
	if err != nil {
		return api.NotSaved(err)
	}
	p.now = next
	return nil
}

// State is what the page is told, without names and day.
func (p *Profile) State() api.Profile {
	p.mu.Lock()
	defer p.mu.Unlock()
	return api.Profile{Lessons: append([]string{}, p.now.Lessons...), Warn: p.warn}
}

// LessonDone notes that a lesson is done.
func (p *Profile) LessonDone(id string) error {
	if id == "" || len(id) > 40 {
		return api.Refuse("bad_request", "no such lesson")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.now.Lessons, id) || len(p.now.Lessons) >= 100 {
		return nil
	}
	return p.change(func(s *state) { s.Lessons = append(s.Lessons, id) })
}

// Days returns the problems of all days, by date.
func (p *Profile) Days() map[string][]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.now.Days)
}

// KeepDay notes the problems of a day. The oldest days are forgotten.
func (p *Profile) KeepDay(date string, problems []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(p.now.Days[date], problems) {
		return nil
	}
	return p.change(func(s *state) {
		if s.Days == nil {
			s.Days = map[string][]string{}
		}
		s.Days[date] = problems
		dates := slices.Sorted(maps.Keys(s.Days))
		for _, old := range dates[:max(0, len(dates)-daysKept)] {
			delete(s.Days, old)
		}
	})
}
