// Package reviews has the queue of games to review, the finished reviews, and the problems made from
// mistakes in reviewed games.
package reviews

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"kosumi/engine/level"
	"kosumi/internal/file"
	"kosumi/review"
	"kosumi/review/drill"
	"kosumi/search"
	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// States of a review.
const (
	Waiting = "waiting"
	Running = "running"
	Done    = "done"
	Partial = "partial"
	Refused = "refused"
)

// Reviews has the games that wait for a review and the finished reviews. Its folder holds the files
// that the command "engine review" writes, and the waiting records. One review runs at a time, only
// while a page is open and no other search runs. Each search of a review is written as soon as it
// ends, so the review resumes after a restart.
type Reviews struct {
	Drills *Drills
	conf   Config
	ctx    context.Context
	judge  judge
	woken  chan struct{} // makes the worker check the queue

	mu      sync.Mutex
	archive archive
	jobs    map[string]*job // unfinished reviews by ID
	queue   []*job          // the running or next review first
	paused  bool
	alone   bool               // no page is open
	pause   time.Duration      // before unsaved results are written again
	cut     context.CancelFunc // cancels the running review; nil: none runs
	told    time.Time          // when the last progress was sent
}

// job is a review that is not finished.
type job struct {
	id, name string
	added    time.Time
	game     *review.Game // nil: refused
	state    string
	why      error // reason of the refusal
	unsaved  error // error of writing its findings
	now      review.Progress
	points   map[int]api.ReviewPoint
	news     []api.ReviewPoint // points not yet sent to watchers
	part     *review.Result    // findings so far; nil during the first pass
}

// Config is what reviews need from their server.
type Config struct {
	Dir      string // folder of the reviews
	Pages    *wire.Hub
	Warnings *wire.Warnings
	Engines  *engines.Engines
	Log      *slog.Logger
	Version  string // written into the records
	Finished func(id string, res *review.Result)
	// Whose reports whether a name in a record is known to be the player's, and whether it is
	// known to be another player's.
	Whose func(name string) (mine, other bool)
	Side  func(review string) string // the side that the player has named: b, w or none; "": not known
	// Strength returns the player's rank; false if nothing is known of it.
	Strength func() (level.Rank, bool)
}

// New opens the folder of reviews and queues the games whose reviews are not finished.
// [Reviews.Work] reviews them until ctx ends.
func New(ctx context.Context, c Config) (*Reviews, error) {
	folder, err := drill.OpenFolder(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("the folder of reviews: %w", err)
	}
	j := judge{c.Engines}
	rs := &Reviews{conf: c, ctx: ctx, judge: j, woken: make(chan struct{}, 1), alone: true, jobs: map[string]*job{},
		archive: newArchive(folder)}
	if err := os.MkdirAll(rs.records(), 0o755); err != nil {
		return nil, err
	}
	rs.Drills = &Drills{folder: folder, judge: j, whose: c.Whose, sides: rs.sides, strength: c.Strength, collection: drill.Fitting, own: newOwn(folder.Path("collections", ""))}
	return rs, rs.recall()
}

// records is the folder of uploaded records.
func (rs *Reviews) records() string { return rs.archive.folder.Path("records", "") }

func (rs *Reviews) record(id, ext string) string { return filepath.Join(rs.records(), id+ext) }

// recall queues the records that were not finished when the last server ended.
func (rs *Reviews) recall() error {
	entries, err := os.ReadDir(rs.records())
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, ok := store.ParseName(e.Name(), ".sgf")
		if !ok {
			continue
		}
		if _, err := os.Stat(rs.archive.folder.Path(id, ".json")); err == nil {
			continue
		}
		name, notes := rs.about(id)
		j := &job{id: id, name: name, points: map[int]api.ReviewPoint{}, state: Waiting}
		if info, err := e.Info(); err == nil {
			j.added = info.ModTime()
		}
		if j.game, err = rs.load(id); err != nil {
			j.state, j.why = Refused, err
		} else {
			if notes != nil {
				j.game.Notes = notes
			}
			rs.queue = append(rs.queue, j)
		}
		rs.jobs[id] = j
	}
	slices.SortFunc(rs.queue, func(a, b *job) int { return a.added.Compare(b.added) })
	return nil
}

const mostAbout = 1 << 16 // bytes of a record's name and notes

// about returns the name of an uploaded record and the notes of its first reading. The stored
// record is repaired, so reading it again gives no notes.
func (rs *Reviews) about(id string) (name string, notes []string) {
	data, err := file.ReadPlain(rs.records(), id+".txt", mostAbout)
	if err != nil {
		return id, nil
	}
	lines := strings.Split(string(data), "\n")
	if len(lines) > 1 {
		notes = lines[1:]
	}
	return lines[0], notes
}

// load reads an uploaded record.
func (rs *Reviews) load(id string) (*review.Game, error) {
	data, err := file.ReadPlain(rs.records(), id+".sgf", wire.MaxSGF)
	if err != nil {
		return nil, err
	}
	g, _, err := rs.loadRecord(data)
	return g, err
}

// loadRecord reads the first game of a record.
func (rs *Reviews) loadRecord(data []byte) (*review.Game, *sgf.Node, error) {
	roots, err := wire.ParseSGF(data)
	if err != nil {
		return nil, nil, err
	}
	g, err := review.Load(roots[0], rs.conf.Engines.Config.Rules)
	return g, roots[0], wire.RecordError(err)
}

// said returns the reason of a refusal as one line.
func (j *job) said() string { return strings.ReplaceAll(j.why.Error(), "\n", "; ") }

// AddAs queues a game for review under the given ID and returns the ID. If a review has this ID already
// or, unless again is set, is of the same game, AddAs returns the ID of that review, with known set.
// Notes say what was repaired in the record. A stored record is repaired already and gives none when it
// is read again: notes, unless nil, takes their place. Errors say why the game cannot be reviewed.
func (rs *Reviews) AddAs(id, name string, root *sgf.Node, notes []string, again bool) (of string, known bool, err error) {
	g, err := review.Load(root, rs.conf.Engines.Config.Rules)
	if err != nil {
		return "", false, wire.RecordError(err)
	}
	if notes != nil {
		g.Notes = notes
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.archive.refresh(); err != nil {
		return "", false, err
	}
	if rs.jobs[id] != nil || rs.archive.byID[id] != "" {
		return id, true, nil
	}
	if twin := rs.twin(gameSum(g)); twin != "" && !again {
		return twin, true, nil
	}
	return id, false, rs.queueUp(id, name, g, root)
}

// queueUp adds a game to the queue. The caller holds mu.
func (rs *Reviews) queueUp(id, name string, g *review.Game, root *sgf.Node) error {
	if err := rs.conf.Engines.Networks.Serves(g.Record.Size); err != nil && rs.conf.Engines.Networks.Status().State == "ready" {
		return api.Tell("unsupported", "net_board", "board", g.Record.Size)
	}
	data, err := sgf.Marshal(root)
	if err != nil {
		return err
	}
	j := &job{id: id, name: rs.unique(wire.Shown(name, 200)), added: time.Now(), game: g, state: Waiting, points: map[int]api.ReviewPoint{}}
	err = file.WriteBytes(rs.record(j.id, ".txt"), []byte(strings.Join(append([]string{j.name}, g.Notes...), "\n")))
	if err == nil { // write the record last, since recall looks for it
		err = file.WriteBytes(rs.record(j.id, ".sgf"), data)
	}
	if err != nil {
		os.Remove(rs.record(j.id, ".txt"))
		return api.NotSaved(err)
	}
	rs.jobs[j.id] = j
	rs.queue = append(rs.queue, j)
	wire.Wake(rs.woken)
	return nil
}

// quit removes an unfinished review from the queue. The caller holds mu.
func (rs *Reviews) quit(id string) {
	j := rs.jobs[id]
	if rs.cut != nil && len(rs.queue) > 0 && rs.queue[0] == j {
		rs.cut()
	}
	rs.leave(j)
	delete(rs.jobs, id)
}

// twin returns the ID of the newest review of the game whose [sumOf] is sum, or "" if there
// is none. The caller holds mu.
func (rs *Reviews) twin(sum string) (id string) {
	for _, j := range rs.jobs {
		if j.game != nil && gameSum(j.game) == sum {
			return j.id
		}
	}
	var newest time.Time
	rs.archive.done.Each(func(_ string, d finished, err error) {
		if err == nil && d.game == sum && d.changed.After(newest) {
			id, newest = d.card.Review, d.changed
		}
	})
	return id
}

// unique adds a number to a name that is taken, since the problem set identifies games by name. The
// caller holds mu.
func (rs *Reviews) unique(name string) string {
	taken := func(n string) bool {
		for _, j := range rs.jobs {
			if j.name == n {
				return true
			}
		}
		found := false
		rs.archive.done.Each(func(_ string, d finished, _ error) { found = found || d.card.Name == n })
		return found
	}
	base, ext := strings.TrimSuffix(name, filepath.Ext(name)), filepath.Ext(name)
	for i := 2; taken(name); i++ {
		name = fmt.Sprintf("%s (%d)%s", base, i, ext)
	}
	return name
}

// Work reviews one game after the other.
func (rs *Reviews) Work() {
	for {
		select {
		case <-rs.ctx.Done():
			return
		case <-rs.woken:
		}
		for rs.ctx.Err() == nil && rs.next() {
		}
	}
}

// next reviews the first game of the queue; false if there is nothing to do now.
func (rs *Reviews) next() bool {
	rs.mu.Lock()
	if rs.paused || rs.alone || len(rs.queue) == 0 {
		rs.mu.Unlock()
		return false
	}
	j := rs.queue[0]
	ctx, cut := context.WithCancel(rs.ctx)
	defer cut()
	rs.cut, j.state, j.now = cut, Running, review.Progress{}
	rs.mu.Unlock()
	rs.publishCard(j)
	res, err := rs.run(ctx, j)
	rs.mu.Lock()
	rs.cut = nil
	if rs.jobs[j.id] != j { // the review was deleted
		rs.mu.Unlock()
		return true
	}
	switch {
	case ctx.Err() != nil:
		j.state = Waiting
	case errors.As(err, new(syscall.Errno)): // the job stays first and keeps its searches
		j.state, j.unsaved = Waiting, api.NotSaved(err)
		rs.conf.Warnings.Warn(fmt.Sprintf("review of %s: %v; it is tried again", j.name, j.unsaved), "unsaved review")
		rs.pause = store.LongerPause(rs.pause)
		time.AfterFunc(rs.pause, func() { wire.Wake(rs.woken) })
		rs.mu.Unlock()
		rs.PublishList()
		return false
	case err != nil:
		rs.conf.Log.Error("a review failed", "game", j.name, "error", err)
		j.state, j.why = Refused, err
		rs.leave(j)
	default:
		rs.pause = 0
		delete(rs.jobs, j.id)
		rs.leave(j)
	}
	rs.mu.Unlock()
	if res != nil && err == nil {
		rs.conf.Pages.Publish("review:"+j.id, api.ReviewNews.Of(*rs.finishedReview(j.id, res, false)))
		if rs.conf.Finished != nil {
			rs.conf.Finished(j.id, res)
		}
	}
	rs.PublishList()
	return true
}

// leave removes a job from the queue. The caller holds mu.
func (rs *Reviews) leave(j *job) {
	rs.queue = slices.DeleteFunc(rs.queue, func(q *job) bool { return q == j })
}

// run reviews a game and writes its files and problems.
func (rs *Reviews) run(ctx context.Context, j *job) (*review.Result, error) {
	conf, identity, err := rs.config(ctx)
	if err != nil {
		return nil, err
	}
	if err := rs.conf.Engines.Networks.Serves(j.game.Record.Size); err != nil {
		return nil, err
	}
	store, err := review.OpenStore(rs.archive.folder.Searches(), j.game, identity, conf)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	defer rs.conf.Engines.Networks.Pin()()
	conf.Partial = func(res *review.Result) {
		rs.mu.Lock()
		res.Game.File = j.name
		j.part = res
		rs.mu.Unlock()
		rs.conf.Pages.Publish("review:"+j.id, api.ReviewNews.Of(*rs.runningReview(j, false)))
	}
	res, err := review.Run(ctx, j.game, rs.conf.Engines.SpareTime(), conf, store, func(p review.Progress) { rs.progress(j, p) })
	if err != nil {
		return nil, err
	}
	res.Game.File = j.name
	if err := rs.Drills.collect(func(d *drill.Set) { d.Collect(res) }); err != nil { // before the result is written: a finished review is never run again
		return nil, err
	}
	return res, rs.archive.folder.Write(j.id, j.game, res, "Kosumi:"+rs.conf.Version)
}

// config returns the defaults of the command "engine review" with the settings of this server.
// identity names the network and precision: searches of another identity are not reused.
func (rs *Reviews) config(ctx context.Context) (c review.Config, identity string, err error) {
	b := rs.conf.Engines.Networks
	for b.Status().State == "loading" {
		select {
		case <-ctx.Done():
			return c, "", ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	if st := b.Status(); st.State == "failed" {
		return c, "", errors.New(st.Error)
	}
	c = review.Defaults()
	c.Search = rs.conf.Engines.Config.Search
	c.Search.Memory.MaxBytes = max(search.MinBytes, c.Search.Memory.MaxBytes/int64(c.Parallel))
	c.Network, identity = b.Identity()
	return c, identity, nil
}

// progressEvery is the usual minimum time between a review's progress messages.
const progressEvery = 200 * time.Millisecond

func (rs *Reviews) progress(j *job, p review.Progress) {
	rs.mu.Lock()
	j.now = p
	at := api.ReviewPoint{Ply: p.Ply, Lead: wire.Round(p.Position.Lead, 2), Winrate: p.Position.Winrate, Visits: p.Position.Visits}
	j.points[p.Ply] = at
	j.news = append(j.news, at)
	late := time.Since(rs.told) >= progressEvery || p.Searched == p.Positions && len(j.news) > 20
	rs.mu.Unlock()
	if late {
		rs.publishCard(j)
	}
}

// publishCard sends a job's progress to the pages that watch this review or the list.
func (rs *Reviews) publishCard(j *job) {
	rs.mu.Lock()
	rs.told = time.Now()
	e := api.ReviewProgress{Card: rs.named(j.card()), Points: j.news}
	j.news = nil
	rs.mu.Unlock()
	if e.Points == nil {
		e.Points = []api.ReviewPoint{}
	}
	rs.conf.Pages.Publish("review:"+j.id, api.ReviewProgressNews.Of(e))
	e.Points = []api.ReviewPoint{}
	rs.conf.Pages.Publish("reviews", api.ReviewsProgressNews.Of(e))
}

// Interrupt cancels the running review, which stays first in the queue.
func (rs *Reviews) Interrupt() {
	rs.mu.Lock()
	if rs.cut != nil {
		rs.cut()
	}
	rs.mu.Unlock()
	wire.Wake(rs.woken)
}

// Attend pauses reviews if alone is set, that is, if no page is open; else it resumes them.
func (rs *Reviews) Attend(alone bool) {
	rs.mu.Lock()
	changed := rs.alone != alone
	rs.alone = alone
	rs.mu.Unlock()
	if changed {
		wire.Wake(rs.woken)
		if alone {
			rs.Interrupt()
		}
	}
}
