package model

import (
	"cmp"
	"fmt"

	"kosumi/board"
	"kosumi/nn/fuse"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

// Weights returns the network for one board size as a graph whose initializers
// are the weights as the file has them, for training: of a KataGo network the
// exact form, which has the same initializers for every size, of an ONNX file the
// file itself.
func (m *Model) Weights(size board.Size) (*onnx.Model, error) {
	src := m.source
	if b, ok := src.(*builtIn); ok {
		k, err := b.on(size)
		if err != nil {
			return nil, err
		}
		src = k
	}
	if k, ok := src.(katagoSource); ok {
		g, err := katago.Build(k.net, katago.Size(size), katago.Options{Form: katago.FormExact})
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrFile, k.net.Source.File, err)
		}
		return g, nil
	}
	g, err := src.graph(size)
	if err != nil {
		return nil, err
	}
	return g.Clone(), nil
}

// Half returns the network in the file at path for one board size as a graph in
// 16-bit floats, which runs and cannot be converted back. Errors are [ErrFile],
// [ErrAmbiguous], nn.ErrSize and [ErrPrecision].
func Half(path string, size board.Size, o Overrides) (*onnx.Model, error) {
	src, err := openSource(path, o)
	if err != nil {
		return nil, err
	}
	about := src.describe()
	if p := src.precision(); p != floatPrecision {
		return nil, fmt.Errorf("%w: %s is in %s already; convert the original network", ErrPrecision, about.File, p)
	}
	spec, err := src.spec(size)
	if err != nil {
		return nil, err
	}
	g, err := src.graph(size)
	if err != nil {
		return nil, err
	}
	half, err := fuse.Half(g)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrPrecision, about.File, err)
	}
	if half.Metadata == nil {
		half.Metadata = map[string]string{}
	}
	delete(half.Metadata, meta.Layout) // the weights are no longer those of the file
	half.Metadata[meta.Precision] = halfPrecision
	half.Metadata[meta.Board] = fmt.Sprintf("%dx%d", size.W, size.H)
	for key, value := range map[string]string{
		meta.Format: "1", meta.Kind: spec.Kind.String(), meta.Encoder: spec.Encoding.String(),
		meta.Policy: spec.Policy.String(), meta.Value: spec.Value.String(),
		meta.Name: about.Name, meta.Source: about.File, meta.SourceSHA256: about.SHA256,
	} {
		half.Metadata[key] = cmp.Or(half.Metadata[key], value)
	}
	return half, nil
}
