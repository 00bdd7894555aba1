package onnx

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"kosumi/internal/file"
)

// maxExternal bounds a file of weights beside a model, in bytes.
const maxExternal = 4 << 30

// outside holds the files beside a model that contain its weights.
type outside struct {
	dir   string
	files map[string][]byte // by their names in the model
}

// ReadBeside is [Read] of a model whose weights may be in other files of the folder dir, as
// PyTorch's exporter writes them. Nothing outside of dir is read. It also returns the
// contents of those files in the order of their names; the tensors point into these bytes.
func ReadBeside(data []byte, dir string) (m *Model, beside [][]byte, err error) {
	o := &outside{dir: dir, files: map[string][]byte{}}
	if m, err = read(data, o); err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(o.files)) {
		beside = append(beside, o.files[name])
	}
	return m, beside, nil
}

// errBeside marks a model whose second file, with the weights, cannot be read.
var errBeside = errors.New("the model keeps its weights in a second file, which has to lie beside it")

// bytes returns the elements of a tensor that another file holds at the given place.
func (o *outside) bytes(place map[string]string) ([]byte, error) {
	if o == nil {
		return nil, ErrExternalData
	}
	name := place["location"]
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%w: %q is not in its folder", errBeside, name)
	}
	data, known := o.files[name]
	if !known {
		var err error
		if data, err = file.Read(filepath.Join(o.dir, filepath.FromSlash(name)), maxExternal); err != nil {
			return nil, fmt.Errorf("%w: %w", errBeside, err)
		}
		o.files[name] = data
	}
	offset, err1 := placeNumber(place["offset"], 0)
	length, err2 := placeNumber(place["length"], int64(len(data))-offset)
	switch {
	case errors.Join(err1, err2) != nil:
		return nil, fmt.Errorf("%w: %q has no place of offset %q, length %q", errBeside, name, place["offset"], place["length"])
	case offset > int64(len(data)) || length < 0 || length > int64(len(data))-offset:
		return nil, fmt.Errorf("%w: %q has %d bytes, too few", errBeside, name, len(data))
	}
	return data[offset : offset+length : offset+length], nil
}

// placeNumber reads a number that is not negative; an empty text means def.
func placeNumber(text string, def int64) (int64, error) {
	if text == "" {
		return def, nil
	}
	n, err := strconv.ParseInt(text, 10, 63)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	return n, err
}
