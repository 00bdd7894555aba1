package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"kosumi/internal/file"
	"kosumi/web/api"
)

// header is the first line of a game's journal: what was agreed before it began.
type header struct {
	V        int       `json:"v"`
	ID       string    `json:"id"`
	Created  time.Time `json:"created"`
	Size     [2]int    `json:"size"`
	Rules    string    `json:"rules"`
	Komi     float64   `json:"komi"`
	Handicap int       `json:"handicap,omitempty"`
	Free     bool      `json:"free,omitempty"`
	Colour   string    `json:"colour"` // the player's
	Seat     api.Seat  `json:"seat"`
	Clock    api.Clock `json:"clock"`
}

// entry is any other line: one step of the game.
type entry struct {
	Rev int `json:"rev"`
	// K is stone (free handicap), move, undo, redo, dead, playon, over, pause,
	// resume or help.
	K      string             `json:"k"`
	M      string             `json:"m,omitempty"` // move
	N      int                `json:"n,omitempty"` // undo: plies
	Dead   []string           `json:"dead,omitempty"`
	Result string             `json:"result,omitempty"`
	Why    string             `json:"why,omitempty"`
	At     time.Time          `json:"at"`
	Clocks *[2]api.ClockState `json:"clocks,omitempty"`
}

// journal is a file that grows by lines, each on disk before append returns.
type journal struct{ f *os.File }

// newJournal begins a file that must not exist yet.
func newJournal(path string, h header) (*journal, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{f}
	if err := j.append(h); err != nil {
		j.close()
		os.Remove(path)
		return nil, err
	}
	return j, nil
}

// append writes one line. After an error the file is as it was before.
func (j *journal) append(line any) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	before, err := j.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = j.f.Write(append(data, '\n')); err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		j.f.Truncate(before)
	}
	return err
}

func (j *journal) close() error { return j.f.Close() }

// errJournal says that a journal cannot be read.
var errJournal = errors.New("the record of the game is damaged")

// maxJournal bounds a journal; a game of 1,000 moves has 300 kB.
const maxJournal = 64 << 20

// readJournal reads a journal. A last line that was torn by a crash is left out,
// and cut off the file where cut is set.
func readJournal(path string, cut bool) (h header, steps []entry, err error) {
	data, err := file.Read(path, maxJournal)
	if err != nil {
		return h, nil, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if cut && whole < len(data) {
		if err := os.Truncate(path, int64(whole)); err != nil {
			return h, nil, err
		}
	}
	lines := bufio.NewScanner(bytes.NewReader(data[:whole]))
	lines.Buffer(nil, maxJournal)
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			if err := json.Unmarshal(lines.Bytes(), &h); err != nil || h.V != 1 {
				return h, nil, fmt.Errorf("%w: line 1", errJournal)
			}
			continue
		}
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return h, nil, fmt.Errorf("%w: line %d", errJournal, n)
		}
		steps = append(steps, e)
	}
	if h.V == 0 {
		return h, nil, fmt.Errorf("%w: it is empty", errJournal)
	}
	return h, steps, lines.Err()
}
