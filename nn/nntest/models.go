package nntest

import (
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/features"
)

// Uniform returns a model without a network: every legal move is equally likely
// and every position even, at any board size.
func Uniform() nn.Model {
	return plainModel{
		description: nn.Description{Name: "uniform", Provider: "none", Precision: "none", Why: "made up, for tests"},
		spec: func(size board.Size) nn.Spec {
			return nn.Spec{Name: "uniform", Encoding: features.None, Kind: nn.KindDualHead,
				Outputs: []nn.TensorSpec{
					{Name: "policy", Role: nn.RolePolicy, Shape: []int{size.Area() + 1}},
					{Name: "value", Role: nn.RoleValue, Shape: []int{1}},
				}}
		},
		row: func(board.Size) func(in, out [][]float32) { return func(in, out [][]float32) {} },
	}
}

// HashModel returns a model without a network whose answers are pseudo-random
// functions of seed, the stones, the legal moves and the side to move, at any board
// size. Like a recent KataGo network it has two policy channels, the three value
// logits, all score values and ownership. Turning or mirroring a position turns or
// mirrors its answer, so that the orientation in which it is evaluated makes no difference.
func HashModel(seed uint64) nn.Model {
	name := fmt.Sprintf("hash-%d", seed)
	return plainModel{
		description: nn.Description{Name: name, Provider: "none", Precision: "none", Why: "made up, for tests"},
		spec: func(size board.Size) nn.Spec {
			return nn.Spec{Name: name, Encoding: features.Mini7, Kind: nn.KindKataGo,
				KataGo: nn.KataGoPost{Version: 15, Multipliers: nn.Multipliers{ScoreMean: 20, ScoreStdev: 20, Lead: 20, VarTime: 40, STValueError: 0.25, STScoreError: 30}},
				Inputs: []nn.TensorSpec{{Name: "planes", Role: nn.RoleSpatial, Shape: []int{features.Mini7.Planes(), size.H, size.W}}},
				Outputs: []nn.TensorSpec{
					{Name: "policy", Role: nn.RolePolicy, Shape: []int{2, size.H, size.W}},
					{Name: "pass", Role: nn.RolePass, Shape: []int{2}},
					{Name: "value", Role: nn.RoleValue, Shape: []int{3}},
					{Name: "score_value", Role: nn.RoleScoreValue, Shape: []int{6}},
					{Name: "ownership", Role: nn.RoleOwnership, Shape: []int{1, size.H, size.W}},
				}}
		},
		row: func(size board.Size) func(in, out [][]float32) {
			h := hasher{seed: seed, area: size.Area(), drawn: make([]float32, size.Area())}
			for k := range size.Symmetries() {
				h.tables = append(h.tables, board.SymTable(size, board.Symmetry(k)))
			}
			return h.row
		},
	}
}

// hasher makes up the raw outputs for positions.
type hasher struct {
	seed   uint64
	area   int
	tables [][]board.Point // for each orientation, the image of each point
	frames [][]board.Point // orientations that are canonical for the position
	drawn  []float32       // one plane in a canonical orientation
	state  uint64
}

// row draws all values in the position's canonical orientation, the one with the least hash. A
// symmetric position has several such orientations and gets the mean of their values.
func (h *hasher) row(in, out [][]float32) {
	h.state = h.seed ^ h.canonical(in[0])
	h.plane(out[0][:h.area], 4)
	h.plane(out[0][h.area:], 4)
	for i := range out[1] {
		out[1][i] = h.draw(4) - 3 // passing is rarely good
	}
	value := h.draw(1.5)
	out[2][0], out[2][1], out[2][2] = value, -value, h.draw(1)-6
	mean := value/2 + h.draw(0.2)
	copy(out[3], []float32{mean, h.draw(1) - 1, mean + h.draw(0.1), h.draw(1) - 1, h.draw(1) - 2, h.draw(1) - 2})
	h.plane(out[4], 2)
}

// canonical finds the canonical orientations and returns their hash.
func (h *hasher) canonical(planes []float32) uint64 {
	least := uint64(math.MaxUint64)
	for _, table := range h.tables {
		sum := uint64(0)
		for p, to := range table {
			content := uint64(to)
			for _, plane := range [...]int{0, 1, 5, 6} { // other planes depend on the last moves and add no information
				content = content<<1 | uint64(planes[plane*h.area+p])
			}
			sum += scramble(content)
		}
		switch {
		case sum < least:
			least, h.frames = sum, append(h.frames[:0], table)
		case sum == least:
			h.frames = append(h.frames, table)
		}
	}
	return least
}

// plane draws a value for each point.
func (h *hasher) plane(out []float32, scale float32) {
	for i := range h.drawn {
		h.drawn[i] = h.draw(scale)
	}
	for p := range out {
		sum := 0.0 // exact in float64, so the order of terms makes no difference
		for _, table := range h.frames {
			sum += float64(h.drawn[table[p]])
		}
		out[p] = float32(sum / float64(len(h.frames)))
	}
}

// draw returns the sum of two uniform numbers, -1..1, scaled.
func (h *hasher) draw(scale float32) float32 {
	h.state += 0x9e3779b97f4a7c15
	z := scramble(h.state)
	const unit = 1.0 / math.MaxUint32
	return scale * (float32(uint32(z))*unit + float32(uint32(z>>32))*unit - 1)
}

// scramble is the finalizer of MurmurHash3.
func scramble(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// plainModel computes rows one by one with a function.
type plainModel struct {
	description nn.Description
	spec        func(board.Size) nn.Spec
	row         func(board.Size) func(in, out [][]float32) // returns the function that computes a row; called once for each backend
}

func (m plainModel) Spec(size board.Size) (nn.Spec, error) {
	if err := size.Check(); err != nil {
		return nn.Spec{}, err
	}
	return m.spec(size), nil
}

func (m plainModel) Describe() nn.Description { return m.description }

func (m plainModel) Close() error { return nil }

func (m plainModel) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	if maxBatch < 1 {
		return nil, fmt.Errorf("%w: batches of %d rows", nn.ErrSpec, maxBatch)
	}
	b := &plainBackend{row: m.row(size), max: maxBatch, in: nn.Memory(spec.Inputs, maxBatch), out: nn.Memory(spec.Outputs, maxBatch)}
	b.rowsIn, b.rowsOut = nn.Rows(spec.Inputs, b.in, maxBatch), nn.Rows(spec.Outputs, b.out, maxBatch)
	return b, nil
}

type plainBackend struct {
	row             func(in, out [][]float32)
	max             int
	in, out         [][]float32
	rowsIn, rowsOut [][][]float32
}

func (b *plainBackend) MaxBatch() int        { return b.max }
func (b *plainBackend) Inputs() [][]float32  { return b.in }
func (b *plainBackend) Outputs() [][]float32 { return b.out }
func (b *plainBackend) Close() error         { return nil }

func (b *plainBackend) Run(n int) error {
	if n < 1 || n > b.max {
		return fmt.Errorf("a batch of %d rows, at most %d fit", n, b.max)
	}
	for r := range n {
		b.row(b.rowsIn[r], b.rowsOut[r])
	}
	return nil
}
