package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kosumi/internal/file"
	"kosumi/train/rows"
	"kosumi/train/selfplay"
)

// Stages of an iteration, in order.
const (
	stageSelfplay = "selfplay"
	stageTrain    = "train"
	stageExport   = "export"
	stageGate     = "gate"
)

// State is what the loop knows, as state.json holds it. Files of self-play that
// are newer than it are counted when the loop starts.
type State struct {
	Version   int       `json:"version"`
	Arch      string    `json:"arch"`
	Base      string    `json:"base,omitempty"` // network that the learner began with, where it followed another; see base
	Seed      uint64    `json:"seed"`
	Start     string    `json:"start,omitempty"` // network that it began with; "" is random weights
	Started   time.Time `json:"started"`
	Iteration int       `json:"iteration"`
	Stage     string    `json:"stage"`

	Games   int64 `json:"games"` // filed, the random ones included
	Rows    int64 `json:"rows"`
	Moves   int64 `json:"moves"`
	Random  int64 `json:"random_games"` // games of the bootstrap
	RandRow int64 `json:"random_rows"`
	// Goal is how many games or rows there shall be at the end of the stage of
	// self-play.
	GoalGames int64 `json:"goal_games"`
	GoalRows  int64 `json:"goal_rows"`
	// Samples is how many have been trained at the end of the last stage of
	// training, Target how many there shall be at the end of this one. Owed is
	// the fraction of a sample that the ratio left over.
	Samples int64   `json:"samples"`
	Target  int64   `json:"target"`
	Owed    float64 `json:"owed"`
	// Before is how many samples were trained by learners of other
	// architectures or settings, which this one follows.
	Before int64 `json:"samples_before,omitempty"`
	// MostRate bounds the learning rate after the learner has diverged; 0: nothing does.
	MostRate float64 `json:"most_rate,omitempty"`
	// Credited is the number of rows that have been turned into samples.
	Credited int64 `json:"credited"`
	// Closed is the first number of a game that may still be filed, where others
	// play too: files with games of lower numbers have been dropped.
	Closed uint64 `json:"closed,omitempty"`

	Current   string  `json:"current"`   // network that plays; "" is none: random games
	Candidate string  `json:"candidate"` // network to be gated
	Seconds   Seconds `json:"seconds"`

	Networks []Network `json:"networks"` // promoted and refused, in order
	History  []Record  `json:"history"`
}

// Seconds is the time spent, as far as it was saved.
type Seconds struct {
	Selfplay float64 `json:"selfplay"`
	Train    float64 `json:"train"`
	Gate     float64 `json:"gate"` // export and match
}

func (s *Seconds) total() float64 { return s.Selfplay + s.Train + s.Gate }

// Network is a network that the loop made.
type Network struct {
	Name    string  `json:"name"`
	SHA256  string  `json:"sha256"`
	Games   int64   `json:"games"`
	Rows    int64   `json:"rows"`
	Samples int64   `json:"samples"`
	Hours   float64 `json:"hours"`
	Against string  `json:"against,omitempty"` // in the guard match
	Score   float64 `json:"score"`             // points of a game there
	Played  int     `json:"played"`
	Elo     float64 `json:"elo"` // by the chain of guard matches

	invalid  uint64 // answers that were no numbers
	Promoted bool   `json:"promoted"`
	Gone     bool   `json:"gone,omitempty"` // deleted to save room
}

// Record is what one iteration did.
type Record struct {
	Iteration int                `json:"iteration"`
	Time      time.Time          `json:"time"`
	Network   string             `json:"network"` // that played
	Stats     selfplay.Stats     `json:"stats"`
	Evals     uint64             `json:"evals"`
	Games     int64              `json:"games"`
	Rows      int64              `json:"rows"`
	Samples   int64              `json:"samples"`
	Window    int                `json:"window"`
	Rate      float64            `json:"rate"`
	Losses    map[string]float64 `json:"losses"`
	Parts     map[string]float64 `json:"parts,omitempty"` // of the loss: means times coefficients
	Seconds   Seconds            `json:"seconds"`
}

const (
	stateVersion = 1
	maxState     = 64 << 20 // bytes
)

func statePath(dir string) string { return filepath.Join(dir, "state.json") }

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

// read fills in the state from a file's text. Faults are named by their keys.
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

// save writes the state; it is there as a whole or the old one stays.
func (s *State) save(dir string) error {
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return file.WriteBytes(statePath(dir), data)
}

// dataFile is a file of self-play on disk.
type dataFile struct {
	path    string
	first   uint64
	games   int
	rows    int
	moves   int
	network string // that played, or randomPlayer
	// IDs are those of the games, as far as their numbers are the run's own.
	ids []selfplay.Filed
}

// dataFiles lists the files of self-play, oldest first. Files that cannot be
// read are left out and named.
func dataFiles(dir string, seed uint64, known map[string]dataFile) (list []dataFile, bad []error) {
	paths, err := filepath.Glob(filepath.Join(dir, "selfplay", "*", "tdata", "*.npz"))
	if err != nil {
		return nil, []error{err}
	}
	for _, path := range paths {
		d, ok := known[path]
		if !ok {
			f, err := rows.OpenFile(path)
			if err != nil {
				bad = append(bad, err)
				continue
			}
			f.Close()
			d = dataFile{path: path, first: f.Info.First, games: f.Info.Games, rows: f.N, moves: f.Info.Moves, network: f.Info.Network}
			if f.Info.Seed == exchangeSeed(seed) {
				for _, id := range f.Info.IDs {
					d.ids = append(d.ids, selfplay.Filed{ID: selfplay.ID{Number: id[0], Fork: int(id[1])}, More: id[2] == 1})
				}
			}
			if known != nil {
				known[path] = d
			}
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b dataFile) int { return strings.Compare(filepath.Base(a.path), filepath.Base(b.path)) })
	return list, bad
}

// recount adds the files that the state does not know of yet.
func (s *State) recount(dir string, known map[string]dataFile) []error {
	list, bad := dataFiles(dir, s.Seed, known)
	for _, d := range list {
		if d.first < uint64(s.Games) {
			continue
		}
		s.count(d)
	}
	return bad
}

// count adds one file. Rows of random games are worth no samples beyond those of the
// bootstrap, and where a network plays by now, nothing of its goal.
func (s *State) count(d dataFile) {
	s.Games += int64(d.games)
	s.Rows += int64(d.rows)
	s.Moves += int64(d.moves)
	if d.network != randomPlayer {
		return
	}
	s.Random += int64(d.games)
	s.RandRow += int64(d.rows)
	s.Credited += int64(d.rows)
	if s.Current != "" && s.GoalGames > 0 {
		s.GoalGames += int64(d.games)
	}
	if s.Current != "" && s.GoalRows > 0 {
		s.GoalRows += int64(d.rows)
	}
}

// network returns what is known of a network.
func (s *State) network(name string) *Network {
	for i := range s.Networks {
		if s.Networks[i].Name == name {
			return &s.Networks[i]
		}
	}
	return nil
}
