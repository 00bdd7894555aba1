package nn

import (
	"fmt"

	"kosumi/board"
	"kosumi/nn/features"
)

// Codec turns queries into input rows, and output rows into Outputs, for one
// network at one board size. Any number of goroutines may use it at once, each
// with a Scratch of its own. A Codec needs no backend, so it also serves to compare raw
// outputs.
type Codec struct {
	spec   Spec
	size   board.Size
	post   Multipliers
	memory *features.Memory // shared by all scratches
	// Positions in Spec.Inputs and Spec.Outputs; -1 where absent.
	spatial, global, meta                             int
	policy, pass, value, scoreValue, score, ownership int
	policyChannels, policyStride, scoreValues         int
}

// NewCodec checks that spec is complete and of one piece for that board size.
// Errors are ErrSize or ErrSpec.
func NewCodec(spec Spec, size board.Size) (*Codec, error) {
	if err := size.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSize, err)
	}
	if !spec.Sizes.Serves(size) {
		return nil, fmt.Errorf("%w: %dx%d, it serves %s", ErrSize, size.W, size.H, spec.Sizes)
	}
	c := &Codec{spec: spec, size: size, post: spec.KataGo.multipliers(), memory: features.NewMemory()}
	if err := c.bindInputs(); err != nil {
		return nil, err
	}
	if err := c.bindOutputs(); err != nil {
		return nil, err
	}
	if spec.Kind == KindKataGo {
		if err := c.checkKataGo(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Spec returns the description that the codec was made from.
func (c *Codec) Spec() Spec { return c.spec }

// Size returns the board size that the codec serves.
func (c *Codec) Size() board.Size { return c.size }

// NeedsProfile reports whether the network wants to know who plays.
func (c *Codec) NeedsProfile() bool { return c.meta >= 0 }

// HasOwnership reports whether the network predicts ownership.
func (c *Codec) HasOwnership() bool { return c.ownership >= 0 }

// find returns the position of the only tensor with that role, or -1.
func find(list []TensorSpec, role Role) (int, error) {
	at := -1
	for i := range list {
		if list[i].Role != role {
			continue
		}
		if at >= 0 {
			return -1, fmt.Errorf("%w: tensors %q and %q are both %s", ErrSpec, list[at].Name, list[i].Name, role)
		}
		at = i
	}
	return at, nil
}

// bind finds one tensor and checks its row length; want 0 means any length.
func bind(list []TensorSpec, role Role, need bool, want int) (int, error) {
	at, err := find(list, role)
	if err != nil {
		return -1, err
	}
	if at < 0 {
		if need {
			return -1, fmt.Errorf("%w: no tensor for %s", ErrSpec, role)
		}
		return -1, nil
	}
	n := list[at].Len()
	if n <= 0 || want > 0 && n != want {
		return -1, fmt.Errorf("%w: tensor %q (%s) holds %d values a row, want %d", ErrSpec, list[at].Name, role, n, want)
	}
	return at, nil
}

func (c *Codec) bindInputs() error {
	e, in := c.spec.Encoding, c.spec.Inputs
	if e < features.None || e > features.AGZ17Split {
		return fmt.Errorf("%w: unknown encoding %v", ErrSpec, e)
	}
	var err error
	if c.spatial, err = bind(in, RoleSpatial, e.Planes() > 0, e.Planes()*c.size.Area()); err != nil {
		return err
	}
	if c.global, err = bind(in, RoleGlobal, e.Globals() > 0, e.Globals()); err != nil {
		return err
	}
	if c.meta, err = bind(in, RoleMeta, c.spec.KataGo.MetaEncoder > 0, features.MetaSize); err != nil {
		return err
	}
	if e == features.None && (c.spatial >= 0 || c.global >= 0) {
		return fmt.Errorf("%w: inputs without an encoding", ErrSpec)
	}
	return nil
}

func (c *Codec) bindOutputs() error {
	out, area := c.spec.Outputs, c.size.Area()
	var err error
	if c.policy, err = bind(out, RolePolicy, true, 0); err != nil {
		return err
	}
	if c.pass, err = bind(out, RolePass, false, 0); err != nil {
		return err
	}
	if c.value, err = bind(out, RoleValue, true, c.spec.valueLen()); err != nil {
		return err
	}
	if c.scoreValue, err = bind(out, RoleScoreValue, c.spec.Kind == KindKataGo, 0); err != nil {
		return err
	}
	if c.score, err = bind(out, RoleScore, false, 1); err != nil {
		return err
	}
	if c.ownership, err = bind(out, RoleOwnership, false, area); err != nil {
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

// valueLen returns the number of values of the value head.
func (s *Spec) valueLen() int {
	if s.Kind == KindKataGo || s.Value == ValueWDL {
		return 3
	}
	return 1
}

// multipliers fills the values that the file does not name.
func (k *KataGoPost) multipliers() Multipliers {
	m, d := k.Multipliers, DefaultMultipliers()
	for _, p := range []struct {
		dst *float64
		def float64
	}{
		{&m.TDScore, d.TDScore}, {&m.ScoreMean, d.ScoreMean}, {&m.ScoreStdev, d.ScoreStdev}, {&m.Lead, d.Lead},
		{&m.VarTime, d.VarTime}, {&m.STValueError, d.STValueError}, {&m.STScoreError, d.STScoreError},
	} {
		if *p.dst == 0 {
			*p.dst = p.def
		}
	}
	return m
}

// Orientation returns the symmetry that the network is really shown when
// symmetry sym (0..7) is asked for: boards that are not square are never
// transposed, and networks without planes have no orientation.
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
// given orientation. Query.Symmetry itself is not looked at. It allocates
// nothing.
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
	var spatial, global []float32
	if c.global >= 0 {
		global = rows[c.global][:c.spec.Encoding.Globals()]
	}
	o := q.Options
	o.Areas = features.In(o.Areas.Over(c.spec.KataGo.AreaModes)) // the network's own, whatever the game's are
	spatial = rows[c.spatial][:c.spec.Encoding.Planes()*c.size.Area()]
	features.EncodeTurned(c.spec.Encoding, spatial, global, q.Game, sym, o, s.features)
	return nil
}

// copyEncoded writes one row of inputs that are there already, turned.
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

// Rows cuts the memory of n rows of each tensor, such as a [Backend]'s, into rows:
// the values of tensor i in row r are at [r][i].
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
