package ort

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"kosumi/nn"
)

// port is one input or output of a graph as the model file declares it. A
// dimension of -1 is symbolic or not given; dims is nil where the file gives no
// shape at all.
type port struct {
	name  string
	typed bool  // the file gives a type
	kind  int64 // onnx.TensorProto.DataType; 0 for anything but a tensor
	dims  []int64
	known bool // the file gives a shape
}

const kindFloat = 1

var kindNames = map[int64]string{0: "no tensor", 1: "float32", 2: "uint8", 3: "int8", 6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64", 16: "bfloat16"}

func (p port) String() string {
	if !p.known {
		return "of unknown shape"
	}
	return shapeText(p.dims)
}

func shapeText(dims []int64) string {
	texts := make([]string, len(dims))
	for i, d := range dims {
		texts[i] = fmt.Sprint(d)
		if d < 0 {
			texts[i] = "N"
		}
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// readPorts returns the graph's inputs that are not weights, and its outputs.
// Field numbers are those of onnx.proto.
func readPorts(model []byte) (inputs, outputs []port, err error) {
	var graph []byte
	err = fields(model, func(num protowire.Number, v []byte, _ uint64) error {
		if num == 7 { // ModelProto.graph
			graph = v
		}
		return nil
	})
	if err != nil || graph == nil {
		return nil, nil, fmt.Errorf("%w: this is no ONNX file", ErrModel)
	}
	weights := map[string]bool{}
	err = fields(graph, func(num protowire.Number, v []byte, _ uint64) error {
		switch num {
		case 5: // GraphProto.initializer, whose name is field 8
			return fields(v, func(num protowire.Number, v []byte, _ uint64) error {
				if num == 8 {
					weights[string(v)] = true
				}
				return nil
			})
		case 11, 12: // input, output
			p, err := readPort(v)
			if num == 11 {
				inputs = append(inputs, p)
			} else {
				outputs = append(outputs, p)
			}
			return err
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %v", ErrModel, err)
	}
	free := inputs[:0]
	for _, p := range inputs {
		if !weights[p.name] {
			free = append(free, p)
		}
	}
	return free, outputs, nil
}

// readPort reads a ValueInfoProto.
func readPort(b []byte) (port, error) {
	var p port
	err := fields(b, func(num protowire.Number, v []byte, _ uint64) error {
		switch num {
		case 1: // name
			p.name = string(v)
		case 2: // type
			p.typed = true
			return fields(v, func(num protowire.Number, v []byte, _ uint64) error {
				if num != 1 { // TypeProto.tensor_type
					return nil
				}
				return fields(v, func(num protowire.Number, v []byte, n uint64) error {
					switch num {
					case 1:
						p.kind = int64(n)
					case 2:
						p.known = true
						return p.readDims(v)
					}
					return nil
				})
			})
		}
		return nil
	})
	return p, err
}

// readDims reads a TensorShapeProto.
func (p *port) readDims(b []byte) error {
	return fields(b, func(num protowire.Number, v []byte, _ uint64) error {
		if num != 1 {
			return nil
		}
		d := int64(-1)
		err := fields(v, func(num protowire.Number, _ []byte, n uint64) error {
			if num == 1 && int64(n) > 0 { // dim_value; 0 and below mean unknown
				d = int64(n)
			}
			return nil
		})
		p.dims = append(p.dims, d)
		return err
	})
}

// fields calls f for each field of a message: v holds length-delimited values,
// n varints.
func fields(b []byte, f func(num protowire.Number, v []byte, n uint64) error) error {
	for len(b) > 0 {
		num, typ, k := protowire.ConsumeTag(b)
		if k < 0 {
			return protowire.ParseError(k)
		}
		b = b[k:]
		var v []byte
		var n uint64
		switch typ {
		case protowire.BytesType:
			v, k = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			n, k = protowire.ConsumeVarint(b)
		default:
			k = protowire.ConsumeFieldValue(num, typ, b)
		}
		if k < 0 {
			return protowire.ParseError(k)
		}
		b = b[k:]
		if err := f(num, v, n); err != nil {
			return err
		}
	}
	return nil
}

// checkPorts compares what the model file declares with the description.
func checkPorts(model []byte, spec *nn.Spec, c Config) error {
	inputs, outputs, err := readPorts(model)
	if err != nil {
		return err
	}
	if len(spec.Inputs) == 0 || len(spec.Outputs) == 0 {
		return fmt.Errorf("%w: it names %d inputs and %d outputs; at least one of each is needed", nn.ErrSpec, len(spec.Inputs), len(spec.Outputs))
	}
	if err := matchPorts("input", spec.Inputs, inputs, c); err != nil {
		return err
	}
	for _, p := range inputs {
		if !named(spec.Inputs, p.name) {
			return fmt.Errorf("%w: the network also wants input %q %v", nn.ErrSpec, p.name, p)
		}
	}
	return matchPorts("output", spec.Outputs, outputs, c)
}

func named(specs []nn.TensorSpec, name string) bool {
	for i := range specs {
		if specs[i].Name == name {
			return true
		}
	}
	return false
}

func matchPorts(what string, specs []nn.TensorSpec, ports []port, c Config) error {
	for i := range specs {
		s := &specs[i]
		p, err := findPort(what, s.Name, ports)
		if err != nil {
			return err
		}
		if p.typed && p.kind != kindFloat {
			kind := kindNames[p.kind]
			if kind == "" {
				kind = fmt.Sprintf("type %d", p.kind)
			}
			return fmt.Errorf("%w: %s %q is %s; float32 is needed", nn.ErrSpec, what, s.Name, kind)
		}
		if err := matchShape(what, s, p, c); err != nil {
			return err
		}
	}
	return nil
}

func findPort(what, name string, ports []port) (port, error) {
	var have []string
	for _, p := range ports {
		if p.name == name {
			return p, nil
		}
		have = append(have, fmt.Sprintf("%q %v", p.name, p))
	}
	return port{}, fmt.Errorf("%w: the network has no %s %q; it has %s", nn.ErrSpec, what, name, strings.Join(have, ", "))
}

// matchShape compares the declared shape with batch and row. Dimensions that
// the file leaves open are not judged here; the first run does that.
func matchShape(what string, s *nn.TensorSpec, p port, c Config) error {
	want := []int64{-1}
	for _, d := range s.Shape {
		if d <= 0 {
			return fmt.Errorf("%w: %s %q has dimension %d in its row %v", nn.ErrSpec, what, s.Name, d, s.Shape)
		}
		want = append(want, int64(d))
	}
	if !p.known {
		return nil
	}
	fits := len(p.dims) == len(want)
	for i := 1; fits && i < len(want); i++ {
		fits = p.dims[i] < 0 || p.dims[i] == want[i]
	}
	if !fits {
		return fmt.Errorf("%w: %s %q is %v in the network; %s was expected", nn.ErrSpec, what, s.Name, p, shapeText(want))
	}
	if n := p.dims[0]; n > 0 && (n != int64(c.MaxBatch) || n > 1 && !c.FixedBatch) {
		return fmt.Errorf("%w: %s %q takes exactly %d rows a run: open it with batch %d and a fixed batch, not up to %d", nn.ErrSpec, what, s.Name, n, n, c.MaxBatch)
	}
	return nil
}
