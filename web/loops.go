//go:build !js

package web

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"kosumi/train/loop"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// Loops reads the folders of training loops while a page shows them.
type Loops struct {
	mu       sync.Mutex
	loops    []*loop.Viewer
	lastRead time.Time
	last     []byte // the state last sent to watchers
}

// readEvery is the time between two readings of the folders.
const readEvery = 2 * time.Second

// newestShown is the maximum number of a loop's games that are sent.
const newestShown = 6

// NewLoops returns Loops that reads the given folders.
func NewLoops(folders []string) *Loops {
	t := &Loops{}
	for _, dir := range folders {
		t.loops = append(t.loops, loop.NewViewer(dir))
	}
	return t
}

// State reads the folders.
func (t *Loops) State() *api.Training {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.read()
}

// read reads the folders. The caller holds mu.
func (t *Loops) read() *api.Training {
	t.lastRead = time.Now()
	all := &api.Training{Runs: []api.TrainingRun{}}
	for _, l := range t.loops {
		v, err := l.Snapshot()
		if err != nil {
			all.Runs = append(all.Runs, api.TrainingRun{Folder: l.Folder(), Error: err.Error(), Points: []api.TrainingPoint{}, Rated: []api.TrainingRating{}, Newest: []api.TrainingGame{}})
			continue
		}
		all.Runs = append(all.Runs, wireRun(v))
	}
	return all
}

// Tell sends the state to the pages that watch the loops, if it has changed.
func (t *Loops) Tell(pages *wire.Hub) {
	if !pages.Watched("training") {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.lastRead) < readEvery {
		return
	}
	now := t.read()
	data, err := json.Marshal(now)
	if err != nil || bytes.Equal(data, t.last) {
		return
	}
	t.last = data
	pages.Publish("training", api.TrainingNews.Of(*now))
}

func wireRun(v *loop.View) api.TrainingRun {
	s := v.State
	r := api.TrainingRun{Folder: v.Folder, Running: v.Running, News: v.News.Unix(), Arch: s.Arch, Network: s.Current, Iteration: s.Iteration, Stage: s.Stage,
		Done: v.Done, Goal: v.Goal, Unit: v.Unit, Left: wire.Round(v.Left.Seconds(), 0), Games: s.Games, Rows: s.Rows, Samples: s.Before + s.Samples,
		Hours:  wire.Round((s.Seconds.Selfplay+s.Seconds.Train+s.Seconds.Gate)/3600, 2),
		Points: []api.TrainingPoint{}, Rated: []api.TrainingRating{}, Newest: []api.TrainingGame{}}
	for i := range s.History {
		h := &s.History[i]
		p := api.TrainingPoint{Iteration: h.Iteration, Games: h.Games, Samples: h.Samples, Losses: map[string]float64{}}
		for name, loss := range h.Losses {
			p.Losses[name] = wire.Round(loss, 4)
		}
		if i < len(s.Networks) {
			n := &s.Networks[i]
			p.Hours, p.Network, p.Promoted, p.Elo = wire.Round(n.Hours, 3), n.Name, n.Promoted, wire.Round(n.Elo, 0)
		}
		if h.Seconds.Selfplay > 0 {
			p.Speed = wire.Round(float64(h.Stats.Games)/h.Seconds.Selfplay*3600, 0)
		}
		if h.Stats.Games > 0 {
			p.Length = wire.Round(float64(h.Stats.Length)/float64(h.Stats.Games), 1)
		}
		r.Points = append(r.Points, p)
	}
	if v.Rated != nil {
		for _, p := range v.Rated.Players {
			r.Rated = append(r.Rated, api.TrainingRating{Name: p.Name, Hours: wire.Round(p.Hours, 2), Elo: wire.Round(p.Elo, 0), Error: wire.Round(p.Error, 0), Other: p.Anchor})
		}
	}
	for _, g := range v.Games[:min(newestShown, len(v.Games))] {
		w := api.TrainingGame{Name: g.Name, Size: [2]int{g.Width, g.Height}, Result: g.Result, Moves: g.Moves}
		for _, f := range g.Frames {
			w.Boards += wire.ReviewedStones(f)
		}
		r.Newest = append(r.Newest, w)
	}
	return r
}
