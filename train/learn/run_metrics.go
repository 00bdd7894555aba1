package learn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Line is a line of the metrics file: the mean over the steps since the previous line, or a
// measurement on the games held back.
type Line struct {
	Kind     string             `json:"kind"` // "step", "validation" or "averaged"
	Step     int64              `json:"step"`
	Samples  int64              `json:"samples"`
	Rows     int                `json:"rows"` // rows that the means are taken over
	Loss     float64            `json:"loss"`
	Terms    map[string]float64 `json:"terms"`
	Rate     float64            `json:"rate,omitempty"`
	GradNorm float64            `json:"grad_norm,omitempty"`
	Speed    float64            `json:"samples_per_second,omitempty"`
}

type metrics struct{ f *os.File }

// openMetrics opens a metrics file to append the lines after a step. It cuts off lines of later steps.
func openMetrics(path string, step int64) (*metrics, error) {
	var keep int64
	err := eachMetric(path, func(l *Line, end int64) bool {
		// Measurements of a step have their lines after the line of the step, and will be made again.
		if l.Step > step || l.Step == step && l.Kind != "step" {
			return false
		}
		keep = end
		return true
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err = f.Truncate(keep); err == nil {
		_, err = f.Seek(keep, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &metrics{f}, nil
}

// ReadMetrics reads a metrics file. A last line that was not written to its end is left out.
func ReadMetrics(path string) ([]Line, error) {
	var lines []Line
	err := eachMetric(path, func(l *Line, _ int64) bool {
		lines = append(lines, *l)
		return true
	})
	return lines, err
}

// eachMetric calls a function for each line, with the offset of the line's end, until the function
// returns false.
func eachMetric(path string, use func(l *Line, end int64) bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	end := 0
	for n := 1; end < len(data); n++ {
		size := bytes.IndexByte(data[end:], '\n') + 1
		var l Line
		begins := []byte(`{"kind":`)
		if !bytes.HasPrefix(data[end:], begins[:min(len(begins), len(data)-end)]) || size > 0 && json.Unmarshal(data[end:end+size], &l) != nil {
			return fmt.Errorf("%s: line %d is not one of metrics: take that line out, or move the file away", path, n)
		}
		if size == 0 {
			return nil
		}
		if end += size; !use(&l, int64(end)) {
			return nil
		}
	}
	return nil
}

// write adds a line. speed is in samples per second, 0 for a measurement. If r has no rows, because
// all steps were skipped, write does nothing.
func (m *metrics) write(kind string, c Counters, r *Result, speed float64) error {
	if r.Rows == 0 {
		return nil
	}
	l := Line{Kind: kind, Step: c.Steps, Samples: c.Samples, Rows: r.Rows, Loss: r.Loss, GradNorm: r.GradNorm, Rate: r.Rate, Speed: speed,
		Terms: map[string]float64{}}
	for _, t := range r.Terms {
		if t.Weight > 0 {
			l.Terms[t.Name] = t.Mean
		}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = m.f.Write(append(text, '\n'))
	return err
}
