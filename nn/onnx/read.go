package onnx

import (
	"bytes"
	"errors"
	"fmt"
)

// ErrFormat marks bytes that are not an ONNX model.
var ErrFormat = errors.New("not a readable ONNX model")

// ErrExternalData says that the weights are kept outside the file.
var ErrExternalData = errors.New("the model keeps its weights in other files: save it as one file (in PyTorch: torch.onnx.export(..., external_data=False))")

// ErrUnsupported marks a valid model that uses something this package does not have: sparse
// tensors, tensors in segments, or an unknown operator whose result is needed.
var ErrUnsupported = errors.New("unsupported")

// Read parses an ONNX file. The tensors of the model point into data, which
// must not be changed while the model is in use. Memory used stays below 64 MiB
// plus 16 times len(data) for any input. Read checks that the file is complete and that
// every tensor has as many bytes as it claims; [Check] checks the graph.
//
// Errors wrap [ErrFormat], [ErrExternalData], [ErrUnsupported] or [ErrTensor].
func Read(data []byte) (*Model, error) { return read(data, nil) }

func read(data []byte, o *outside) (*Model, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%w: the file is empty", ErrFormat)
	}
	if int64(len(data)) > maxProtobuf {
		return nil, fmt.Errorf("%w: %w", ErrFormat, ErrTooLarge)
	}
	m, c := new(Model), codec{budget: 64<<20 + 16*int64(len(data)), outside: o}
	c.enter(data)
	if c.model(m); m.Graph == nil {
		c.fail(errors.New("it holds no graph"))
	}
	err := c.err
	if err == nil {
		return m, nil
	}
	if errors.Is(err, ErrExternalData) || errors.Is(err, errBeside) || errors.Is(err, ErrUnsupported) || errors.Is(err, ErrTensor) {
		return nil, fmt.Errorf("read ONNX model: %w", err)
	}
	if kind := kindOf(data); kind != "" {
		return nil, fmt.Errorf("%w: this looks like %s", ErrFormat, kind)
	}
	return nil, fmt.Errorf("%w: %w", ErrFormat, err)
}

// kindOf names the apparent kind of a file that is not an ONNX model, "" if unknown.
func kindOf(data []byte) string {
	for _, k := range []struct{ magic, name string }{
		{"\x1f\x8b", "a gzip file (a KataGo network ends in .bin.gz or .txt.gz; a packed ONNX file must be unpacked)"},
		{"PK\x03\x04", "a zip archive (a PyTorch checkpoint or an npz file, say); export it to ONNX first"},
		{"\x89PNG", "a PNG picture"},
		{"\xff\xd8\xff", "a JPEG picture"},
		{"\x89HDF", "an HDF5 (Keras) file; export it to ONNX first"},
		{"\x28\xb5\x2f\xfd", "a zstd file; unpack it first"},
		{"BZh", "a bzip2 file; unpack it first"},
		{"\xfd7zXZ", "an xz file; unpack it first"},
		{"\x7fELF", "a program or library"},
		{"MZ", "a program or library"},
		{"\x80\x02", "a Python pickle (an old PyTorch checkpoint); export it to ONNX first"},
		{"\x93NUMPY", "a numpy array"},
		{"version https://git-lfs", "a git-lfs pointer instead of the file itself; run git lfs pull"},
	} {
		if bytes.HasPrefix(data, []byte(k.magic)) {
			return k.name
		}
	}
	if len(data) > 8 && bytes.Equal(data[4:8], []byte("TFL3")) {
		return "a TensorFlow Lite model"
	}
	head := bytes.TrimLeft(data[:min(len(data), 512)], " \t\r\n")
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c >= 0x7f {
			return ""
		}
	}
	if bytes.HasPrefix(head, []byte("<")) {
		return "a web page (a failed download, perhaps)"
	}
	return "a text file"
}
