package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"time"

	"kosumi/internal/file"
	"kosumi/web/api"
)

// Header is the first line of a game's journal: its settings.
type Header struct {
	V        int       `json:"v"`
	ID       string    `json:"id"`
	Created  time.Time `json:"created"`
	Size     [2]int    `json:"size"`
	Rules    string    `json:"rules"`
	Komi     float64   `json:"komi"`
	Handicap int       `json:"handicap,omitempty"`
	Free     bool      `json:"free,omitempty"`
	Colour   string    `json:"colour"` // the player's colour
	Seat     api.Seat  `json:"seat"`
	Teach    string    `json:"teach,omitempty"` // strictness of teaching, see [api.NewGame]
	Clock    api.Clock `json:"clock"`
}

// Step is a line of a journal after the header: an event of the game.
type Step struct {
	Rev int `json:"rev"`
	// K is the kind: stone (free handicap), move, undo, redo, dead, playon, over, pause,
	// resume, help, teach or restored.
	K      string             `json:"k"`
	M      string             `json:"m,omitempty"` // move
	N      int                `json:"n,omitempty"` // undo: plies
	Dead   []string           `json:"dead,omitempty"`
	Result string             `json:"result,omitempty"`
	Why    string             `json:"why,omitempty"` // reason; teach: the strictness
	At     time.Time          `json:"at"`
	Clocks *[2]api.ClockState `json:"clocks,omitempty"`
	Was    *[2]api.ClockState `json:"was,omitempty"` // move: clocks without the time that the move gained
}

// Journal is a file of lines, each on disk before Append returns. The last field of a line is the
// CRC-32 of the line without it, which detects a damaged byte.
type Journal struct{ f *os.File }

// NewJournal begins a file.
func NewJournal(path string, lines ...any) (*Journal, error) {
	var all []byte
	for _, line := range lines {
		data, err := sealed(line)
		if err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	if err := file.WritePrivate(path, all); err != nil {
		return nil, err
	}
	return OpenJournal(path)
}

// OpenJournal opens an existing file.
func OpenJournal(path string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &Journal{f}, nil
}

// sumField begins the last field of a line; sumSize is the length from there to the end of the
// line, in bytes.
const (
	sumField = `,"sum":"`
	sumSize  = len(sumField) + 8 + len(`"}`)
)

// sealed returns a line as JSON, with its sum.
func sealed(line any) ([]byte, error) {
	data, err := json.Marshal(line)
	if err != nil {
		return nil, err
	}
	sum := crc32.ChecksumIEEE(data)
	return fmt.Appendf(data[:len(data)-1], "%s%08x\"}\n", sumField, sum), nil
}

// unsealed decodes a line into v and checks its sum; lines of old journals have none.
func unsealed(line []byte, v any) error {
	if at := len(line) - sumSize; at > 0 && bytes.HasPrefix(line[at:], []byte(sumField)) {
		sum := crc32.ChecksumIEEE(append(slices.Clone(line[:at]), '}'))
		if string(line[at+len(sumField):len(line)-len(`"}`)]) != fmt.Sprintf("%08x", sum) {
			return errors.New("its checksum does not match")
		}
	}
	return json.Unmarshal(line, v)
}

// Append writes one line. After an error the file is as it was before.
func (j *Journal) Append(line any) error {
	data, err := sealed(line)
	if err != nil {
		return err
	}
	before, err := j.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = j.f.Write(data); err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		return errors.Join(err, j.f.Truncate(before))
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error { return j.f.Close() }

// ErrDamaged is the error for a journal that cannot be read.
var ErrDamaged = errors.New("the record of the game is damaged")

// maxJournal bounds a journal; a game of 1,000 moves has 300 kB.
const maxJournal = 64 << 20

// kept is the readable part of a journal.
type kept struct {
	head   Header
	headed bool   // head is valid
	steps  []Step // up to the first damaged line
	rest   []Step // undamaged lines after that one
	bad    int    // number of the first damaged line; 0: none
	whole  int    // size of the complete lines, in bytes
	torn   bool   // the file ends with an incomplete line, cut off by a crash
}

// parse reads all whole lines of a journal.
func parse(data []byte) kept {
	k := kept{whole: bytes.LastIndexByte(data, '\n') + 1}
	k.torn = k.whole < len(data)
	n := 0
	for line := range bytes.Lines(data[:k.whole]) {
		n++
		line = line[:len(line)-1]
		if n == 1 {
			k.headed = unsealed(line, &k.head) == nil && k.head.V == 1
			if !k.headed {
				k.bad, k.head = 1, Header{}
			}
			continue
		}
		var e Step
		err := unsealed(line, &e)
		switch {
		case err != nil:
			k.bad = cmp.Or(k.bad, n)
		case k.bad > 0:
			k.rest = append(k.rest, e)
		default:
			k.steps = append(k.steps, e)
		}
	}
	if n == 0 {
		k.bad = 1
	}
	return k
}
