package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kosumi/internal/file"
	"kosumi/train/selfplay"
)

// Stages of an iteration, in order.
const (
	stageSelfplay = "selfplay"
	stageTrain    = "train"
	stageExport   = "export"
	stageGate     = "gate"
)

// State is the content of state.json: the stage, the ledger, and all networks so far. Files of
// self-play that are newer than state.json are added when the loop starts.
type State struct {
	Version   int       `json:"version"`
	Arch      string    `json:"arch"`
	Base      string    `json:"base,omitempty"` // network that the learner began with, if it replaced another learner; see method base
	Seed      uint64    `json:"seed"`
	Start     string    `json:"start,omitempty"` // network that the loop began with; "" is random weights
	Started   time.Time `json:"started"`
	Iteration int       `json:"iteration"`
	Stage     string    `json:"stage"`

	Ledger

	Current   string  `json:"current"`   // network that plays; "" is none: random games
	Candidate string  `json:"candidate"` // network to be gated
	Seconds   Seconds `json:"seconds"`

	Networks []Network `json:"networks"` // promoted and refused, in order
	History  []Record  `json:"history"`
}

// Seconds is the time spent per stage, as of the last save.
type Seconds struct {
	Selfplay float64 `json:"selfplay"`
	Train    float64 `json:"train"`
	Gate     float64 `json:"gate"` // export and match
}

func (s *Seconds) total() float64 { return s.Selfplay + s.Train + s.Gate }

// Network is an entry for a network that the loop made.
type Network struct {
	Name    string  `json:"name"`
	SHA256  string  `json:"sha256"`
	Games   int64   `json:"games"`
	Rows    int64   `json:"rows"`
	Samples int64   `json:"samples"`
	Hours   float64 `json:"hours"`
	Against string  `json:"against,omitempty"` // opponent in the gating match
	Score   float64 `json:"score"`             // mean points a game in the gating match
	Played  int     `json:"played"`
	Elo     float64 `json:"elo"` // relative to the first network, added up over the gating matches

	invalid  uint64 // non-finite evaluations in match games on other machines
	Promoted bool   `json:"promoted"`
	Gone     bool   `json:"gone,omitempty"` // deleted to save room
}

// Record describes one iteration.
type Record struct {
	Iteration int                `json:"iteration"`
	Time      time.Time          `json:"time"`
	Network   string             `json:"network"` // network that played
	Stats     selfplay.Stats     `json:"stats"`
	Evals     uint64             `json:"evals"`
	Games     int64              `json:"games"`
	Rows      int64              `json:"rows"`
	Samples   int64              `json:"samples"`
	Window    int                `json:"window"`
	Rate      float64            `json:"rate"`
	Losses    map[string]float64 `json:"losses"`
	Parts     map[string]float64 `json:"parts,omitempty"` // parts of the loss by term: mean times coefficient
	Seconds   Seconds            `json:"seconds"`
}

const (
	stateVersion = 1
	maxState     = 64 << 20 // bytes
)

func statePath(dir string) string { return filepath.Join(dir, "state.json") }

// loadState reads the state of a loop; nil if there is none yet.
func loadState(dir string) (*State, error) {
	data, err := file.Read(statePath(dir), maxState)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(State)
	err = s.read(data)
	if err == nil && s.Version > stateVersion {
		return nil, fmt.Errorf("%s: version %d; this program knows version %d", statePath(dir), s.Version, stateVersion)
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; the file is damaged or was changed by hand: put a copy of it back, or begin a new loop with what this one has, by engine loop NEW --from NETWORK --data %s",
			statePath(dir), err, filepath.Join(dir, "selfplay"))
	}
	return s, nil
}

// stateOf reads the state of a loop; a missing one is an error.
func stateOf(dir string) (*State, error) {
	s, err := loadState(dir)
	if err == nil && s == nil {
		err = fmt.Errorf("%s: there is no loop in this folder (no state.json)", dir)
	}
	return s, err
}

// read parses the state. Errors name the wrong key.
func (s *State) read(data []byte) error {
	err := json.Unmarshal(data, s)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%w: %s is a %s", ErrState, wrong.Field, wrong.Value)
	case err != nil:
		return fmt.Errorf("%w: it is no JSON of a loop's (%w)", ErrState, err)
	}
	return nil
}

func (s *State) save(dir string) error {
	return file.WriteJSON(statePath(dir), s, " ")
}

// recount adds files that are newer than the state.
func (s *State) recount(files *rowFiles) []error {
	list, bad := files.list()
	for _, d := range list {
		if d.First >= uint64(s.Games) {
			s.enter(d, s.Current != "")
		}
	}
	return bad
}

// network returns the entry of a network, nil if there is none.
func (s *State) network(name string) *Network {
	for i := range s.Networks {
		if s.Networks[i].Name == name {
			return &s.Networks[i]
		}
	}
	return nil
}

// base returns the name of the network that the learner began with.
func (s *State) base() string {
	switch {
	case s.Base != "":
		return s.Base
	case s.Start == startName(s.Arch):
		return s.Start
	}
	return freshName(s.Arch)
}

// ownPlays reports whether this loop made the current network, with the learner's architecture.
func (s *State) ownPlays() bool { return strings.HasPrefix(s.Current, s.Arch+"-s") }

// last returns the record of the previous iteration, with zeros if there is none.
func (s *State) last() (r Record) {
	if n := len(s.History); n > 0 {
		r = s.History[n-1]
	}
	return r
}

// samplesThen returns the number of the learner's samples before this iteration.
func (s *State) samplesThen() int64 { return max(0, s.last().Samples-s.Before) }

// refused returns the number of networks refused in a row; 0 until one of the learner's
// architecture has been promoted.
func (s *State) refused() int {
	if !s.ownPlays() {
		return 0
	}
	n := 0
	for i := len(s.Networks) - 1; i >= 0 && !s.Networks[i].Promoted; i-- {
		n++
	}
	return n
}

// settle adds a gated network and its iteration's record, and begins the next iteration.
func (s *State) settle(n Network, r Record) {
	s.Networks = append(s.Networks, n)
	if n.Promoted {
		s.Current = n.Name
	}
	r.Time = time.Now().UTC().Truncate(time.Second)
	r.Games, r.Rows, r.Samples = s.Games, s.Rows, s.Before+s.Samples
	s.History = append(s.History, r)
	s.Candidate = ""
	s.Iteration++
	s.Stage = stageSelfplay
}
