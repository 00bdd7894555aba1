package katago

import (
	"fmt"
	"math"

	"kosumi/nn/onnx"
)

// Size is a board size in points. A board.Size converts to it.
type Size struct{ W, H int }

// Board sizes that graphs can be built for.
const (
	minSide = 2
	maxSide = 25
)

// Form is the purpose of a graph.
type Form uint8

const (
	// FormRun is for inference sessions: norms, scales and pooling factors are
	// folded into weights.
	FormRun Form = iota
	// FormKernels is FormRun with attention as nodes of the kernels' domain, for fuse.Rewrite.
	FormKernels
	// FormExact keeps every block of numbers of the KataGo file as one initializer, so that
	// FromONNX can restore the network.
	FormExact
)

// String returns the form's name in metadata: "exact", or "run" for the other two forms.
func (f Form) String() string {
	if f == FormExact {
		return "exact"
	}
	return "run"
}

// opset of the graphs, in the default domain.
const opset = 17

// Names of inputs and outputs of a graph, in this order. N is the number of positions, HxW the board.
// P is the number of policy channels: 1, 2 or 4. K is the number of score values: 1, 2, 4 or 6.
const (
	InputSpatial     = "spatial"     // [N, planes, H, W]
	InputGlobal      = "global"      // [N, globals]
	InputMeta        = "meta"        // [N, 192], metadata networks only
	OutputPolicy     = "policy"      // [N, P, H, W] logits
	OutputPass       = "pass"        // [N, P] logits
	OutputValue      = "value"       // [N, 3] logits of win, loss, no result
	OutputScoreValue = "score_value" // [N, K] score mean, stdev, lead, ..., not scaled yet
	OutputOwnership  = "ownership"   // [N, 1, H, W] before tanh, + = side to move
)

// Build makes the ONNX graph of a network for boards of exactly the given size,
// from 2x2 to 25x25. Outputs are raw and for the side to move. The network's
// weights are copied. Errors: ErrSize, and those of Network.Check.
//
// A variant with a mask, one graph for all boards up to a size, would multiply by the mask in
// emitter.act, use the mask's sum as the area in emitter.pool, emitter.poolFactors and emitter.tip,
// and mask the scores in emitter.attend.
func Build(n *Network, size Size, form Form) (*onnx.Model, error) {
	if size.W < minSide || size.H < minSide || size.W > maxSide || size.H > maxSide {
		return nil, fmt.Errorf("%w: %dx%d, sides are %d to %d", ErrSize, size.W, size.H, minSide, maxSide)
	}
	if err := n.Check(); err != nil {
		return nil, fmt.Errorf("build onnx graph of %s: %w", n.Header.Name, err)
	}
	b := onnx.NewBuilder(n.Header.Name, opset)
	e := &emitter{size: size, exact: form == FormExact, kernels: form == FormKernels}
	e.network(b, n)
	meta, err := metadata(n, size, form)
	if err != nil {
		return nil, err
	}
	m, err := b.Model(meta)
	if err != nil {
		return nil, fmt.Errorf("build onnx graph of %s: %w", n.Header.Name, err)
	}
	return m, nil
}

// emitter writes a network's layers as nodes.
type emitter struct {
	size    Size
	exact   bool // FormExact
	kernels bool // FormKernels
}

// stream is the trunk between blocks: [N,C,H,W], or [N,H*W,C] inside a run of
// transformer blocks.
type stream struct {
	v        onnx.Value
	channels int
	tokens   bool
}

func (e *emitter) area() int { return e.size.W * e.size.H }

// poolFactors returns the factors by which the mean is scaled in the second part of a pooled vector
// and, in the value head, in the third.
func (e *emitter) poolFactors() (second, third float64) {
	d := math.Sqrt(float64(e.area())) - 14
	return d * 0.1, d*d*0.01 - 0.1
}

func (e *emitter) network(b *onnx.Builder, n *Network) {
	t := &n.Trunk
	spatial := b.Input(InputSpatial, onnx.Float, "N", n.Header.SpatialInputs, e.size.H, e.size.W)
	global := b.Input(InputGlobal, onnx.Float, "N", n.Header.GlobalInputs)
	in := b.In("input")
	bias := e.matmul(in.In("global"), global, &t.Global)
	if t.Meta != nil {
		meta := b.Input(InputMeta, onnx.Float, "N", MetaInputs)
		bias = in.Add(bias, e.metaEncoder(in.In("meta"), meta, t.Meta))
	}
	x := in.Add(e.conv(in.In("conv"), spatial, &t.Conv), e.column(in, bias, t.Channels))
	s := e.blocks(b.In("blocks"), stream{v: x, channels: t.Channels}, t.Blocks)
	tip := e.tip(b.In("tip"), s, t)
	e.policyHead(b, tip, &n.Policy, n.Header.Version)
	e.valueHead(b, tip, &n.Value)
}

// column turns [N,C] into [N,C,1,1].
func (e *emitter) column(b *onnx.Builder, v onnx.Value, channels int) onnx.Value {
	return b.Reshape(v, 0, int64(channels), 1, 1)
}

func (e *emitter) metaEncoder(b *onnx.Builder, v onnx.Value, m *MetaEncoder) onnx.Value {
	v = e.act(b.In("a1"), e.linear(b, "m1", "b1", v, &m.M1, &m.B1), m.A1.Kind)
	v = e.act(b.In("a2"), e.linear(b, "m2", "b2", v, &m.M2, &m.B2), m.A2.Kind)
	return e.matmul(b.In("m3"), v, &m.M3)
}

// toBoard gives the stream as [N,C,H,W].
func (e *emitter) toBoard(b *onnx.Builder, s stream) stream {
	if !s.tokens {
		return s
	}
	v := b.Transpose(s.v, 0, 2, 1)
	v = b.Reshape(v, 0, int64(s.channels), int64(e.size.H), int64(e.size.W))
	return stream{v: v, channels: s.channels}
}

// toTokens gives the stream as [N,H*W,C].
func (e *emitter) toTokens(b *onnx.Builder, s stream) stream {
	if s.tokens {
		return s
	}
	v := b.Reshape(s.v, 0, int64(s.channels), int64(e.area()))
	return stream{v: b.Transpose(v, 0, 2, 1), channels: s.channels, tokens: true}
}

// tip ends the trunk; the result is [N,C,H,W].
func (e *emitter) tip(b *onnx.Builder, s stream, t *Trunk) onnx.Value {
	if t.NormKind == 0 && s.tokens && !e.exact {
		s.v = e.act(b.In("act"), affine(b.In("norm"), s.v, &t.Tip, int64(s.channels)), t.TipAct.Kind)
		return e.toBoard(b, s).v
	}
	if t.NormKind == 0 {
		s = e.toBoard(b, s)
		return e.act(b.In("act"), e.norm(b.In("norm"), s.v, &t.Tip), t.TipAct.Kind)
	}
	rms := b.In("rms")
	axes, dims := []int64{1}, []int64{int64(s.channels), 1, 1}
	if s.tokens {
		axes, dims = []int64{2}, []int64{int64(s.channels)}
	}
	switch {
	case t.TipRMS.Spatial != 0 && s.tokens:
		axes = []int64{1, 2}
	case t.TipRMS.Spatial != 0:
		axes = []int64{1, 2, 3}
	}
	v := e.divideByRMS(rms, s.v, t.TipRMS.Epsilon, axes...)
	v = rms.Mul(v, rms.Floats("scale", t.TipRMS.Gamma, dims...))
	v = rms.Add(v, rms.Floats("bias", t.TipRMS.Beta, dims...))
	s.v = e.act(b.In("act"), v, t.TipAct.Kind)
	return e.toBoard(b, s).v
}

func (e *emitter) divideByRMS(b *onnx.Builder, v onnx.Value, eps float64, axes ...int64) onnx.Value {
	square := b.ReduceMean(b.Mul(v, v), true, axes...)
	return b.Div(v, b.Sqrt(b.Add(square, b.Scalar(eps))))
}

func (e *emitter) blocks(b *onnx.Builder, s stream, list []Block) stream {
	for i, block := range list {
		b := b.In(fmt.Sprint(i))
		switch block := block.(type) {
		case *Ordinary:
			s = e.toBoard(b, s)
			s.v = e.ordinary(b, s.v, block)
		case *Pooling:
			s = e.toBoard(b, s)
			s.v = e.pooling(b, s.v, block)
		case *Nested:
			if e.inTokens(block) {
				s = e.toTokens(b, s)
				s.v = e.nestedTokens(b, s.v, block)
				continue
			}
			s = e.toBoard(b, s)
			s.v = e.nested(b, s.v, block)
		case *Attention:
			s = e.toTokens(b, s)
			s.v = e.attention(b, s.v, block)
		case *FeedForward:
			s = e.toTokens(b, s)
			s.v = e.feedForward(b, s.v, block)
		default:
			b.Fail("%v: unknown kind of block %T", ErrUnsupported, block)
		}
	}
	return s
}
