package reviews

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/review/drill"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// own has the player's collections: a folder of SGF files, to which people may add files by hand.
// Callers hold the mu of [Drills].
type own struct {
	dir   string
	files store.Cache[[]drill.Problem]
}

func newOwn(dir string) own {
	return own{dir: dir, files: store.Cache[[]drill.Problem]{Read: func(name string, _ fs.FileInfo) ([]drill.Problem, error) {
		data, err := file.ReadPlain(dir, name, wire.MaxSGF)
		if err != nil {
			return nil, err
		}
		roots, err := wire.ParseSGF(data)
		return drill.ReadOwn(nameOf(name), roots).Problems, err
	}}}
}

// nameOf returns the name of the collection in a file; [idOf] makes the collection's ID from this name.
func nameOf(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) }

// names reads the changed files, and returns the names of all files in alphabetical order.
func (o *own) names() []string {
	entries, _ := os.ReadDir(o.dir) // no folder: no collection
	files := map[string]fs.FileInfo{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.EqualFold(filepath.Ext(e.Name()), ".sgf") && info.Mode().IsRegular() {
			files[e.Name()] = info
		}
	}
	o.files.Refresh(files)
	return slices.Sorted(maps.Keys(files))
}

// problems returns the problems of all collections, or, if id is not empty, of that collection. A problem in
// several collections belongs to the first.
func (o *own) problems(id string) (all []drill.Problem) {
	seen := map[string]bool{}
	for _, name := range o.names() {
		list, _ := o.files.Known(name)
		for _, p := range list {
			if (id == "" || idOf(nameOf(name)) == id) && !seen[p.ID] {
				seen[p.ID] = true
				all = append(all, p)
			}
		}
	}
	return all
}

// sets lists the collections, each with the number of its problems whose last answer was right.
func (o *own) sets(attempts []drill.Attempt) []api.ProblemSet {
	last := map[string]bool{}
	for i := range attempts {
		last[attempts[i].ID] = attempts[i].Solved()
	}
	sets := []api.ProblemSet{}
	for _, name := range o.names() {
		list, _ := o.files.Known(name)
		s := api.ProblemSet{ID: idOf(nameOf(name)), Name: nameOf(name), Problems: len(list)}
		for _, p := range list {
			if last[p.ID] {
				s.Solved++
			}
		}
		sets = append(sets, s)
	}
	return sets
}

var unsafe = regexp.MustCompile(`[<>:"/\\|?*]`) // characters not allowed in file names

// keep writes the file of a new collection and returns its problems. If a file of that name has the
// same content, keep writes nothing.
func (o *own) keep(name string, data []byte) ([]drill.Problem, error) {
	base := cmp.Or(strings.Trim(unsafe.ReplaceAllString(wire.Shown(nameOf(name), 60), "_"), " ."), "problems")
	kept := base + ".sgf"
	for i := 2; ; i++ {
		there, err := file.ReadPlain(o.dir, kept, wire.MaxSGF)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err = os.MkdirAll(o.dir, 0o755); err == nil {
				err = file.WriteBytes(filepath.Join(o.dir, kept), data)
			}
			if err != nil {
				return nil, api.NotSaved(err)
			}
		case err != nil || string(there) != string(data):
			kept = fmt.Sprintf("%s (%d).sgf", base, i)
			continue
		}
		o.names()
		list, _ := o.files.Known(kept)
		return list, nil
	}
}

// Import keeps the problems in a file, queues its games for review, and counts positions without an
// answer. If there are only such positions, makeDoc makes a document of the first one.
func (rs *Reviews) Import(name string, data []byte, makeDoc func([]byte) (api.Imported, error)) (a api.Imported, err error) {
	roots, err := wire.ParseSGF(data)
	if err != nil {
		return a, err
	}
	o := drill.ReadOwn(name, roots)
	a.Problems = len(o.Problems)
	if a.Problems > 0 {
		rs.Drills.mu.Lock()
		kept, err := rs.Drills.own.keep(name, data)
		rs.Drills.mu.Unlock()
		if err != nil || len(kept) == 0 {
			return a, cmp.Or(err, api.Refuse("internal", "the problems cannot be read again"))
		}
		a.Kind, a.ID = "problem", kept[0].ID
	}
	for i, root := range o.Games {
		one := cmp.Or(name, "game.sgf")
		if len(o.Games) > 1 {
			one = fmt.Sprintf("%s, game %d", name, i+1)
		}
		id, known, e := rs.AddAs(store.NewID(), one, root, nil, false)
		if err = cmp.Or(err, e); e == nil && a.ID == "" {
			a.Kind, a.ID, a.Known = "review", id, known
		}
	}
	if a.ID == "" && len(o.Unsolved) > 0 {
		var record []byte
		if record, err = sgf.Marshal(o.Unsolved[0]); err == nil {
			a, err = makeDoc(record)
		}
	}
	if a.ID == "" {
		return a, cmp.Or(err, wire.RecordError(errors.Join(o.Errors...)))
	}
	say := func(n int, key string) {
		if n > 0 {
			a.Says = append(a.Says, api.Say{Key: key, With: map[string]string{"n": fmt.Sprint(n)}})
		}
	}
	switch say(len(o.Problems), "own_problems"); a.Kind {
	case "doc":
		say(1, "own_position")
	case "problem":
		say(len(o.Games), "own_games")
		fallthrough
	default:
		say(len(o.Unsolved), "own_unsolved")
	}
	say(o.Turned, "own_turned")
	say(len(o.Errors), "own_broken")
	return a, nil
}

// Forget removes one of the player's collections.
func (ds *Drills) Forget(v *api.ID) error {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for _, name := range ds.own.names() {
		if idOf(nameOf(name)) == v.ID {
			return os.Remove(filepath.Join(ds.own.dir, name))
		}
	}
	return api.Refuse("not_found", "no such collection")
}
