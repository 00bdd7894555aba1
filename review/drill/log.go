package drill

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Attempt is one answer to a problem.
type Attempt struct {
	ID      string    `json:"id"` // of the problem
	Time    time.Time `json:"time"`
	Grade   Grade     `json:"grade"`
	Right   bool      `json:"right,omitempty"`
	Answer  string    `json:"answer"` // own moves in order, as vertices; empty: gave up, or mended in the review
	Loss    float64   `json:"loss"`   // in points
	Seconds float64   `json:"seconds"`
}

// Solved reports whether the answer was right; older logs say so by the grade alone.
func (a *Attempt) Solved() bool { return a.Right || a.Grade >= GoodGrade }

// Log is the append-only file of attempts, one JSON object a line, from which the schedule is
// computed. An attempt with the problem and time of an earlier one replaces it: the user
// changed the grade.
type Log struct {
	file     *os.File
	Attempts []Attempt
}

// OpenLog opens or creates a log. An unreadable line is an error, unless it is the last and
// was cut short.
func OpenLog(name string) (*Log, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name) // reading a pipe might block
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	l := &Log{file: file}
	lines := bufio.NewReader(file)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if text := strings.TrimSpace(string(line)); text != "" && text[0] != '{' && !json.Valid(line) {
			file.Close()
			return nil, fmt.Errorf("%s is not a file of answers: line %d is none", name, number)
		}
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				_, err = file.WriteString("\n")
				return l, err
			}
			return l, nil
		}
		if err != nil {
			file.Close()
			return nil, err
		}
		var a Attempt
		if strings.TrimSpace(string(line)) == "" {
			continue
		}
		bad := json.Unmarshal(line, &a) != nil
		if bad && !json.Valid(line) {
			continue // was cut short
		}
		if bad || a.Grade < AgainGrade || a.Grade > EasyGrade {
			file.Close()
			return nil, fmt.Errorf("%s, line %d: not an attempt at a problem; take that line out", name, number)
		}
		l.take(a)
	}
}

// take appends an attempt, or replaces the one with its problem and time.
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

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }
