package review

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Store keeps the results of the searches of one game, from which an interrupted review resumes and
// a review with a larger budget begins. It is an append-only file with one JSON object a line; a
// last line that was cut short is ignored. Create one with [OpenStore]; a nil Store keeps nothing.
type Store struct {
	mu    sync.Mutex
	file  *os.File
	kept  time.Time // time of the last sync
	known map[storeKey]*Eval
	spent time.Duration
}

type storeKey struct {
	ply    int
	visits int64
}

// storeLine is one search.
type storeLine struct {
	Ply    int   `json:"ply"`
	Visits int64 `json:"visits"` // requested visits
	// Millis is the total time of the game's searches so far.
	Millis int64 `json:"ms"`
	Eval   *Eval `json:"eval"`
}

// keepEvery is the minimum time between two syncs by put.
const keepEvery = 3 * time.Second

// storeFormat is part of a store's name, so that results of another version are not used.
const storeFormat = 1

// OpenStore opens or creates the store of a game in a folder. The file's name is a hash of
// the game, its rules, the network and the search settings. network identifies the network
// and its precision.
func OpenStore(dir string, g *Game, network string, c Config) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d\n%s\n%+v\n%s\n%g\n%v\n%+v\n", storeFormat, network, searchParams(c.Search),
		g.Rules.JSON(), g.Rules.Komi, g.Record.Size, g.Record.Handicap)
	if s := g.Record.Setup; s != nil {
		fmt.Fprintf(h, "%+v\n", *s)
	}
	for _, s := range g.Record.Steps {
		fmt.Fprintf(h, "%+v %+v\n", s.Move, s.Setup)
	}
	name := filepath.Join(dir, hex.EncodeToString(h.Sum(nil))[:24]+".jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	s := &Store{file: f, known: map[storeKey]*Eval{}}
	if err := s.load(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// load reads the file and adds a newline to an unfinished last line. It ignores unreadable lines; their positions
// are searched again.
func (s *Store) load() error {
	data, err := io.ReadAll(s.file)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		var l storeLine
		if json.Unmarshal(line, &l) != nil || l.Eval == nil {
			continue
		}
		s.known[storeKey{l.Ply, l.Visits}] = l.Eval
		s.spent = max(s.spent, time.Duration(l.Millis)*time.Millisecond)
	}
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		_, err = s.file.WriteString("\n")
	}
	return err
}

// get returns the result of a search, or nil.
func (s *Store) get(ply int, visits int64) *Eval {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[storeKey{ply, visits}]
}

// put stores the result of a search. It writes a line with one call, so that an interruption spoils only the last line.
func (s *Store) put(ply int, visits int64, e *Eval, spent time.Duration) error {
	if s == nil {
		return nil
	}
	line, err := json.Marshal(storeLine{Ply: ply, Visits: visits, Millis: spent.Milliseconds(), Eval: e})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[storeKey{ply, visits}] = e
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("cannot store the findings: %w", err)
	}
	if time.Since(s.kept) > keepEvery { // a killed browser tab loses unsynced data
		s.kept = time.Now()
		return s.file.Sync()
	}
	return nil
}

// Spent returns the time of the game's searches in earlier runs.
func (s *Store) Spent() time.Duration {
	if s == nil {
		return 0
	}
	return s.spent
}

func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.file.Sync(), s.file.Close())
}
