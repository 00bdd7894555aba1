package model

import (
	"kosumi/board"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
)

// Weights returns a graph for training at one board size, whose initializers are the
// weights as stored in the file. A KataGo network gives its exact form, with the same
// initializers for every size; an ONNX file gives its own graph.
func (m *Model) Weights(size board.Size) (*onnx.Model, error) {
	if k, ok := m.source.(katagoSource); ok {
		return k.build(size, katago.FormExact)
	}
	g, err := m.source.graph(size, false)
	if err != nil {
		return nil, err
	}
	return g.Clone(), nil
}
