package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/cluster"
	"kosumi/review"
	"kosumi/search"
	"kosumi/sgf"
)

// position is a position of a game to be searched.
type position struct {
	Record  []byte        `json:"record"` // SGF, without comments
	Rules   string        `json:"rules"`
	Komi    float32       `json:"komi"`
	Ply     int           `json:"ply"`
	Visits  int64         `json:"visits"`
	Search  search.Params `json:"search"`
	Network string        `json:"network"` // sha256
}

// Positions returns what has positions of reviews searched by workers, with the
// network in a file.
func Positions(pool *cluster.Pool, network string, p search.Params) (func(ctx context.Context, a *review.Asked) (*review.Eval, error), error) {
	file, err := pool.Offer(network)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, a *review.Asked) (*review.Eval, error) {
		record, err := bare(a.Game.Record)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(position{Record: record, Rules: a.Game.Rules.JSON(), Komi: a.Game.Rules.Komi,
			Ply: a.Ply, Visits: a.Visits, Search: p, Network: file.SHA256})
		if err != nil {
			return nil, err
		}
		e := new(review.Eval)
		if err := pool.Do(ctx, cluster.Task{Kind: kindReview, Body: body, Files: []cluster.File{file}}, e); err != nil {
			return nil, err
		}
		return e, e.Check(a.Game, a.Ply)
	}, nil
}

// bare is a record with nothing but what makes the positions.
func bare(r *sgf.Record) ([]byte, error) {
	plain := sgf.Record{Size: r.Size, Handicap: r.Handicap, Setup: r.Setup}
	for _, s := range r.Steps {
		plain.Steps = append(plain.Steps, sgf.Step{Move: s.Move, Setup: s.Setup})
	}
	return sgf.Marshal(plain.Tree())
}

// reviewer searches positions for clients.
type reviewer struct {
	networks *networks
	most     int

	mu    sync.Mutex
	games []*table // least recently used first
}

// table is a game that is being reviewed: its judges share evaluations.
type table struct {
	key    string
	game   *review.Game
	users  int
	judges []*review.Judge // free
	done   func()          // lets go of the network
	idle   *time.Timer     // clears it away
}

const (
	mostVisits = 1 << 20 // of a position, and of a move
	keptTables = 4
	treeBytes  = 4 << 30 // of all trees of a table
)

// tableTime is how long a table waits for more of its game's positions.
var tableTime = time.Minute

func newReviewer(n *networks, most int) *reviewer { return &reviewer{networks: n, most: most} }

func (r *reviewer) do(ctx context.Context, body json.RawMessage, files map[string]string) (any, error) {
	var p position
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, err
	}
	if p.Visits < 1 || p.Visits > mostVisits {
		return nil, fmt.Errorf("%d visits; other machines search 1 to %d", p.Visits, mostVisits)
	}
	t, err := r.sit(ctx, &p, files[p.Network])
	if err != nil {
		return nil, err
	}
	defer r.leave(t)
	r.mu.Lock()
	n := len(t.judges)
	if n == 0 {
		r.mu.Unlock()
		return nil, errors.New("more positions than were asked for")
	}
	j := t.judges[n-1]
	t.judges = t.judges[:n-1]
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		t.judges = append(t.judges, j)
		r.mu.Unlock()
	}()
	if p.Ply < 0 || p.Ply > len(t.game.Moves) {
		return nil, fmt.Errorf("ply %d of a game of %d", p.Ply, len(t.game.Moves))
	}
	return j.Search(ctx, t.game, p.Ply, p.Visits)
}

// sit finds the table of a game, or makes one.
func (r *reviewer) sit(ctx context.Context, p *position, path string) (*table, error) {
	settings, err := json.Marshal(p.Search)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s %s %s %g %s", p.Network, settings, p.Rules, p.Komi, p.Record)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, t := range r.games {
		if t.key == key {
			t.users++
			t.idle.Stop()
			r.games = append(append(r.games[:i:i], r.games[i+1:]...), t)
			return t, nil
		}
	}
	t := &table{key: key, users: 1}
	t.idle = time.AfterFunc(tableTime, func() { r.forget(t) })
	t.idle.Stop()
	if t.game, err = loadGame(p); err != nil {
		return nil, err
	}
	net, done, err := r.networks.use(ctx, path)
	if err != nil {
		return nil, err
	}
	p.Search.Memory.MaxBytes = max(search.MinBytes, treeBytes/int64(r.most)) // the machine's, not the client's
	if t.judges, err = review.NewJudges(net.Evaluator, p.Search, r.most); err != nil {
		done()
		return nil, err
	}
	t.done = done
	r.games = append(r.games, t)
	r.clear(keptTables)
	return t, nil
}

func (r *reviewer) leave(t *table) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.users--; t.users == 0 {
		t.idle.Reset(tableTime)
	}
	r.clear(keptTables)
}

// forget clears a table away at which nobody has sat for long: its trees and its
// network's take memory.
func (r *reviewer) forget(t *table) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := slices.Index(r.games, t); k >= 0 && t.users == 0 {
		t.done()
		r.games = slices.Delete(r.games, k, k+1)
	}
}

// close clears all tables away where nobody sits.
func (r *reviewer) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear(0)
}

// clear closes the oldest tables where nobody sits. The caller holds mu.
func (r *reviewer) clear(keep int) {
	for i := 0; i < len(r.games) && len(r.games) > keep; {
		if t := r.games[i]; t.users == 0 {
			t.idle.Stop()
			t.done()
			r.games = append(r.games[:i:i], r.games[i+1:]...)
			continue
		}
		i++
	}
}

func loadGame(p *position) (*review.Game, error) {
	roots, err := sgf.Parse(p.Record)
	if err != nil || len(roots) != 1 {
		return nil, fmt.Errorf("the record of a game cannot be read: %w", errors.Join(err, fmt.Errorf("%d games", len(roots))))
	}
	rules, err := board.ParseRules(p.Rules)
	if err != nil {
		return nil, err
	}
	rules.Komi = p.Komi
	g, err := review.Load(roots[0], rules)
	if err == nil {
		g.Rules = rules // also where a handicap would change the komi
	}
	return g, err
}
