package learn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"kosumi/train/rows"
)

// Line is a line of the metrics file: the mean over the steps since the last one,
// or a measurement on the games held back.
type Line struct {
	Kind     string             `json:"kind"` // "step", "validation" or "averaged"
	Step     int64              `json:"step"`
	Samples  int64              `json:"samples"`
	Rows     int                `json:"rows"` // that the means are over
	Loss     float64            `json:"loss"`
	Terms    map[string]float64 `json:"terms"`
	Rate     float64            `json:"rate,omitempty"`
	GradNorm float64            `json:"grad_norm,omitempty"`
	Speed    float64            `json:"samples_per_second,omitempty"`
}

// metrics writes the metrics file.
type metrics struct {
	path string
	f    *os.File
}

// openMetrics opens the file to go on after a step: lines of later steps, which an
// interrupted run has left, are dropped.
func openMetrics(path string, step int64) (*metrics, error) {
	lines, err := ReadMetrics(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var keep bytes.Buffer
	for _, l := range lines {
		// What is measured at a step comes after it and is measured again.
		if l.Step < step || l.Step == step && l.Kind == "step" {
			text, err := json.Marshal(l)
			if err != nil {
				return nil, err
			}
			keep.Write(append(text, '\n'))
		}
	}
	if err := rows.WriteAtomic(path, func(w io.Writer) error {
		_, err := w.Write(keep.Bytes())
		return err
	}); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	return &metrics{path: path, f: f}, nil
}

// ReadMetrics reads a metrics file. A last line that was not written to its end is
// left out.
func ReadMetrics(path string) ([]Line, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lines []Line
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, 1<<20)
	for n := 1; in.Scan(); n++ {
		var l Line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			if !bytes.HasSuffix(data, []byte("\n")) && bytes.HasSuffix(data, in.Bytes()) {
				break
			}
			return nil, fmt.Errorf("%s: line %d: %w", path, n, err)
		}
		lines = append(lines, l)
	}
	return lines, in.Err()
}

func lineOf(kind string, c *Counters, r *Result) Line {
	l := Line{Kind: kind, Step: c.Steps, Samples: c.Samples, Rows: r.Rows, Loss: r.Loss, GradNorm: r.GradNorm, Rate: r.Rate, Terms: map[string]float64{}}
	for _, t := range r.Terms {
		if t.Weight > 0 {
			l.Terms[t.Name] = t.Mean
		}
	}
	return l
}

func (m *metrics) write(l Line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = m.f.Write(append(text, '\n'))
	return err
}

func (m *metrics) step(c *Counters, r *Result, speed float64) error {
	if r.Rows == 0 { // all skipped
		return nil
	}
	l := lineOf("step", c, r)
	l.Speed = speed
	return m.write(l)
}

func (m *metrics) validation(c *Counters, r *Result, average bool) error {
	kind := "validation"
	if average {
		kind = "averaged"
	}
	return m.write(lineOf(kind, c, r))
}

func (m *metrics) sync() error { return m.f.Sync() }

func (m *metrics) close() error {
	if m.f == nil {
		return nil
	}
	err := m.f.Close()
	m.f = nil
	return err
}
