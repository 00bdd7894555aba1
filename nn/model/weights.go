package model

import (
	"fmt"

	"kosumi/board"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
)

// Weights returns the network for one board size as a graph whose initializers
// are the weights as the file has them, for training: of a KataGo network the
// exact form, which has the same initializers for every size, of an ONNX file the
// file itself.
func (m *Model) Weights(size board.Size) (*onnx.Model, error) {
	src := m.source
	if k, ok := src.(katagoSource); ok {
		g, err := katago.Build(k.net, katago.Size(size), katago.Options{Form: katago.FormExact})
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrFile, k.net.Source.File, err)
		}
		return g, nil
	}
	g, err := src.graph(size, true)
	if err != nil {
		return nil, err
	}
	return g.Clone(), nil
}

// Graph returns the network's float32 graph for one board size, which nobody may
// change, for rewriting: an [ErrPrecision] if the file is in another precision.
func (m *Model) Graph(size board.Size) (*onnx.Model, error) {
	if p := m.source.precision(); p != floatPrecision {
		return nil, fmt.Errorf("%w: the network is in %s already; quantize the original", ErrPrecision, p)
	}
	return m.source.graph(size, false)
}
