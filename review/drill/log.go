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

// Attempt is one answer that somebody gave.
type Attempt struct {
	ID      string    `json:"id"` // of the problem
	Time    time.Time `json:"time"`
	Grade   Grade     `json:"grade"`
	Answer  string    `json:"answer"` // a vertex, or those that were played one after the other; empty where he gave up
	Loss    float64   `json:"loss"`   // in points
	Seconds float64   `json:"seconds"`
}

// Log is the file of attempts: one JSON object a line, only ever added to, so that
// the schedule can be computed anew. An attempt at the same problem at the same time
// as an earlier one replaces it: its grade was overruled.
type Log struct {
	file     *os.File
	Attempts []Attempt
}

// OpenLog opens a log, made where there is none. Lines that make no sense are an
// error, except a last one that was cut short.
func OpenLog(name string) (*Log, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name) // to read a pipe might never end
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

func (l *Log) take(a Attempt) {
	for i := len(l.Attempts) - 1; i >= 0 && !l.Attempts[i].Time.Before(a.Time); i-- {
		if b := &l.Attempts[i]; b.ID == a.ID && b.Time.Equal(a.Time) {
			*b = a
			return
		}
	}
	l.Attempts = append(l.Attempts, a)
}

// Add writes an attempt, which is on the disk when Add returns. After an error the
// file is as it was before.
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
