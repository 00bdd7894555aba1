package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/review"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// mostSettings bounds the settings of a page, in bytes.
const mostSettings = 64 << 10

// serveBackup sends a backup of everything; the request's body has the settings of the page.
func (s *Server) serveBackup(w http.ResponseWriter, r *http.Request) {
	settings, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostSettings))
	if err != nil || len(settings) > 0 && !json.Valid(settings) {
		http.Error(w, "the settings of the page are not JSON", http.StatusBadRequest)
		return
	}
	s.sendBackup(w, "kosumi-backup-", s.saved(nil), settings)
}

func (s *Server) sendBackup(w http.ResponseWriter, name string, kinds []store.Saved, settings []byte) {
	persons, err := s.player.Profile.Persons(true)
	if err != nil {
		s.warnings.Warn(fmt.Sprintf("a backup has no name of its player: %v", err), "backup")
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+time.Now().Format(time.DateOnly)+`.zip"`)
	if err := store.WriteBackup(w, store.Manifest{By: s.conf.Version, Persons: persons, Names: s.player.Profile.State().Names, Settings: settings}, kinds); err != nil {
		panic(http.ErrAbortHandler) // break the connection: the file is incomplete
	}
}

// saved lists the kinds of files in a backup. r records what a restore adds; it is nil when a backup is written.
func (s *Server) saved(r *restoring) []store.Saved {
	all := s.player.Games.Saved(func(e store.Entry, do bool) (fresh, all int, err error) {
		fresh, all, err = s.games.Merge(e, do)
		r.games[e.ID] = fresh > 0
		return fresh, all, err
	})
	all = append(all, s.docs.Saved())
	all = append(all, s.reviews.Saved()...)
	return append(all, s.player.Profile.Saved(s.reviews.Drills.Answered(), s.reviews.Drills.Answered), store.Saved{Kind: "rest", Ext: "levels.json", Most: 1 << 20,
		Path: func(string) string {
			path, _ := filepath.EvalSymlinks(s.engines.Config.LevelFile)
			return path // "" if there is no file
		},
		Merge: func(e store.Entry, do bool) (fresh, all int, err error) {
			other, err := level.ParsePlayerRatings(e.Data)
			if err == nil {
				r.taken, err = s.games.levels.Merge(other, do)
			}
			return min(len(r.taken), 1), 1, err
		}})
}

// restoring records what a merge takes from a backup.
type restoring struct {
	games map[string]bool // the backup's games by ID; true: new or longer than here
	taken map[string]bool // boards whose rating comes from the backup
}

// serveRestore reports how much a backup holds and how much of it is missing here; with ?do=1 it
// restores the missing part. From a ZIP that is not a backup it imports the game records.
func (s *Server) serveRestore(w http.ResponseWriter, r *http.Request) {
	answer := &api.Restored{}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, store.MaxBackup))
	if errors.As(err, new(*http.MaxBytesError)) {
		err = api.Tell("limit", "backup_large", "n", store.MaxBackup>>20)
	}
	var b *store.Backup
	if err == nil {
		b, err = store.OpenBackup(data)
	}
	if err == nil && b.Manifest == nil {
		answer.Records, err = s.importZip(b, r.URL.Query().Get("to"))
	} else if err == nil {
		answer, err = s.restore(b, r.URL.Query().Get("do") != "")
	}
	if err != nil {
		answer.Error, answer.Say = err.Error(), api.Said(err)
	}
	writeJSON(w, answer)
}

// importZip imports the game records of a ZIP that is not a backup; to is as in importer.
func (s *Server) importZip(b *store.Backup, to string) (answers []api.Imported, err error) {
	keep, done := s.importer(to)
	b.Records(wire.MaxSGF, func(name string, data []byte, err error) { answers = append(answers, keep(name, data, err)) })
	done()
	if len(answers) == 0 {
		return nil, api.Tell("bad_request", "zip_empty")
	}
	return answers, nil
}

func (s *Server) restore(b *store.Backup, do bool) (*api.Restored, error) {
	m := b.Manifest
	a := &api.Restored{Made: m.Made.Unix(), By: wire.Shown(m.By, 40), Names: []string{}, Settings: m.Settings}
	for _, n := range m.Names[:min(len(m.Names), 5)] {
		a.Names = append(a.Names, wire.Shown(n, 100))
	}
	mine, err := s.player.Profile.Persons(false)
	if err != nil {
		return a, err
	}
	r := &restoring{games: map[string]bool{}}
	a.Fresh, a.All, a.Damaged, err = b.Merge(s.saved(r), do)
	here, _, _ := s.player.Games.Tallies()
	a.Other = here.Won+here.Lost+here.Drawn+here.Open > 0 && a.All["games"] == a.Fresh["games"] && !slices.ContainsFunc(m.Persons, func(p string) bool { return slices.Contains(mine, p) })
	if do {
		s.recount(r)
	}
	return a, err
}

// recount updates the player's ratings after a merge so that each game counts once. It adds the games that
// the backup lacks to ratings taken from the backup, and the backup's new games to the other ratings.
func (s *Server) recount(r *restoring) {
	var count []*game
	ids, _ := s.player.Games.IDs()
	for _, id := range ids {
		k, _ := s.player.Games.Game(id)
		fresh, inBackup := r.games[id]
		taken := r.taken[board.Size{W: k.Size[0], H: k.Size[1]}.String()]
		if !k.Seat.Auto || k.Result == "" || taken && inBackup || !taken && !fresh {
			continue
		}
		if g, err := s.games.Open(id); err == nil {
			count = append(count, g)
		}
	}
	slices.SortFunc(count, func(a, b *game) int { return a.rec.Changed.Compare(b.rec.Changed) })
	for _, g := range count {
		g.mu.Lock()
		g.pending.level = true
		g.writePending()
		g.mu.Unlock()
	}
	s.reviews.EachResult(func(id string, res *review.Result) bool {
		_, err := s.player.Judged(id, res)
		return err == nil
	})
}
