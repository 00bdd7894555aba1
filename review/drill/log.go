package drill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Attempt is one answer to a problem.
type Attempt struct {
	ID      string    `json:"id"` // the problem's ID
	Time    time.Time `json:"time"`
	Grade   Grade     `json:"grade"`
	Right   bool      `json:"right,omitempty"`
	Answer  string    `json:"answer"` // the player's moves in order, as vertices; empty if the player gave up, or corrected the mistake in the review
	Loss    float64   `json:"loss"`   // points lost
	Seconds float64   `json:"seconds"`
}

// Solved reports whether the answer was right. In logs of older versions the grade decides.
func (a *Attempt) Solved() bool { return a.Right || a.Grade >= GoodGrade }

// Log is the append-only file of attempts, one JSON object a line, from which the schedule is
// computed. An attempt with the same problem and time as an earlier attempt replaces the earlier one:
// the user changed the grade.
type Log struct {
	name     string
	file     *os.File // nil until the first attempt, which creates the file
	Attempts []Attempt
}

// OpenLog opens a log; a missing one is empty. An unreadable line is an error, except a line cut
// short.
func OpenLog(name string) (*Log, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name) // reading a pipe might block
	}
	l := &Log{name: name}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Dir(name))
		return l, err
	}
	if err != nil {
		return nil, err
	}
	l.file = file
	data, err := io.ReadAll(file)
	if err == nil {
		err = l.read(name, data)
	}
	if err == nil && len(data) > 0 && data[len(data)-1] != '\n' {
		_, err = file.WriteString("\n")
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// ReadAttempts reads the content of a log.
func ReadAttempts(data []byte) ([]Attempt, error) {
	l := new(Log)
	err := l.read("answers", data)
	return l.Attempts, err
}

// read adds the attempts in a file to l. It skips lines that were cut short.
func (l *Log) read(name string, data []byte) error {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		var a Attempt
		bad := json.Unmarshal(line, &a) != nil
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0:
		case bad && !json.Valid(text):
			if text[0] != '{' {
				return fmt.Errorf("%s is not a file of answers: line %d is none", name, number)
			}
		case bad || a.Grade < AgainGrade || a.Grade > EasyGrade:
			return fmt.Errorf("%s, line %d: not an attempt at a problem; take that line out", name, number)
		default:
			l.take(a)
		}
	}
	return nil
}

// take appends an attempt, or replaces the attempt with the same problem and time.
func (l *Log) take(a Attempt) {
	for i := len(l.Attempts) - 1; i >= 0 && !l.Attempts[i].Time.Before(a.Time); i-- {
		if b := &l.Attempts[i]; b.ID == a.ID && b.Time.Equal(a.Time) {
			*b = a
			return
		}
	}
	l.Attempts = append(l.Attempts, a)
}

// Add writes an attempt, which is on the disk when Add returns. After an error the file is
// unchanged.
func (l *Log) Add(a Attempt) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if l.file == nil {
		if l.file, err = os.OpenFile(l.name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644); err != nil {
			return err
		}
	}
	before, err := l.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err = l.file.Write(append(line, '\n')); err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(err, l.file.Truncate(before))
	}
	l.take(a)
	return nil
}

func (l *Log) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
