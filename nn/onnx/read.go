package onnx

import (
	"bytes"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrFormat marks bytes that are not an ONNX model.
var ErrFormat = errors.New("not a readable ONNX model")

// ErrExternalData says that the weights are kept outside the file.
var ErrExternalData = errors.New("the model keeps its weights in other files: save it as one file (in PyTorch: torch.onnx.export(..., external_data=False))")

// ErrUnsupported marks a valid model that uses something this package does not have: sparse
// tensors, tensors in segments, or an unknown operator whose result is needed.
var ErrUnsupported = errors.New("unsupported")

// maxDepth bounds the nesting of graphs in attributes.
const maxDepth = 16

// Read parses an ONNX file. The tensors of the model share data's memory: it
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
	r := &reader{budget: 64<<20 + 16*int64(len(data)), outside: o}
	m, err := r.model(data)
	if err == nil && m.Graph == nil {
		err = errors.New("it holds no graph")
	}
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

// reader parses one file and counts what it allocates.
type reader struct {
	budget  int64
	depth   int
	outside *outside // nil if there are none
}

var errBudget = errors.New("the file asks for far more memory than its size explains")

// charge accounts for n bytes of memory.
func (r *reader) charge(n int) error {
	if r.budget -= int64(n); r.budget < 0 {
		return errBudget
	}
	return nil
}

// Upper estimates of the memory that objects take.
const (
	costNode, costTensor, costAttr = 320, 240, 560
	costValue, costDim, costString = 200, 24, 16
	costGraph, costEntry           = 400, 96
)

func (r *reader) str(v field, dst *string) error {
	if err := v.want(protowire.BytesType); err != nil {
		return err
	}
	*dst = string(v.data)
	return r.charge(len(v.data) + costString)
}

func (r *reader) strs(v field, dst *[]string) error {
	var s string
	if err := r.str(v, &s); err != nil {
		return err
	}
	*dst = append(*dst, s)
	return r.charge(2 * costString)
}

// keep stores a field that this package does not know.
func (r *reader) keep(v field, dst *[]byte) error {
	*dst = append(*dst, v.whole...)
	return r.charge(2 * len(v.whole))
}

// ints reads a number or a packed list of them.
func (r *reader) ints(v field, dst *[]int64) error {
	if v.typ == protowire.VarintType {
		*dst = append(*dst, int64(v.n))
		return r.charge(16)
	}
	if err := v.want(protowire.BytesType); err != nil {
		return err
	}
	return eachVarint(v.data, func(u uint64) error {
		*dst = append(*dst, int64(u))
		return r.charge(16)
	})
}

func eachVarint(b []byte, f func(uint64) error) error {
	for len(b) > 0 {
		u, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := f(u); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// message counts the cost of a message towards the limit of memory, and parses its fields.
func (r *reader) message(v field, cost int, f func(field) error) error {
	if err := v.want(protowire.BytesType); err != nil {
		return err
	}
	if err := r.charge(cost); err != nil {
		return err
	}
	return fields(v.data, f)
}

func (r *reader) model(data []byte) (*Model, error) {
	m := &Model{}
	err := fields(data, func(v field) error {
		switch v.num {
		case modelIR:
			return v.int(&m.IRVersion)
		case modelProducer:
			return r.str(v, &m.Producer)
		case modelProducerVersion:
			return r.str(v, &m.ProducerVersion)
		case modelDomain:
			return r.str(v, &m.Domain)
		case modelVersion:
			return v.int(&m.Version)
		case modelDoc:
			return r.str(v, &m.Doc)
		case modelGraph:
			if m.Graph != nil {
				return errors.New("two graphs")
			}
			m.Graph = &Graph{}
			return r.graph(v, m.Graph)
		case modelOpset:
			return r.opset(v, &m.Opset, &m.Opsets)
		case modelMetadata:
			return r.metadata(v, m)
		case modelFunctions:
			f := &Function{}
			m.Functions = append(m.Functions, f)
			return r.function(v, f)
		}
		return r.keep(v, &m.extra)
	})
	return m, err
}

func (r *reader) opset(v field, def *int64, others *map[string]int64) error {
	var domain string
	var version int64
	err := r.message(v, costEntry, func(v field) error {
		switch v.num {
		case opsetDomain:
			return r.str(v, &domain)
		case opsetVersion:
			return v.int(&version)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("opset import: %w", err)
	}
	if domain == "ai.onnx" {
		domain = ""
	}
	had := *def
	if domain != "" {
		had = (*others)[domain]
	}
	if had != 0 && had != version {
		return fmt.Errorf("operator domain %q is imported in versions %d and %d", domain, had, version)
	}
	if domain == "" {
		*def = version
		return nil
	}
	if *others == nil {
		*others = map[string]int64{}
	}
	(*others)[domain] = version
	return nil
}

func (r *reader) entry(v field) (key, value string, err error) {
	err = r.message(v, costEntry, func(v field) error {
		switch v.num {
		case entryKey:
			return r.str(v, &key)
		case entryValue:
			return r.str(v, &value)
		}
		return nil
	})
	return key, value, err
}

func (r *reader) metadata(v field, m *Model) error {
	key, value, err := r.entry(v)
	if err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	if _, twice := m.Metadata[key]; twice {
		return fmt.Errorf("metadata: key %q is given twice", key)
	}
	if m.Metadata == nil {
		m.Metadata = map[string]string{}
	}
	m.Metadata[key] = value
	return nil
}

func (r *reader) function(v field, f *Function) error {
	err := r.message(v, costGraph, func(v field) error {
		switch v.num {
		case funcName:
			return r.str(v, &f.Name)
		case funcInput:
			return r.strs(v, &f.Inputs)
		case funcOutput:
			return r.strs(v, &f.Outputs)
		case funcAttr:
			return r.strs(v, &f.Attributes)
		case funcNode:
			return r.node(v, &f.Nodes)
		case funcDoc:
			return r.str(v, &f.Doc)
		case funcOpset:
			return r.opset(v, &f.Opset, &f.Opsets)
		case funcDomain:
			return r.str(v, &f.Domain)
		case funcDefault:
			return r.attr(v, &f.Defaults)
		case funcValue:
			return r.value(v, &f.Values)
		case funcOverload:
			return r.str(v, &f.Overload)
		}
		return r.keep(v, &f.extra)
	})
	if err != nil {
		return fmt.Errorf("function %q: %w", f.Name, err)
	}
	return nil
}
