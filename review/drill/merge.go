package drill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Merge adds the problems of another set that are not in this one, and returns how many.
func (d *Set) Merge(other *Set) int {
	before := len(d.Problems)
	for _, p := range other.Problems {
		d.add(p)
	}
	return len(d.Problems) - before
}

// MergeAttempts joins two logs in the order of their times. An attempt at a problem at a time that
// both have is the first one's.
func MergeAttempts(a, b []Attempt) []Attempt {
	type key struct {
		id string
		at int64
	}
	known, all := map[key]bool{}, slices.Clip(a)
	for i, x := range slices.Concat(a, b) {
		k := key{x.ID, x.Time.UnixNano()}
		if i >= len(a) && !known[k] {
			all = append(all, x)
		}
		known[k] = true
	}
	slices.SortStableFunc(all, func(x, y Attempt) int { return x.Time.Compare(y.Time) })
	return all
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
			return nil, fmt.Errorf("not a file of answers: %.80q", line)
		}
		l.take(a)
	}
	return l.Attempts, nil
}
