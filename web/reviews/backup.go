package reviews

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// mostOf limits each file of reviews, problems or answers in a backup, in bytes; a review of 1,000 moves has 6 MB.
const mostOf = 64 << 20

// Saved describes reviews, problems and answers in a backup. A review is a record with its result
// beside it; a queued game has no result, but its name and notes.
func (rs *Reviews) Saved() []store.Saved {
	ds := rs.Drills
	set := ds.folder.Path(review.DrillsName, ".json")
	in := func(path string) func(string) string { return func(string) string { return path } }
	return []store.Saved{
		{Kind: "reviews", Dir: "reviews/", Ext: ".sgf", Most: mostOf, IDs: rs.ids, Path: rs.path(".sgf"), Merge: rs.merge},
		{Dir: "reviews/", Ext: ".json", Most: mostOf, IDs: rs.ids, Path: rs.path(".json")},
		{Dir: "reviews/", Ext: ".txt", Most: mostAbout, IDs: rs.ids, Path: rs.path(".txt")},
		{Kind: "problems", Dir: "collections/", Named: true, Most: wire.MaxSGF, IDs: ds.ownNames, Merge: ds.mergeOwn,
			Path: func(name string) string { return filepath.Join(ds.own.dir, name) }},
		{Kind: "problems", Ext: "drills.json", Most: mostOf, Path: in(set), Merge: ds.mergeSet},
		{Kind: "answers", Ext: "drills-answers.jsonl", Most: mostOf, Path: in(drill.AnswersFile(set)), Merge: ds.mergeAnswers},
	}
}

func (rs *Reviews) ids() ([]string, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	err := rs.archive.refresh()
	ids := slices.AppendSeq(slices.Collect(maps.Keys(rs.archive.byID)), maps.Keys(rs.jobs))
	slices.Sort(ids)
	return slices.Compact(ids), err
}

func (rs *Reviews) path(ext string) func(id string) string {
	return func(id string) string {
		rs.mu.Lock()
		defer rs.mu.Unlock()
		if name := rs.archive.byID[id]; name != "" {
			return rs.archive.folder.Path(name, ext)
		}
		return rs.record(id, ext)
	}
}

// merge restores a review if this server has none of the game, or if the review is complete and the one
// here is not. A record without a result is queued.
func (rs *Reviews) merge(e store.Entry, do bool) (fresh, all int, err error) {
	g, root, err := rs.loadRecord(e.Data)
	if err != nil {
		return 0, 1, errors.New("not a game record")
	}
	var res *review.Result // nil: the review waits
	data, err := e.Beside(".json")
	if err == nil {
		res, err = review.ReadResult(data)
	}
	if err == nil && len(res.Moves) != len(g.Moves) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 1, errors.New("not the result of this game")
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.archive.refresh(); err != nil {
		return 0, 1, api.NotSaved(err)
	}
	known := res == nil && rs.jobs[e.ID] != nil
	if name := rs.archive.byID[e.ID]; name != "" {
		here, err := rs.archive.folder.Read(name)
		known = res == nil || err == nil && (here.Complete || !res.Complete)
	} else if rs.jobs[e.ID] == nil {
		known = rs.twin(gameSum(g)) != ""
	}
	switch {
	case known:
		return 0, 1, nil
	case !do:
		return 1, 1, nil
	case res == nil:
		about, _ := e.Beside(".txt")
		name, _, _ := strings.Cut(string(about), "\n")
		if err = rs.queueUp(e.ID, cmp.Or(name, "game.sgf"), g, root); err != nil && api.AsError(err).Code != "not_saved" {
			err = errors.New(err.Error()) // not fatal, for example a board that the network does not play: other files are still restored
		}
		return 1, 1, err
	}
	rs.quit(e.ID)
	if err := rs.archive.folder.Write(e.ID, g, res, "Kosumi:"+rs.conf.Version); err != nil {
		return 0, 1, api.NotSaved(err)
	}
	_ = os.Chtimes(rs.archive.folder.Path(e.ID, ".json"), e.Changed, e.Changed) // otherwise the review counts as made now
	return 1, 1, rs.archive.refresh()
}

// mergeSet adds problems.
func (ds *Drills) mergeSet(e store.Entry, do bool) (fresh, all int, err error) {
	other, err := drill.Read(bytes.NewReader(e.Data))
	if err != nil {
		return 0, 0, err
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	set, err := ds.folder.Drills()
	if err != nil {
		return 0, 0, api.Refuse("internal", "%v", err)
	}
	if fresh = set.Merge(other); fresh > 0 && do {
		if _, err := ds.folder.WriteDrills(set); err != nil {
			return 0, 0, api.NotSaved(err)
		}
	}
	return fresh, len(other.Problems), nil
}

func (ds *Drills) ownNames() ([]string, error) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	return ds.own.names(), nil
}

// mergeOwn adds a collection to the player's own, unless one with the same content exists.
func (ds *Drills) mergeOwn(e store.Entry, do bool) (fresh, all int, err error) {
	roots, err := wire.ParseSGF(e.Data)
	if all = len(drill.ReadOwn(nameOf(e.ID), roots).Problems); err != nil || all == 0 {
		return 0, 0, errors.New("not a collection of problems")
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for _, name := range ds.own.names() {
		if here, err := file.ReadPlain(ds.own.dir, name, wire.MaxSGF); err == nil && bytes.Equal(here, e.Data) {
			return 0, all, nil
		}
	}
	if do {
		_, err = ds.own.keep(e.ID, e.Data)
	}
	return all, all, err
}

// mergeAnswers adds answers in the order of their times, since the schedule follows this order.
func (ds *Drills) mergeAnswers(e store.Entry, do bool) (fresh, all int, err error) {
	other, err := drill.ReadAttempts(e.Data)
	if err != nil {
		return 0, 0, err
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	log, err := ds.folder.Answers()
	if err != nil {
		return 0, 0, api.Refuse("internal", "%v", err)
	}
	defer log.Close()
	joined := drill.MergeAttempts(log.Attempts, other)
	if fresh = len(joined) - len(log.Attempts); fresh == 0 || !do {
		return fresh, len(other), nil
	}
	var text bytes.Buffer
	w := json.NewEncoder(&text)
	for i := range joined {
		if err := w.Encode(&joined[i]); err != nil {
			return 0, 0, err
		}
	}
	if err := file.WriteBytes(drill.AnswersFile(ds.folder.Path(review.DrillsName, ".json")), text.Bytes()); err != nil {
		return 0, 0, api.NotSaved(err)
	}
	return fresh, len(other), nil
}

// Answered returns a function that counts the problems of a day that are answered.
func (ds *Drills) Answered() func(date string, problems []string) int {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	log, err := ds.folder.Answers()
	if err != nil {
		return func(string, []string) int { return 0 }
	}
	defer log.Close()
	answered := answeredOn(log.Attempts)
	return func(date string, problems []string) int {
		return len(slices.DeleteFunc(slices.Clone(problems), func(id string) bool { return answered[date][id].Grade == 0 }))
	}
}
