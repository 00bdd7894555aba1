package learn

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
)

// Tensors of a checkpoint are stored in the safetensors format: eight bytes of
// header length, little-endian; a JSON object that gives for each name its type,
// shape and place; the numbers. https://github.com/huggingface/safetensors

// namedTensor is a float32 tensor of a checkpoint.
type namedTensor struct {
	name string
	dims []int64
	data []float32
}

type tensorPlace struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// maxHeader bounds the JSON header of a file that is read.
const maxHeader = 64 << 20

func writeTensors(w io.Writer, list []namedTensor) error {
	places := make(map[string]tensorPlace, len(list))
	at := int64(0)
	for _, t := range list {
		size := int64(4 * len(t.data))
		places[t.name] = tensorPlace{"F32", append([]int64{}, t.dims...), [2]int64{at, at + size}}
		at += size
	}
	head, err := json.Marshal(places)
	if err != nil {
		return err
	}
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	if _, err := w.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...)); err != nil {
		return err
	}
	buf := make([]byte, 0, 1<<16)
	for _, t := range list {
		for part := range slices.Chunk(t.data, 1<<14) {
			if buf, err = binary.Append(buf[:0], binary.LittleEndian, part); err != nil {
				return err
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
	}
	return nil
}

// readTensors reads the format of writeTensors. Errors wrap ErrCheckpoint. The data is not trusted.
func readTensors(data []byte) (map[string]namedTensor, error) {
	bad := func(format string, args ...any) error { return fault(ErrCheckpoint, "tensors: "+format, args...) }
	if len(data) < 8 {
		return nil, bad("%d bytes are no file", len(data))
	}
	size := binary.LittleEndian.Uint64(data)
	if size > maxHeader || size > uint64(len(data)-8) {
		return nil, bad("a header of %d bytes in a file of %d", size, len(data))
	}
	places := map[string]tensorPlace{}
	if err := json.Unmarshal(data[8:8+size], &places); err != nil {
		return nil, bad("header: %v", err)
	}
	body := data[8+size:]
	all := make(map[string]namedTensor, len(places))
	used := int64(0)
	for name, p := range places {
		n := int64(1)
		for _, d := range p.Shape {
			if d < 1 || n > int64(len(body))/d {
				return nil, bad("%s has shape %v", name, p.Shape)
			}
			n *= d
		}
		lo, hi := p.Offsets[0], p.Offsets[1]
		switch {
		case p.Type != "F32":
			return nil, bad("%s is of type %q, not F32", name, p.Type)
		case lo < 0 || hi < lo || hi > int64(len(body)) || hi-lo != 4*n:
			return nil, bad("%s of shape %v lies at %d to %d of %d bytes", name, p.Shape, lo, hi, len(body))
		}
		used += hi - lo
		if used > int64(len(body)) {
			return nil, bad("tensors overlap")
		}
		list := make([]float32, n)
		if _, err := binary.Decode(body[lo:hi], binary.LittleEndian, list); err != nil {
			return nil, bad("%s: %w", name, err)
		}
		all[name] = namedTensor{name, p.Shape, list}
	}
	return all, nil
}
