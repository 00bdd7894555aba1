package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kosumi/internal/file"
)

// roster knows the workers of a server: those at work, and across restarts those that
// are banned and those whose first games were found right. The server's lock guards it.
type roster struct {
	dir string // of the lists
	log *slog.Logger
	now func() time.Time

	members map[string]*member
	banned  map[string]string // why, by worker
	proven  map[string]string // when, by worker: those whose first games were found right
	unsaved bool              // banned has changed
	trusted string            // a worker of this machine
}

// openRoster reads the lists in a folder.
func openRoster(dir string, log *slog.Logger, now func() time.Time) (*roster, error) {
	r := &roster{dir: dir, log: log, now: now, members: map[string]*member{}}
	var err error
	if r.banned, err = loadList(filepath.Join(dir, bannedFile)); err != nil {
		return nil, err
	}
	r.proven, err = loadList(filepath.Join(dir, provenFile))
	return r, err
}

// join takes a worker in, or notes what it says of itself now.
func (r *roster) join(id string, card Card) {
	m := r.members[id]
	if m == nil {
		m = &member{passed: map[string]bool{}, trusted: id == r.trusted, beaten: r.now()}
		if r.proven[id] != "" {
			m.good.Store(probation)
		}
		r.members[id] = m
		r.log.Info("worker joins", "worker", publicName(id), "name", card.Name, "processor", card.Processor, "provider", card.Provider, "precision", card.Precision)
	}
	m.card, m.seen = card, r.now()
}

// prove notes that the first games of a worker were found right.
func (r *roster) prove(id string) {
	r.proven[id] = time.Now().UTC().Format(time.DateTime)
	r.saveList(provenFile, r.proven)
}

// dropIdle makes room for another worker: those go that were not heard of for ten
// minutes, and if there are none, of those that have done nothing yet the ones that
// were not heard of for longest, one of eight. They say hello again when they come back.
func (r *roster) dropIdle() bool {
	n := len(r.members)
	now := r.now()
	var idle []string
	for id, w := range r.members {
		switch {
		case w.trusted:
		case now.Sub(w.seen) > 10*time.Minute:
			delete(r.members, id)
		case w.games.Stored == 0 && w.tasks == 0 && w.good.Load() == 0:
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

// read unpacks a request of a worker and finds the worker.
func read[T any](r *roster, conn *Conn, c *call) (*T, *member, bool) {
	v := new(T)
	if err := unpack(c.data, v); err != nil {
		conn.reply(c.reply, receipt{rejected, err.Error()})
		return nil, nil, false
	}
	w := r.members[c.who]
	if w != nil {
		w.seen = r.now()
	}
	return v, w, true
}

// ban takes no more games of a worker.
func (r *roster) ban(worker, reason string) {
	if worker == "" {
		return
	}
	if _, already := r.banned[worker]; already || r.members[worker] == nil {
		return
	}
	if len(r.banned) >= fullBanned && r.proven[worker] == "" { // keys cost nothing: another one goes, not the list on
		for id := range r.banned {
			delete(r.banned, id)
			break
		}
	}
	r.banned[worker], r.unsaved = reason, true
	w := r.members[worker]
	r.log.Warn("a worker is set aside", "worker", publicName(worker), "name", w.card.Name, "reason", reason)
	delete(r.members, worker)
	if r.proven[worker] != "" {
		delete(r.proven, worker)
		r.saveList(provenFile, r.proven)
		r.saveBanned()
	}
}

// saveBanned writes who is set aside, once for many. The caller holds mu.
func (r *roster) saveBanned() {
	if r.unsaved {
		r.unsaved = false
		r.saveList(bannedFile, r.banned)
	}
}

// saveList writes a list of workerr.
func (r *roster) saveList(name string, list map[string]string) {
	data, err := json.MarshalIndent(list, "", " ")
	if err == nil {
		err = file.WriteBytes(filepath.Join(r.dir, name), data)
	}
	if err != nil {
		r.log.Error("a list of workers cannot be written", "list", name, "error", err)
	}
}

func loadList(path string) (map[string]string, error) {
	list := map[string]string{}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}
