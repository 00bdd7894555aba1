package nn

import (
	"fmt"

	"kosumi/board"
	"kosumi/nn/features"
)

// Codec turns queries into input rows, and output rows into Outputs, for one
// network at one board size. Any number of goroutines may use it at once, each with its own
// Scratch. A Codec needs no backend, so it also serves to compare raw outputs.
type Codec struct {
	spec   Spec
	size   board.Size
	memory *features.Memory // shared by all scratches
	// Positions in Spec.Inputs and Spec.Outputs; -1 if absent.
	spatial, global, meta                             int
	policy, pass, value, scoreValue, score, ownership int
	policyChannels, policyStride, scoreValues         int
}

// NewCodec checks that spec is complete and consistent for that board size.
// Errors are ErrSize or ErrSpec.
func NewCodec(spec Spec, size board.Size) (*Codec, error) {
	if err := size.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSize, err)
	}
	if !spec.Sizes.Serves(size) {
		return nil, fmt.Errorf("%w: %dx%d, it serves %s", ErrSize, size.W, size.H, spec.Sizes)
	}
	c := &Codec{spec: spec, size: size, memory: new(features.Memory)}
	if err := c.bindInputs(); err != nil {
		return nil, err
	}
	if err := c.bindOutputs(); err != nil {
		return nil, err
	}
	return c, nil
}

// binding says where bind stores the index of the tensor with a role: -1 if there is none.
type binding struct {
	at   *int
	role Role
	need bool
	row  int // values per row; 0: any number
}

// bind finds the tensors of some roles and checks their row lengths.
func bind(list []TensorSpec, bindings ...binding) error {
	for _, b := range bindings {
		*b.at = -1
		for i := range list {
			switch t := &list[i]; {
			case t.Role != b.role:
			case *b.at >= 0:
				return fmt.Errorf("%w: tensors %q and %q are both %s", ErrSpec, list[*b.at].Name, t.Name, b.role)
			case t.Len() <= 0 || b.row > 0 && t.Len() != b.row:
				return fmt.Errorf("%w: tensor %q (%s) holds %d values a row, want %d", ErrSpec, t.Name, b.role, t.Len(), b.row)
			default:
				*b.at = i
			}
		}
		if b.need && *b.at < 0 {
			return fmt.Errorf("%w: no tensor for %s", ErrSpec, b.role)
		}
	}
	return nil
}

func (c *Codec) bindInputs() error {
	e := c.spec.Encoding
	if e > features.AGZ17Split {
		return fmt.Errorf("%w: unknown encoding %v", ErrSpec, e)
	}
	if err := bind(c.spec.Inputs,
		binding{&c.spatial, RoleSpatial, e.Planes() > 0, e.Planes() * c.size.Area()},
		binding{&c.global, RoleGlobal, e.Globals() > 0, e.Globals()},
		binding{&c.meta, RoleMeta, c.spec.KataGo.MetaEncoder > 0, features.MetaSize},
	); err != nil {
		return err
	}
	if e == features.None && (c.spatial >= 0 || c.global >= 0) {
		return fmt.Errorf("%w: inputs without an encoding", ErrSpec)
	}
	return nil
}

func (c *Codec) bindOutputs() error {
	out, area := c.spec.Outputs, c.size.Area()
	values := 1
	if c.spec.Kind == KindKataGo || c.spec.Value == ValueWDL {
		values = 3
	}
	if err := bind(out,
		binding{&c.policy, RolePolicy, true, 0}, binding{&c.pass, RolePass, false, 0},
		binding{&c.value, RoleValue, true, values}, binding{&c.scoreValue, RoleScoreValue, c.spec.Kind == KindKataGo, 0},
		binding{&c.score, RoleScore, false, 1}, binding{&c.ownership, RoleOwnership, false, area},
	); err != nil {
		return err
	}
	c.policyStride = area
	c.policyChannels = out[c.policy].Len() / area
	if c.pass < 0 {
		c.policyStride = area + 1
		c.policyChannels = out[c.policy].Len() / (area + 1)
	} else if n := out[c.pass].Len(); n != c.policyChannels {
		return fmt.Errorf("%w: %d pass values beside %d policy channels", ErrSpec, n, c.policyChannels)
	}
	if n := out[c.policy].Len(); n != c.policyChannels*c.policyStride || n == 0 {
		return fmt.Errorf("%w: policy row of %d values does not fit %dx%d", ErrSpec, n, c.size.W, c.size.H)
	}
	if c.scoreValue >= 0 {
		c.scoreValues = out[c.scoreValue].Len()
	}
	if c.spec.Kind == KindKataGo {
		return c.checkKataGo()
	}
	return nil
}

// checkKataGo makes sure that the score values fit the model version.
func (c *Codec) checkKataGo() error {
	v := c.spec.KataGo.Version
	want := 6
	switch {
	case v < 3 || v > 17:
		return fmt.Errorf("%w: KataGo model version %d, known are 3 to 17", ErrSpec, v)
	case v == 3:
		want = 1
	case v <= 7:
		want = 2
	case v == 8:
		want = 4
	}
	if c.scoreValues != want {
		return fmt.Errorf("%w: %d score values, version %d has %d", ErrSpec, c.scoreValues, v, want)
	}
	return nil
}

// Orientation returns the symmetry to pass to Encode if sym (0..7) is requested:
// boards that are not square are never transposed, and networks without planes
// have no orientation.
func (c *Codec) Orientation(sym int8) board.Symmetry {
	switch {
	case c.spatial < 0:
		return 0
	case c.size.W != c.size.H:
		return board.Symmetry(sym & 3)
	}
	return board.Symmetry(sym & 7)
}

// Encode writes one row for each of Spec.Inputs: the position of q in the
// given orientation; Query.Symmetry is ignored. It allocates nothing.
func (c *Codec) Encode(q *Query, sym board.Symmetry, rows [][]float32, s *Scratch) error {
	if c.meta >= 0 {
		if q.Meta == nil {
			return &ProfileError{Network: c.spec.Name}
		}
		features.EncodeMeta(rows[c.meta], q.Meta, q.Game.ToMove(), c.size)
	}
	if q.Encoded != nil {
		return c.copyEncoded(q.Encoded, sym, rows)
	}
	if c.spatial < 0 && c.global < 0 {
		return nil
	}
	var global []float32
	if c.global >= 0 {
		global = rows[c.global][:c.spec.Encoding.Globals()]
	}
	o := q.Options
	o.Areas = features.In(o.Areas.Over(c.spec.KataGo.AreaModes)) // the network's modes take precedence over the game's
	spatial := rows[c.spatial][:c.spec.Encoding.Planes()*c.size.Area()]
	features.EncodeTurned(c.spec.Encoding, spatial, global, q.Game, sym, o, s.features)
	return nil
}

// copyEncoded rotates or mirrors inputs that are already encoded, and writes them as one row.
func (c *Codec) copyEncoded(e *Encoded, sym board.Symmetry, rows [][]float32) error {
	own, area := c.spec.Encoding, c.size.Area()
	if e.Encoding != own || len(e.Spatial) != own.Planes()*area || len(e.Global) != own.Globals() {
		return fmt.Errorf("%w: inputs of %v with %d and %d values, where the network reads %v on %v", ErrQuery, e.Encoding, len(e.Spatial), len(e.Global), own, c.size)
	}
	if c.global >= 0 {
		copy(rows[c.global], e.Global)
	}
	if c.spatial < 0 {
		return nil
	}
	table := board.SymTable(c.size, sym)
	for plane := range own.Planes() {
		from, to := e.Spatial[plane*area:(plane+1)*area], rows[c.spatial][plane*area:(plane+1)*area]
		for p, q := range table {
			to[q] = from[p]
		}
	}
	return nil
}

// Memory allocates n rows of each tensor, filled with zeros.
func Memory(tensors []TensorSpec, n int) [][]float32 {
	memory := make([][]float32, len(tensors))
	for i := range tensors {
		memory[i] = make([]float32, n*tensors[i].Len())
	}
	return memory
}

// Rows cuts memory that holds n rows of each tensor, such as a [Backend]'s inputs,
// into rows: the values of tensor i in row r are at [r][i].
func Rows(tensors []TensorSpec, memory [][]float32, n int) [][][]float32 {
	rows := make([][][]float32, n)
	for r := range rows {
		rows[r] = make([][]float32, len(tensors))
		for i := range tensors {
			size := tensors[i].Len()
			rows[r][i] = memory[i][r*size : (r+1)*size : (r+1)*size]
		}
	}
	return rows
}

// Scratch holds one goroutine's buffers for [Codec.Encode] and
// [Codec.Decode].
type Scratch struct {
	features *features.Scratch
	legal    []bool
	weights  [board.MaxMoves]float64
}

// NewScratch returns buffers for that codec.
func (c *Codec) NewScratch() *Scratch {
	return &Scratch{
		features: c.memory.NewScratch(),
		legal:    make([]bool, 0, c.size.Area()+1),
	}
}
