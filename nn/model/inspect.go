package model

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"kosumi/internal/file"
	"kosumi/models"
	"kosumi/nn/arch"
	"kosumi/nn/features"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

// Info is what a network file says of itself, and what its graph tells.
type Info struct {
	File       string            `json:"file"`
	Name       string            `json:"name"`
	Format     string            `json:"format"` // "onnx" or "katago"
	Kind       string            `json:"kind"`
	Encoder    string            `json:"encoder"`
	Board      string            `json:"board"`
	Policy     string            `json:"policy"`
	Value      string            `json:"value"`
	Declared   bool              `json:"declared"` // the file says so; else it was inferred
	Inputs     []string          `json:"inputs"`
	Planes     []string          `json:"planes,omitempty"` // of the encoder, in order
	Outputs    []string          `json:"outputs"`
	Operators  map[string]int    `json:"operators"`
	Parameters int64             `json:"parameters"`
	MACs       int64             `json:"multiplications"` // of one evaluation
	Metadata   map[string]string `json:"metadata"`
}

// Inspect reads a network file of either format, without running it, or a network inside
// the program by its name. A KataGo network is described by its graph for 19x19.
func Inspect(path string) (*Info, error) {
	path, data, err := readAny(path)
	if err != nil {
		return nil, err
	}
	info := &Info{File: path, Format: "onnx"}
	var m *onnx.Model
	if strings.EqualFold(filepath.Ext(path), ".onnx") {
		m, _, err = onnx.ReadBeside(data, filepath.Dir(path))
	} else {
		var net *katago.Network
		info.Format = "katago"
		if net, err = katago.Read(bytes.NewReader(data), filepath.Base(path)); err == nil {
			m, err = katago.Build(net, katago.Size{W: 19, H: 19}, katago.Options{})
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d, err := arch.Describe(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	info.Name = cmp.Or(d.Metadata[meta.Name], d.Name)
	info.Kind, info.Encoder, info.Board = d.Looks.Kind, d.Looks.Encoder, d.Looks.Board
	info.Policy, info.Value, info.Declared = d.Looks.Policy, d.Looks.Value, d.Looks.Declared
	if info.Format == "katago" {
		info.Board = "any"
	}
	for _, v := range d.Inputs {
		info.Inputs = append(info.Inputs, v.Name+" "+v.Shape.String())
	}
	for _, v := range d.Outputs {
		info.Outputs = append(info.Outputs, v.Name+" "+v.Shape.String())
	}
	if e, err := features.Parse(info.Encoder); err == nil {
		info.Planes = e.PlaneNames()
	}
	info.Operators = map[string]int{}
	for _, o := range d.Operators {
		info.Operators[o.Operator] = o.Count
	}
	info.Parameters, info.MACs, info.Metadata = d.Parameters, d.MACs, d.Metadata
	delete(info.Metadata, meta.Layout) // the file's own text, of no use to people
	return info, nil
}

// readAny reads a network's file, of those inside the program by their names.
func readAny(path string) (name string, data []byte, err error) {
	if n := models.Find(path); n != nil {
		data, err = n.Data()
		return n.File, data, err
	}
	data, err = file.Read(path, maxFile)
	return path, data, err
}

// ReadKataGo reads a network in KataGo's format from either kind of file, or one inside
// the program by its name.
func ReadKataGo(path string) (*katago.Network, error) {
	if n := models.Find(path); n != nil {
		s, err := readBuiltIn(n)
		return s.net, err
	}
	if !strings.EqualFold(filepath.Ext(path), ".onnx") {
		net, err := katago.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return net, nil
	}
	data, err := file.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	m, err := onnx.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	net, err := katago.FromONNX(m)
	if err != nil {
		return nil, fmt.Errorf("%s is no ONNX file that engine convert or engine train made of KataGo's format, and others cannot go there: %w", path, err)
	}
	return net, nil
}
