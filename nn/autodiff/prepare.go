package autodiff

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"kosumi/nn/onnx"
)

// ErrPrepare marks a model that cannot be prepared for training.
var ErrPrepare = errors.New("this model cannot be trained")

// Kind is the kind of a trainable tensor; weight decay, for instance, depends on it.
type Kind uint8

const (
	// KindWeight is a kernel or a matrix.
	KindWeight Kind = iota
	// KindScale multiplies channels: the gamma of a norm.
	KindScale
	// KindBias is added to channels.
	KindBias
	// KindOther is anything else that is trained, such as frequencies.
	KindOther
)

// String returns "weight", "scale", "bias" or "other".
func (k Kind) String() string { return [...]string{"weight", "scale", "bias", "other"}[k] }

// Param is a trainable tensor: an initializer of the stored model that is an
// input of the prepared one, by the same name.
type Param struct {
	Name string
	Dims []int64
	Kind Kind
	Init *onnx.Tensor // initial value from the file
}

// Len is the number of elements.
func (p *Param) Len() int {
	n := 1
	for _, d := range p.Dims {
		n *= int(d)
	}
	return n
}

// Stat is a running statistic of a batch normalization: an input of the prepared graph that is
// not a weight. Next is the output with its value after the step; "" if the statistic does not
// change.
type Stat struct {
	Name string
	Dims []int64
	Init *onnx.Tensor
	Next string
}

// Norms is the form of BatchNormalization in a prepared graph.
type Norms uint8

const (
	// NormsFrozen keeps the running statistics as constants, as in inference.
	NormsFrozen Norms = iota
	// NormsTrain normalizes by the statistics of the batch and moves the running ones by the node's
	// momentum (ONNX: running*m + batch*(1-m), m is 0.9 by default; the running variance is the
	// unbiased one, as in PyTorch).
	NormsTrain
)

// Options of Prepare.
type Options struct {
	Batch int64 // number of rows in a batch, at least 1
	Norms Norms
	// Trainable chooses among the tensors that could be trained; nil takes all.
	Trainable func(p *Param) bool
}

// Prepared is a model ready for losses and gradients.
type Prepared struct {
	// Model's inputs are the original's, with the batch fixed, then one for each of Params and
	// Stats. Its outputs are the original's, then each Stat's Next.
	Model  *onnx.Model
	Params []Param
	Stats  []Stat
}

// builderConst matches the names of constants that onnx.Builder makes: these are never weights.
var builderConst = regexp.MustCompile(`^const_[0-9]+$`)

// Prepare makes a stored model ready for training: functions inlined, the batch
// fixed, weights turned from initializers into inputs, everything else folded.
//
// The trainable tensors are float32 initializers: kernels and biases of convolutions and matrix
// products, scales and biases of norms, and, if they have more than one element, all operands of
// elementwise products and sums, reshapes and transpositions. Constants that a model computes or carries
// as Constant nodes are not trained.
func Prepare(m *onnx.Model, o Options) (*Prepared, error) {
	if o.Batch < 1 {
		return nil, fmt.Errorf("%w: a batch of %d", ErrPrepare, o.Batch)
	}
	if m.Opset < onnx.MinOpset || m.Opset > onnx.MaxOpset {
		return nil, fmt.Errorf("%w: it is of opset %d, not %d to %d: export it with torch.onnx.export(..., opset_version=18)", ErrPrepare, m.Opset, onnx.MinOpset, onnx.MaxOpset)
	}
	c := m.Clone()
	if err := onnx.InlineFunctions(c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPrepare, err)
	}
	onnx.RemoveIdentities(c.Graph)
	onnx.RemoveUnused(c.Graph)
	if err := onnx.SetBatch(c, onnx.D(o.Batch)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPrepare, err)
	}
	p := &Prepared{}
	p.collect(c.Graph, o)
	if len(p.Params) == 0 {
		return nil, fmt.Errorf("%w: it has no trainable weights", ErrPrepare)
	}
	lift(c.Graph, p)
	if err := onnx.FoldConstants(c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPrepare, err)
	}
	onnx.RemoveIdentities(c.Graph)
	if err := p.rewrite(c, o); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPrepare, err)
	}
	return p, nil
}

// collect finds weights and statistics.
func (p *Prepared) collect(g *onnx.Graph, o Options) {
	kinds, stats := map[string]Kind{}, map[string]bool{}
	tensors := g.InitializerMap()
	for _, n := range g.Nodes {
		for i, in := range n.Inputs {
			t := tensors[in]
			if t == nil || t.Type != onnx.Float || builderConst.MatchString(in) {
				continue
			}
			if n.Is("BatchNormalization") && i >= 3 {
				stats[in] = true
				continue
			}
			kind, ok := kindOf(n, i, t)
			if old, seen := kinds[in]; ok && (!seen || kind < old) {
				kinds[in] = kind
			}
		}
	}
	for _, t := range g.Initializers {
		if stats[t.Name] {
			p.Stats = append(p.Stats, Stat{Name: t.Name, Dims: t.Dims, Init: t})
			continue
		}
		kind, ok := kinds[t.Name]
		param := Param{Name: t.Name, Dims: t.Dims, Kind: kind, Init: t}
		if ok && (o.Trainable == nil || o.Trainable(&param)) {
			p.Params = append(p.Params, param)
		}
	}
}

// kindOf infers an initializer's kind from the node that uses it as input i.
func kindOf(n *onnx.Node, i int, t *onnx.Tensor) (Kind, bool) {
	count, _ := t.Len()
	switch {
	case len(t.Dims) == 0:
		return 0, false
	case n.Is("Conv", "Gemm", "MatMul") && i < 2:
		return KindWeight, true
	case n.Is("Conv", "Gemm") && i == 2:
		return KindBias, true
	case n.Is("BatchNormalization", "LayerNormalization") && i == 1:
		return KindScale, true
	case n.Is("BatchNormalization", "LayerNormalization") && i == 2:
		return KindBias, true
	case count <= 1:
		return 0, false
	case n.Is("Mul", "Div"):
		return KindScale, true
	case n.Is("Add", "Sub"):
		return KindBias, true
	case n.Is("Reshape", "Transpose") && i == 0:
		return KindOther, true
	}
	return 0, false
}

// lift turns initializers into inputs.
func lift(g *onnx.Graph, p *Prepared) {
	gone := map[string]bool{}
	add := func(name string, dims []int64) {
		gone[name] = true
		g.Inputs = slices.DeleteFunc(g.Inputs, func(v onnx.ValueInfo) bool { return v.Name == name })
		g.Inputs = append(g.Inputs, onnx.ValueInfo{Name: name, Type: onnx.Float, Shape: onnx.ShapeOf(dims...)})
	}
	for i := range p.Params {
		add(p.Params[i].Name, p.Params[i].Dims)
	}
	for i := range p.Stats {
		add(p.Stats[i].Name, p.Stats[i].Dims)
	}
	g.Initializers = slices.DeleteFunc(g.Initializers, func(t *onnx.Tensor) bool { return gone[t.Name] })
}
