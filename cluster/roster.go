package cluster

import (
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kosumi/internal/file"
)

const bannedFile = "aside.json"

// member is a worker in the server's list.
type member struct {
	card   Card
	seen   time.Time
	passed map[string]bool // exams, by the network's sha256
	last   beat
	beaten time.Time
	games  counts
	judged atomic.Int64

	mu       sync.Mutex
	drift    float64 // running mean of the differences between the worker's raw values and the server's
	compared int
}

// counts counts a worker's uploads by verdict, and games of gating matches.
type counts struct {
	Stored    int64 `json:"stored"`
	Duplicate int64 `json:"duplicate"`
	Rejected  int64 `json:"rejected"`
	Later     int64 `json:"later"`
	Gating    int64 `json:"gating"` // games of gating matches
}

// worked reports whether any game of the worker was accepted.
func (w *member) worked() bool { return w.games.Stored+w.games.Gating > 0 }

func (c *counts) add(verdict string) {
	*map[string]*int64{stored: &c.Stored, duplicate: &c.Duplicate, rejected: &c.Rejected, later: &c.Later}[verdict]++
}

// roster lists the workers of a server and the banned workers. The list of banned workers survives
// restarts. The server's lock guards the roster.
type roster struct {
	dir string // folder of the list of banned workers
	log *slog.Logger
	now func() time.Time

	members map[string]*member
	banned  map[string]string // reasons of bans, by worker
	unsaved bool              // banned has changed
}

// openRoster reads the list of banned workers in a folder.
func openRoster(dir string, log *slog.Logger, now func() time.Time) (*roster, error) {
	r := &roster{dir: dir, log: log, now: now, members: map[string]*member{}, banned: map[string]string{}}
	_, err := file.ReadJSON(filepath.Join(dir, bannedFile), &r.banned)
	return r, err
}

// join adds a worker, or updates its card.
func (r *roster) join(id string, card Card) {
	m := r.members[id]
	if m == nil {
		m = &member{passed: map[string]bool{}, beaten: r.now()}
		r.members[id] = m
		r.log.Info("worker joins", "worker", publicName(id), "name", card.Name, "processor", card.Processor, "provider", card.Provider, "precision", card.Precision)
	}
	m.card, m.seen = card, r.now()
}

func (r *roster) heardOf(since time.Time) (n int) {
	for _, w := range r.members {
		if w.seen.After(since) {
			n++
		}
	}
	return n
}

// dropIdle removes workers that were silent for ten minutes. If there are none, it removes an
// eighth of the workers without an accepted game, longest silent first. Removed
// workers register again when they return.
func (r *roster) dropIdle() bool {
	n := len(r.members)
	now := r.now()
	var idle []string
	for id, w := range r.members {
		switch {
		case now.Sub(w.seen) > 10*time.Minute:
			delete(r.members, id)
		case !w.worked():
			idle = append(idle, id)
		}
	}
	if len(r.members) == n && len(idle) > 0 {
		slices.SortFunc(idle, func(a, b string) int { return r.members[a].seen.Compare(r.members[b].seen) })
		for _, id := range idle[:(len(idle)+7)/8] {
			delete(r.members, id)
		}
	}
	return len(r.members) < n
}

// read unpacks a request and finds the worker that sent it. If that fails, read answers the client
// itself and returns a nil worker. stranger is the reply to a client that the server does not know.
// The caller holds mu.
func read[T any](s *Server, c *call, stranger any) (*T, *member) {
	v := new(T)
	if err := unpack(c.data, v); err != nil {
		s.conn.reply(c.reply, receipt{rejected, err.Error()})
		return nil, nil
	}
	w := s.roster.members[c.who]
	if w == nil {
		s.conn.reply(c.reply, stranger)
		return nil, nil
	}
	w.seen = s.conf.Now()
	return v, w
}

func (r *roster) ban(worker, reason string) {
	w := r.members[worker]
	if _, already := r.banned[worker]; already || w == nil {
		return
	}
	if len(r.banned) >= fullBanned && !w.worked() { // new keys cost nothing, so the list needs a bound
		for id := range r.banned {
			delete(r.banned, id)
			break
		}
	}
	r.banned[worker], r.unsaved = reason, true
	r.log.Warn("a worker is set aside", "worker", publicName(worker), "name", w.card.Name, "reason", reason)
	delete(r.members, worker)
}

// saveBanned writes the list of banned workers if it has changed. The caller holds mu.
func (r *roster) saveBanned() {
	if !r.unsaved {
		return
	}
	r.unsaved = false
	if err := file.WriteJSON(filepath.Join(r.dir, bannedFile), r.banned, " "); err != nil {
		r.log.Error("the list of workers that are set aside cannot be written", "error", err)
	}
}
