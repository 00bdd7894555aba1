package nn

import (
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/nn/features"
)

// Uniform returns a model without a network: every legal move is equally
// likely and every position even, at any board size. It serves tests and the
// first self-play games of a new network.
func Uniform() Model {
	return plainModel{
		description: Description{Name: "uniform", Provider: "none", Precision: "none", Why: "no network was asked for"},
		spec: func(size board.Size) Spec {
			return Spec{Name: "uniform", Encoding: features.None, Kind: KindDualHead,
				Outputs: []TensorSpec{
					{Name: "policy", Role: RolePolicy, Shape: []int{size.Area() + 1}},
					{Name: "value", Role: RoleValue, Shape: []int{1}},
				}}
		},
		row: func([][]float32, [][]float32) {},
	}
}

// HashModel returns a model for tests and benchmarks: all it says of a position
// is a pseudo-random function of seed and [board.Game.Hash], at any board size.
// Like a recent KataGo network it has two policy channels, the three value
// logits, all score values and ownership. It sees no history and has no
// orientation.
func HashModel(seed uint64) Model {
	name := fmt.Sprintf("hash-%d", seed)
	return plainModel{
		description: Description{Name: name, Provider: "none", Precision: "none", Why: "made up, for tests"},
		spec: func(size board.Size) Spec {
			return Spec{Name: name, Encoding: features.None, Kind: KindKataGo,
				KataGo: KataGoPost{Version: 15, PolicyChannels: 2, ScoreValues: 6},
				Inputs: []TensorSpec{{Name: "hash", Role: RoleHash, Shape: []int{hashValues}}},
				Outputs: []TensorSpec{
					{Name: "policy", Role: RolePolicy, Shape: []int{2, size.H, size.W}},
					{Name: "pass", Role: RolePass, Shape: []int{2}},
					{Name: "value", Role: RoleValue, Shape: []int{3}},
					{Name: "score_value", Role: RoleScoreValue, Shape: []int{6}},
					{Name: "ownership", Role: RoleOwnership, Shape: []int{1, size.H, size.W}},
				}}
		},
		row: func(in, out [][]float32) { hashRow(seed, in[0], out) },
	}
}

// hashRow makes up the raw outputs for one position.
func hashRow(seed uint64, hash []float32, out [][]float32) {
	k := cacheKey{seed, ^seed}
	for _, x := range hash {
		k = k.mix(uint64(x))
	}
	state := k.hi ^ k.lo
	// The sum of two uniform numbers, -1..1, scaled.
	draw := func(scale float32) float32 {
		state += 0x9e3779b97f4a7c15
		z := scramble(state)
		const unit = 1.0 / math.MaxUint32
		return scale * (float32(uint32(z))*unit + float32(uint32(z>>32))*unit - 1)
	}
	for i := range out[0] {
		out[0][i] = draw(4)
	}
	for i := range out[1] {
		out[1][i] = draw(4) - 3 // passing is rarely good
	}
	value := draw(1.5)
	out[2][0], out[2][1], out[2][2] = value, -value, draw(1)-6
	mean := value/2 + draw(0.2)
	copy(out[3], []float32{mean, draw(1) - 1, mean + draw(0.1), draw(1) - 1, draw(1) - 2, draw(1) - 2})
	for i := range out[4] {
		out[4][i] = draw(2)
	}
}

// plainModel computes rows one by one with a function.
type plainModel struct {
	description Description
	spec        func(board.Size) Spec
	row         func(in, out [][]float32)
}

func (m plainModel) Spec(size board.Size) (Spec, error) {
	if err := size.Check(); err != nil {
		return Spec{}, err
	}
	return m.spec(size), nil
}

func (m plainModel) Describe() Description { return m.description }

func (m plainModel) Close() error { return nil }

func (m plainModel) Open(size board.Size, maxBatch int) (Backend, error) {
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	if maxBatch < 1 {
		return nil, fmt.Errorf("%w: batches of %d rows", ErrSpec, maxBatch)
	}
	b := &plainBackend{row: m.row, max: maxBatch}
	b.in, b.rowsIn = rowsOf(spec.Inputs, maxBatch)
	b.out, b.rowsOut = rowsOf(spec.Outputs, maxBatch)
	return b, nil
}

// rowsOf makes the memory for a batch of each tensor, and the views of its rows
// as rows[row][tensor].
func rowsOf(list []TensorSpec, batch int) (all [][]float32, rows [][][]float32) {
	all = make([][]float32, len(list))
	rows = make([][][]float32, batch)
	for r := range rows {
		rows[r] = make([][]float32, len(list))
	}
	for i := range list {
		n := list[i].Len()
		all[i] = make([]float32, n*batch)
		for r := range rows {
			rows[r][i] = all[i][r*n : (r+1)*n]
		}
	}
	return all, rows
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
