package drill

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Merge adds the problems of another set that are not in this one, and returns how many.
func (d *Set) Merge(other *Set) int {
	known := map[string]bool{}
	for i := range d.Problems {
		known[d.Problems[i].ID] = true
	}
	before := len(d.Problems)
	for _, p := range other.Problems {
		if !known[p.ID] {
			known[p.ID] = true
			d.Problems = append(d.Problems, p)
		}
	}
	return len(d.Problems) - before
}

// ReadAttempts reads the lines of a log; the last attempt at a problem at one time counts.
func ReadAttempts(data []byte) ([]Attempt, error) {
	l := new(Log)
	for line := range bytes.Lines(data) {
		var a Attempt
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &a); err != nil || a.ID == "" || a.Grade < AgainGrade || a.Grade > EasyGrade {
			return nil, fmt.Errorf("not a file of answers: %s", bytes.TrimSpace(line[:min(len(line), 80)]))
		}
		l.take(a)
	}
	return l.Attempts, nil
}
