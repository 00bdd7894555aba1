package onnx

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"kosumi/internal/file"
)

// ErrTooLarge says that a model does not fit into one ONNX file, since protobuf allows at most 2
// GiB.
var ErrTooLarge = errors.New("model larger than 2 GiB does not fit into one ONNX file")

// Marshal returns the model as an ONNX file. Equal models give equal bytes:
// attributes and metadata are written in the order of their names. It does not
// check the graph ([Check] does), only that every tensor has the bytes it claims.
func (m *Model) Marshal() ([]byte, error) {
	parts, err := m.encode()
	return slices.Concat(parts...), err
}

// WriteFile writes the model to a file, with the same bytes as Marshal but without a copy of them in
// memory. The file appears whole or not at all.
func (m *Model) WriteFile(path string) error {
	parts, err := m.encode()
	if err != nil {
		return err
	}
	return file.Write(path, func(w io.Writer) error {
		for _, p := range parts {
			if _, err := w.Write(p); err != nil {
				return err
			}
		}
		return nil
	})
}

func (m *Model) encode() ([][]byte, error) {
	if m == nil || m.Graph == nil {
		return nil, fmt.Errorf("%w: no graph", ErrFormat)
	}
	c := codec{out: &writer{}}
	if c.model(m); c.out.len() > maxProtobuf {
		c.fail(fmt.Errorf("%w: %d bytes", ErrTooLarge, c.out.len()))
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.out.all(), nil
}
