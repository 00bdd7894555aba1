package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"kosumi/internal/file"
	"kosumi/web/api"
)

// profileFile is the profile's name in the folder; mostBytes bounds its size. A real profile has
// kilobytes.
const (
	profileFile = "profile.json"
	mostBytes   = 4 << 20
)

// Bounds of a profile.
const (
	mostNames   = 20
	mostOthers  = 2000
	mostName    = 100 // bytes
	mostLessons = 100
	daysKept    = 1000
)

// Profile is the file of the player's names, lessons and days. Every change is on the disk when the
// method that makes it returns. Make one with [OpenProfile].
type Profile struct {
	dir string

	mu     sync.Mutex
	now    state
	warn   error // an api.Error about a damaged file and its copy
	unread error // the file exists and cannot be read: it is not overwritten
}

type state struct {
	Version int                 `json:"version"`
	Persons []string            `json:"persons,omitempty"` // random names by which a backup is recognised as the player's, see Persons
	Names   []string            `json:"names,omitempty"`
	Others  []string            `json:"others,omitempty"` // names that are not the player's
	Sides   map[string]string   `json:"sides,omitempty"`  // by review, see SaySide
	Lessons []string            `json:"lessons,omitempty"`
	Days    map[string][]string `json:"days,omitempty"` // IDs of problems by date
}

const version = 1

// OpenProfile reads the profile of a folder. A damaged one is renamed and replaced by an empty
// one. One that cannot be read stays as it is, and changes are refused.
func OpenProfile(dir string) *Profile {
	p := &Profile{dir: dir, now: state{Version: version}}
	data, err := file.ReadPlain(dir, profileFile, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return p
	}
	if err != nil {
		p.unread = err
		p.warn = api.Tell("internal", "profile_unread", "file", p.path(), "why", err)
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

// setAside renames a damaged file.
func (p *Profile) setAside(why error, has int) {
	if why == nil {
		why = fmt.Errorf("its version is %d, this program reads %d", has, version)
	}
	aside, err := file.SetAside(p.path())
	if p.unread = err; err != nil {
		aside = p.path()
	}
	p.warn = api.Tell("internal", "profile", "file", p.path(), "why", why, "aside", filepath.Base(aside))
}

func (s state) clone() state {
	s.Persons, s.Names, s.Others, s.Lessons, s.Sides, s.Days = slices.Clone(s.Persons), slices.Clone(s.Names), slices.Clone(s.Others), slices.Clone(s.Lessons), maps.Clone(s.Sides), maps.Clone(s.Days)
	return s
}

// change makes a change and writes it. If writing fails, the state is as it was. The caller holds
// mu.
func (p *Profile) change(f func(*state)) error {
	if p.unread != nil {
		return api.NotSaved(p.unread)
	}
	next := p.now.clone()
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

// State returns the profile for pages, with an empty Day.
func (p *Profile) State() api.Profile {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := api.Profile{Names: append([]string{}, p.now.Names...), Lessons: append([]string{}, p.now.Lessons...)}
	s.Warned(p.warn)
	return s
}

// cleaned returns names without outer spaces, each once.
func cleaned(names []string) ([]string, error) {
	var kept []string
	for _, n := range names {
		if n = strings.TrimSpace(n); n != "" && !named(kept, n) {
			kept = append(kept, n)
		}
		if len(n) > mostName {
			return nil, api.Tell("bad_request", "name_long", "n", mostName)
		}
	}
	if len(kept) > mostNames {
		return nil, api.Tell("bad_request", "names_many", "n", mostNames)
	}
	return kept, nil
}

// Say stores names that are the player's, and names that are not. The last statement about a name
// counts. Of the names that are not the player's, only the last mostOthers are kept.
func (p *Profile) Say(mine, others []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	names, err := cleaned(append(slices.DeleteFunc(slices.Clone(p.now.Names), func(n string) bool { return named(others, n) }), mine...))
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(p.now.Others), func(n string) bool { return named(mine, n) })
	for _, n := range others {
		if n = strings.TrimSpace(n); n != "" && len(n) <= mostName && !named(kept, n) && !named(mine, n) {
			kept = append(kept, n)
		}
	}
	return p.change(func(s *state) { s.Names, s.Others = names, kept[max(0, len(kept)-mostOthers):] })
}

// SaySide stores the player's side in a reviewed game: b, w or none. The stored side overrides the
// names in the record.
func (p *Profile) SaySide(review, side string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.now.clone()
	if !next.keepSide(review, side) {
		return api.Refuse("bad_request", "no such side of a review, or too many")
	}
	return p.change(func(s *state) { s.Sides = next.Sides })
}

func (s *state) keepSide(review, side string) bool {
	if !ValidID(review) || !slices.Contains([]string{"b", "w", "none"}, side) || len(s.Sides) >= mostOthers && s.Sides[review] == "" {
		return false
	}
	if s.Sides == nil {
		s.Sides = map[string]string{}
	}
	s.Sides[review] = side
	return true
}

// Side returns the side that SaySide stored for a review, "" for none.
func (p *Profile) Side(review string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now.Sides[review]
}

// Persons returns the random names by which a backup is recognised as the player's, including those
// of restored backups. If there are none and new is true, Persons makes one.
func (p *Profile) Persons(new bool) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if new && len(p.now.Persons) == 0 {
		err = p.change(func(s *state) { s.Persons = []string{NewID()} })
	}
	return slices.Clone(p.now.Persons), err
}

// counting counts the problems of a day that are answered.
type counting = func(date string, problems []string) int

// Saved describes the profile in a backup. here counts the answers before a restore, answered returns what
// counts those after it.
func (p *Profile) Saved(here counting, answered func() counting) Saved {
	return Saved{Kind: "rest", Ext: profileFile, Most: mostBytes,
		Path: func(string) string { return p.path() },
		Merge: func(e Entry, do bool) (fresh, all int, err error) {
			var o state
			if err := json.Unmarshal(e.Data, &o); err != nil || o.Version != version {
				return 0, 1, errors.New("not a profile")
			}
			count := answered()
			p.mu.Lock()
			defer p.mu.Unlock()
			merge := func(s *state) { s.merge(&o, here, count) }
			next := p.now.clone()
			if merge(&next); reflect.DeepEqual(next, p.now.clone()) {
				return 0, 1, nil
			}
			if do {
				err = p.change(merge)
			}
			return 1, 1, err
		}}
}

// merge adds the names, lessons, sides and days of o, unless s contradicts them. If both have problems
// for a day, s takes those of o if more of them are answered now than of its own were here before.
func (s *state) merge(o *state, here, answered counting) {
	add := func(to, from []string, most int, not ...string) []string {
		for _, x := range from {
			if len(to) < most && x != "" && len(x) <= mostName && !named(to, x) && !named(not, x) {
				to = append(to, x)
			}
		}
		return to
	}
	s.Persons = add(s.Persons, o.Persons, mostNames)
	s.Names = add(s.Names, o.Names, mostNames, s.Others...)
	s.Others = add(s.Others, o.Others, mostOthers, s.Names...)
	s.Lessons = add(s.Lessons, o.Lessons, mostLessons)
	for review, side := range o.Sides {
		if s.Sides[review] == "" {
			s.keepSide(review, side)
		}
	}
	for date, problems := range o.Days {
		own, known := s.Days[date]
		if _, err := time.Parse(time.DateOnly, date); err == nil && len(problems) <= mostNames && (!known || answered(date, problems) > here(date, own)) {
			s.keepDay(date, problems)
		}
	}
}

// named reports whether a name is among names, ignoring case and outer spaces.
func named(names []string, name string) bool {
	name = strings.TrimSpace(name)
	return name != "" && slices.ContainsFunc(names, func(k string) bool { return strings.EqualFold(strings.TrimSpace(k), name) })
}

// Mine reports whether a name in a record is the player's.
func (p *Profile) Mine(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return named(p.now.Names, name)
}

// Whose reports whether a name in a record is known to be the player's, and whether it is known to
// be another player's. In records of this server's own games the player is "You", the engine "Kosumi".
func (p *Profile) Whose(name string) (mine, other bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	mine = named(p.now.Names, name) || named([]string{"You"}, name)
	return mine, !mine && (named(p.now.Others, name) || named([]string{"Kosumi"}, name))
}

// LessonDone records that a lesson is done.
func (p *Profile) LessonDone(id string) error {
	if id == "" || len(id) > 40 {
		return api.Refuse("bad_request", "no such lesson")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.now.Lessons, id) || len(p.now.Lessons) >= mostLessons {
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

// KeepDay stores the problems of a day. Only the last daysKept days are kept.
func (p *Profile) KeepDay(date string, problems []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(p.now.Days[date], problems) {
		return nil
	}
	return p.change(func(s *state) { s.keepDay(date, problems) })
}

func (s *state) keepDay(date string, problems []string) {
	if s.Days == nil {
		s.Days = map[string][]string{}
	}
	s.Days[date] = problems
	dates := slices.Sorted(maps.Keys(s.Days))
	for _, old := range dates[:max(0, len(dates)-daysKept)] {
		delete(s.Days, old)
	}
}
