package reviews

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"kosumi/internal/file"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// mostOf bounds a file of reviews in a backup, in bytes; a review of 1,000 moves has 6 MB.
const mostOf = 64 << 20

// Saved are the reviews in a backup, the games that wait for one, the problems, and the answers to
// them.
func (rs *Reviews) Saved() []store.Saved {
	return []store.Saved{
		{Kind: "reviews", Dir: "reviews/", Ext: ".json", Most: mostOf, IDs: rs.finishedIDs, Read: rs.readFinished(".json"), Merge: rs.mergeFinished},
		{Dir: "reviews/", Ext: ".sgf", IDs: rs.finishedIDs, Read: rs.readFinished(".sgf")},
		{Kind: "reviews", Dir: "records/", Ext: ".sgf", Most: wire.MaxSGF, IDs: rs.waitingIDs, Read: rs.readRecord(".sgf"), Merge: rs.mergeRecord},
		{Dir: "records/", Ext: ".txt", IDs: rs.waitingIDs, Read: rs.readRecord(".txt")},
		{Kind: "problems", Dir: "collections/", Ext: ".sgf", Named: true, Most: wire.MaxSGF, IDs: rs.Drills.ownNames, Read: rs.Drills.readOwn, Merge: rs.Drills.mergeOwn},
		{Kind: "problems", Ext: "drills.json", Most: mostOf, Read: rs.Drills.readFile(".json"), Merge: rs.Drills.mergeSet},
		{Kind: "answers", Ext: "drills-answers.jsonl", Most: mostOf, Read: rs.Drills.readFile("-answers.jsonl"), Merge: rs.Drills.mergeAnswers},
	}
}

func (rs *Reviews) finishedIDs() ([]string, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	err := rs.archive.refresh()
	return slices.Sorted(maps.Keys(rs.archive.byID)), err
}

func (rs *Reviews) readFinished(ext string) func(id string) ([]byte, time.Time, error) {
	return func(id string) ([]byte, time.Time, error) {
		rs.mu.Lock()
		name := rs.archive.byID[id]
		done, _ := rs.archive.done.Known(name)
		rs.mu.Unlock()
		data, err := file.ReadPlain(rs.archive.folder.Path("", ""), name+ext, mostOf)
		return data, done.changed, err
	}
}

func (rs *Reviews) waitingIDs() (ids []string, err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for id, j := range rs.jobs {
		if j.game != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func (rs *Reviews) readRecord(ext string) func(id string) ([]byte, time.Time, error) {
	return func(id string) ([]byte, time.Time, error) {
		data, err := file.ReadPlain(rs.records(), id+ext, wire.MaxSGF)
		return data, time.Now(), err
	}
}

// mergeFinished takes a review of a game that has none here, or only a part of one.
func (rs *Reviews) mergeFinished(e store.Entry, do bool) (fresh, all int, err error) {
	res, err := review.ReadResult(e.Data)
	if err != nil {
		return 0, 1, err
	}
	record, err := e.Beside(".sgf")
	if err != nil {
		return 0, 1, err
	}
	g, _, err := rs.loadRecord(record)
	if err != nil || len(g.Moves) != len(res.Moves) {
		return 0, 1, errors.New("the record is not that of the review")
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.archive.refresh(); err != nil {
		return 0, 1, api.NotSaved(err)
	}
	if name := rs.archive.byID[e.ID]; name != "" {
		if here, err := rs.archive.folder.Read(name); err == nil && (here.Complete || !res.Complete) {
			return 0, 1, nil
		}
	} else if rs.jobs[e.ID] == nil && rs.twin(resultSum(res)) != "" {
		return 0, 1, nil
	}
	if !do {
		return 1, 1, nil
	}
	if j := rs.jobs[e.ID]; j != nil { // it need not be made any more
		if rs.cut != nil && len(rs.queue) > 0 && rs.queue[0] == j {
			rs.cut()
		}
		rs.leave(j)
		delete(rs.jobs, e.ID)
	}
	if err := rs.archive.folder.Write(e.ID, g, res, "Kosumi:"+rs.conf.Version); err != nil {
		return 0, 1, api.NotSaved(err)
	}
	path := rs.archive.folder.Path(e.ID, ".json")
	_ = os.Chtimes(path, e.Changed, e.Changed) // else it counts as made now
	return 1, 1, rs.archive.refresh()
}

// mergeRecord puts a game that waited for its review on the list.
func (rs *Reviews) mergeRecord(e store.Entry, do bool) (fresh, all int, err error) {
	g, root, err := rs.loadRecord(e.Data)
	if err != nil {
		return 0, 1, errors.New("not a game record")
	}
	rs.mu.Lock()
	known := rs.jobs[e.ID] != nil || rs.archive.byID[e.ID] != "" || rs.twin(gameSum(g)) != ""
	rs.mu.Unlock()
	if known {
		return 0, 1, nil
	}
	if !do {
		return 1, 1, nil
	}
	about, _ := e.Beside(".txt")
	name, notes, _ := bytes.Cut(about, []byte("\n"))
	if _, _, err = rs.AddAs(e.ID, string(name), root, strings.Split(string(notes), "\n"), false); err != nil && api.AsError(err).Code != "not_saved" {
		err = errors.New(err.Error()) // such as a board that the network does not know: the others are taken
	}
	return 1, 1, err
}

func (ds *Drills) readFile(ext string) func(string) ([]byte, time.Time, error) {
	return func(string) ([]byte, time.Time, error) {
		ds.mu.Lock()
		defer ds.mu.Unlock()
		data, err := file.ReadPlain(ds.folder.Path("", ""), review.DrillsName+ext, mostOf)
		return data, time.Now(), err
	}
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

func (ds *Drills) ownNames() (all []string, err error) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for _, name := range ds.own.names() {
		all = append(all, nameOf(name))
	}
	return all, nil
}

func (ds *Drills) readOwn(name string) ([]byte, time.Time, error) {
	data, err := file.ReadPlain(ds.own.dir, name+".sgf", wire.MaxSGF)
	return data, time.Now(), err
}

// mergeOwn adds a collection of the player's, unless one of its content is there.
func (ds *Drills) mergeOwn(e store.Entry, do bool) (fresh, all int, err error) {
	roots, err := wire.ParseSGF(e.Data)
	if all = len(drill.ReadOwn(e.ID, roots).Problems); err != nil || all == 0 {
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
		_, err = ds.own.keep(e.ID+".sgf", e.Data)
	}
	return all, all, err
}

// mergeAnswers adds answers, in the order of their times, which the schedule follows.
func (ds *Drills) mergeAnswers(e store.Entry, do bool) (fresh, all int, err error) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	log, err := ds.folder.Answers()
	if err != nil {
		return 0, 0, api.Refuse("internal", "%v", err)
	}
	defer log.Close()
	other, err := drill.ReadAttempts(e.Data)
	if err != nil {
		return 0, 0, err
	}
	type key struct {
		id string
		at int64
	}
	known := map[key]bool{}
	for _, a := range log.Attempts {
		known[key{a.ID, a.Time.UnixNano()}] = true
	}
	joined := slices.Clone(log.Attempts)
	for _, a := range other {
		if !known[key{a.ID, a.Time.UnixNano()}] {
			joined = append(joined, a)
		}
	}
	if fresh = len(joined) - len(log.Attempts); fresh == 0 || !do {
		return fresh, len(other), nil
	}
	slices.SortStableFunc(joined, func(a, b drill.Attempt) int { return a.Time.Compare(b.Time) })
	var text bytes.Buffer
	w := json.NewEncoder(&text)
	for i := range joined {
		if err := w.Encode(&joined[i]); err != nil {
			return 0, 0, err
		}
	}
	name := drill.AnswersFile(ds.folder.Path(review.DrillsName, ".json"))
	if err := file.WriteBytes(name, text.Bytes()); err != nil {
		return 0, 0, api.NotSaved(err)
	}
	return fresh, len(other), nil
}

// Done returns a function that reports whether all problems of a day are answered.
func (ds *Drills) Done() func(date string, problems []string) bool {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	log, err := ds.folder.Answers()
	if err != nil {
		return func(string, []string) bool { return false }
	}
	defer log.Close()
	answered := answeredOn(log.Attempts)
	return func(date string, problems []string) bool {
		return len(problems) > 0 && !slices.ContainsFunc(problems, func(id string) bool { return answered[date][id].Grade == 0 })
	}
}
