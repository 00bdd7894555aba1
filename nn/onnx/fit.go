package onnx

import (
	"fmt"
	"slices"
	"strings"
)

// Port is an input or output that a caller expects of a graph: its name, and the shape
// of one row, which is the tensor without its batch.
type Port interface {
	Port() (name string, row []int)
}

// Fit checks that the declared inputs and outputs of a graph are the expected ones and that they are
// float32. Undeclared types and dimensions pass. It returns the number of rows that the graph takes
// at a time; 0 means any number.
func Fit[P Port](g *Graph, inputs, outputs []P) (rows int64, err error) {
	if len(inputs) == 0 || len(outputs) == 0 {
		return 0, fmt.Errorf("it names %d inputs and %d outputs; at least one of each is needed", len(inputs), len(outputs))
	}
	feeds := g.Feeds()
	for _, side := range []struct {
		what  string
		ports []P
		have  []ValueInfo
	}{{"input", inputs, feeds}, {"output", outputs, g.Outputs}} {
		for _, p := range side.ports {
			name, row := p.Port()
			at := slices.IndexFunc(side.have, func(v ValueInfo) bool { return v.Name == name })
			if at < 0 {
				return 0, fmt.Errorf("the network has no %s %q; it has %s", side.what, name, listed(side.have))
			}
			n, err := fit(row, &side.have[at])
			if err != nil {
				return 0, fmt.Errorf("%s %q %w", side.what, name, err)
			}
			rows = max(rows, n)
		}
	}
	for _, v := range feeds {
		if !slices.ContainsFunc(inputs, func(p P) bool { name, _ := p.Port(); return name == v.Name }) {
			return 0, fmt.Errorf("the network also wants input %q %v", v.Name, v.Shape)
		}
	}
	return rows, nil
}

// fit compares a declared input or output with the expected shape of one row. It returns the declared
// number of rows, or 0 if any number is allowed.
func fit(row []int, v *ValueInfo) (batch int64, err error) {
	if slices.ContainsFunc(row, func(d int) bool { return d <= 0 }) {
		return 0, fmt.Errorf("has an empty dimension in its row %v", row)
	}
	switch {
	case v.opaque != nil:
		return 0, fmt.Errorf("is not a tensor; float32 is needed")
	case v.Type != Float && v.Type != Undefined:
		return 0, fmt.Errorf("is %v; float32 is needed", v.Type)
	case v.Shape == nil:
		return 0, nil
	}
	fits := len(v.Shape) == len(row)+1
	for i := 0; fits && i < len(row); i++ {
		d := v.Shape[i+1]
		fits = !d.Known() || d.Size == int64(row[i])
	}
	if !fits {
		return 0, fmt.Errorf("is %v in the network; a batch of %v was expected", v.Shape, row)
	}
	if batch := v.Shape[0]; batch.Known() {
		return batch.Size, nil
	}
	return 0, nil
}

func listed(vs []ValueInfo) string {
	texts := make([]string, len(vs))
	for i, v := range vs {
		texts[i] = fmt.Sprintf("%q %v", v.Name, v.Shape)
	}
	return strings.Join(texts, ", ")
}
