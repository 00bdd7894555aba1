package match

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"kosumi/internal/file"
	"kosumi/match/elo"
)

var (
	// ErrJournalConfig means that the journal belongs to another match.
	ErrJournalConfig = errors.New("journal is of a match with other settings")
	// ErrJournal means that the journal cannot be used.
	ErrJournal = errors.New("bad journal")
)

// journalFormat is the version of the file format.
const (
	journalFormat = 1
	headerStart   = `{"kosumi_match":`
)

var errHeader = fmt.Errorf("%w: it is another file: its first line is not the header of a match; name another journal or folder, or move this file away", ErrJournal)

// header is the first line of a journal; each further line is a GameResult.
type header struct {
	Format int      `json:"kosumi_match"`
	Match  identity `json:"match"`
}

// identity holds the settings that all games of a match share. The number of games, how
// many are played at once and the output folder may change.
type identity struct {
	A           string    `json:"a"`
	B           string    `json:"b"`
	Size        string    `json:"boardsize"`
	Rules       string    `json:"rules"`
	Komi        float32   `json:"komi"`
	Time        string    `json:"time_settings"`
	TimeGrace   string    `json:"time_grace"`
	MoveTimeout string    `json:"move_timeout"`
	MaxMoves    int       `json:"max_moves"`
	Openings    string    `json:"openings"`
	Handicap    int       `json:"handicap,omitempty"`
	SPRT        *elo.SPRT `json:"sprt"`
}

func (p *plan) identity() identity {
	id := identity{
		A: cmp.Or(p.A.KnownAs, p.A.Command), B: cmp.Or(p.B.KnownAs, p.B.Command), Size: p.Size.String(), Rules: p.rules.JSON(), Komi: p.rules.Komi,
		Time: p.Time.String(), TimeGrace: p.TimeGrace.String(), MoveTimeout: p.MoveTimeout.String(),
		MaxMoves: p.MaxMoves, Handicap: p.Handicap, SPRT: p.SPRT,
	}
	if len(p.Openings) > 0 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%v", p.Openings))
		id.Openings = fmt.Sprintf("%d openings, sha256 %s", len(p.Openings), hex.EncodeToString(sum[:8]))
	}
	return id
}

// differences lists the settings in which two matches differ.
func (id identity) differences(other identity) string {
	fields, was, now := reflect.TypeOf(id), reflect.ValueOf(id), reflect.ValueOf(other)
	var list []string
	for i := range fields.NumField() {
		key, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		old, _ := json.Marshal(was.Field(i).Interface()) // plain data, which cannot fail
		new, _ := json.Marshal(now.Field(i).Interface())
		if !bytes.Equal(old, new) {
			list = append(list, fmt.Sprintf("%s was %s, is now %s", key, old, new))
		}
	}
	return strings.Join(list, "; ")
}

// journal is an open file of finished games.
type journal struct {
	file *os.File
	lock *file.Hold
}

// openJournal opens or creates the journal of a match, locks it, and returns its games by
// number from 0. A last line that a crash cut short is removed.
func openJournal(name string, id identity) (*journal, map[int]GameResult, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, nil, fmt.Errorf("cannot make the journal's folder: %w", err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot open the journal: %w", err)
	}
	j := &journal{file: f}
	if j.lock, err = file.Lock(name); err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	results, err := j.load(id)
	if err != nil {
		j.close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return j, results, nil
}

func (j *journal) load(id identity) (map[int]GameResult, error) {
	results := map[int]GameResult{}
	r := bufio.NewReader(j.file)
	end := int64(0) // end of the last complete line
	for number := 1; ; number++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if number == 1 && !bytes.HasPrefix(line, []byte(headerStart)[:min(len(line), len(headerStart))]) {
				return nil, errHeader
			}
			break // any rest is a line cut short
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrJournal, err)
		}
		if err := loadLine(results, id, line, number); err != nil {
			return nil, err
		}
		end += int64(len(line))
	}
	err := j.file.Truncate(end)
	if err == nil {
		_, err = j.file.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJournal, err)
	}
	if end == 0 {
		return results, j.append(header{journalFormat, id})
	}
	return results, nil
}

// loadLine reads one line of a journal; the first is the header.
func loadLine(results map[int]GameResult, id identity, line []byte, number int) error {
	if number == 1 {
		var h header
		if err := json.Unmarshal(line, &h); err != nil || h.Format != journalFormat {
			return errHeader
		}
		if diff := h.Match.differences(id); diff != "" {
			return fmt.Errorf("%w (%s): use another folder, or delete it", ErrJournalConfig, diff)
		}
		return nil
	}
	var g GameResult
	if err := json.Unmarshal(line, &g); err != nil || g.Game < 1 {
		return fmt.Errorf("%w: line %d is not a game; take that line out to play its game again", ErrJournal, number)
	}
	results[g.Game-1] = g
	return nil
}

// append writes a line, which is on the disk when append returns.
func (j *journal) append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	if _, err = j.file.Write(append(line, '\n')); err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("cannot write the journal: %w", err)
	}
	return nil
}

func (j *journal) close() {
	j.file.Close()
	j.lock.Release()
}
