package autodiff

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"kosumi/nn/onnx"
)

// ErrOptimizer marks settings of an optimizer that make no sense.
var ErrOptimizer = errors.New("bad optimizer settings")

// Method is a rule by which gradients become steps.
type Method string

// The methods. g is the clipped gradient, w the weight, d the weight decay.
const (
	// SGD: v = momentum*v + g + d*w; w -= lr*v (with Nesterov: lr*(g + d*w + momentum*v)).
	SGD Method = "sgd"
	// Adam (Kingma and Ba 2015), decay added to the gradient.
	Adam Method = "adam"
	// AdamW (Loshchilov and Hutter 2019): w -= lr*d*w in addition to Adam's step.
	AdamW Method = "adamw"
	// Muon (Jordan 2024; scaled as by Liu and others 2025): the step of a kernel or matrix is its
	// Nesterov momentum with all singular values near 1, times 0.2 and the square root of the
	// longer side, so that it is as large as AdamW's. The other weights take AdamW's step.
	Muon Method = "muon"
)

var Methods = []Method{SGD, Adam, AdamW, Muon}

// Optimizer describes how weights are updated. [DefaultOptimizer] has the usual values.
type Optimizer struct {
	Method   Method
	Momentum float64 // for SGD (0 keeps no state) and Muon
	Nesterov bool    // for SGD
	Beta1    float64 // for Adam, AdamW, and the parameters that Muon leaves to AdamW
	Beta2    float64
	Epsilon  float64
	// WeightDecay is multiplied by Decay(p); a nil Decay is 1 for KindWeight, else 0.
	WeightDecay float64
	Decay       func(p *Param) float64
	// Rate multiplies the learning rate of a parameter; nil: 1 for all.
	Rate func(p *Param) float64
	// ClipNorm limits the Euclidean norm of all gradients together; 0 means no limit.
	ClipNorm float64
}

// DefaultOptimizer returns the usual settings of a method: momentum 0.9 (Muon 0.95, as in its paper),
// PyTorch's betas 0.9 and 0.999 and epsilon 1e-8, no decay, no clipping.
func DefaultOptimizer(m Method) Optimizer {
	o := Optimizer{Method: m, Momentum: 0.9, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}
	if m == Muon {
		o.Momentum = 0.95
	}
	return o
}

// Check reports the first setting out of range.
func (o *Optimizer) Check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrOptimizer}, args...)...)
	}
	in := func(x, lo, hi float64) bool { return x >= lo && x < hi }
	switch {
	case !slices.Contains(Methods, o.Method):
		return bad("method %q: use sgd, adam, adamw or muon", o.Method)
	case !in(o.WeightDecay, 0, math.Inf(1)):
		return bad("weight decay %v: use 0 or more", o.WeightDecay)
	case !in(o.ClipNorm, 0, math.Inf(1)):
		return bad("clip norm %v: use 0 (off) or more", o.ClipNorm)
	case (o.Method == SGD || o.Method == Muon) && !in(o.Momentum, 0, 1):
		return bad("momentum %v: use 0 up to, not including, 1", o.Momentum)
	case o.Method != SGD && (!in(o.Beta1, 0, 1) || !in(o.Beta2, 0, 1)):
		return bad("betas %v and %v: use 0 up to, not including, 1", o.Beta1, o.Beta2)
	case o.Method != SGD && !in(o.Epsilon, math.SmallestNonzeroFloat32, 1):
		return bad("epsilon %v: use a small positive number", o.Epsilon)
	}
	return nil
}

// Names of the inputs and outputs of shape [1] that Apply adds.
const (
	InputRate      = "rate"           // learning rate
	InputBias1     = "bias1"          // 1/(1-beta1^t), for all methods but SGD
	InputBias2     = "bias2"          // 1/(1-beta2^t), for all methods but SGD
	OutputGradNorm = "grad_norm"      // Euclidean norm of all gradients before clipping
	NextPrefix     = "next/"          // output NextPrefix+X is the new value of input X
	momentumPrefix = "sgd.momentum/"  // prefixes of state inputs, one input per parameter
	muonPrefix     = "muon.momentum/" //
	firstPrefix    = "adam.mean/"     //
	secondPrefix   = "adam.variance/" //
)

// Scalars returns the values of the scalar inputs for step t, counted from 1.
func (o *Optimizer) Scalars(t int64, rate float64) map[string]float32 {
	s := map[string]float32{InputRate: float32(rate)}
	if o.Method != SGD {
		s[InputBias1] = float32(1 / (1 - math.Pow(o.Beta1, float64(t))))
		s[InputBias2] = float32(1 / (1 - math.Pow(o.Beta2, float64(t))))
	}
	return s
}

// State is one tensor of an optimizer's state: an input of the training graph,
// zero before the first step; its next value is the output NextPrefix+Name.
type State struct {
	Name string
	Dims []int64
}

// Apply appends the update to a training graph. params are inputs of the graph, grads their
// derivatives; a parameter whose gradient is "" does not change. Outputs: OutputGradNorm, and
// NextPrefix+name for each parameter and state.
func (o *Optimizer) Apply(b *onnx.Builder, params []Param, grads []onnx.Value) ([]State, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	u := &update{Optimizer: o, b: b.In("update")}
	u.rate = b.Input(InputRate, onnx.Float, 1)
	if o.Method != SGD {
		u.bias1, u.bias2 = b.Input(InputBias1, onnx.Float, 1), b.Input(InputBias2, onnx.Float, 1)
	}
	norm := u.norm(grads)
	if norm == "" {
		return nil, fmt.Errorf("%w: no weight has a gradient", ErrNoGradient)
	}
	b.Output(OutputGradNorm, norm)
	if o.ClipNorm > 0 {
		limit := u.b.Div(u.b.Scalar(o.ClipNorm), u.b.Add(norm, u.b.Scalar(1e-6)))
		u.clip = u.b.Min(limit, u.b.Scalar(1))
	}
	for i := range params {
		next := onnx.Value(params[i].Name)
		if grads[i] != "" {
			next = u.param(&params[i], grads[i])
		}
		b.Output(NextPrefix+params[i].Name, next)
	}
	return u.states, b.Err()
}

type update struct {
	*Optimizer
	b                        *onnx.Builder
	rate, bias1, bias2, clip onnx.Value
	states                   []State
}

// norm returns the Euclidean norm of all gradients; "" if there are none.
func (u *update) norm(grads []onnx.Value) onnx.Value {
	var squares []onnx.Value
	for _, g := range grads {
		if g != "" {
			row := u.b.Reshape(g, 1, -1)
			squares = append(squares, u.b.MatMul(row, u.b.Reshape(g, -1, 1)))
		}
	}
	if len(squares) == 0 {
		return ""
	}
	sum := u.b.Reshape(u.b.ReduceSum(u.b.Concat(0, squares...), true), 1)
	return u.b.Sqrt(sum)
}

// state adds an input for the optimizer's state of p and returns it; store makes next its new value, an output.
func (u *update) state(prefix string, p *Param) (v onnx.Value, store func(next onnx.Value)) {
	name := prefix + p.Name
	dims := make([]any, len(p.Dims))
	for i, d := range p.Dims {
		dims[i] = d
	}
	v = u.b.Input(name, onnx.Float, dims...)
	u.states = append(u.states, State{Name: name, Dims: p.Dims})
	return v, func(next onnx.Value) { u.b.Output(NextPrefix+name, next) }
}

func (u *update) param(p *Param, g onnx.Value) onnx.Value {
	b, w := u.b, onnx.Value(p.Name)
	if u.clip != "" {
		g = b.Mul(g, u.clip)
	}
	decay := u.WeightDecay
	switch {
	case u.Decay != nil:
		decay *= u.Decay(p)
	case p.Kind != KindWeight:
		decay = 0
	}
	rate := u.rate
	if u.Rate != nil && u.Rate(p) != 1 {
		rate = b.Mul(rate, b.Scalar(u.Rate(p)))
	}
	decoupled := u.Method == AdamW || u.Method == Muon
	if decay != 0 && !decoupled {
		g = b.Add(g, b.Mul(w, b.Scalar(decay)))
	}
	var step onnx.Value
	switch {
	case u.Method == SGD:
		step = u.sgd(p, g)
	case u.Method == Muon && p.Kind == KindWeight && len(p.Dims) > 1:
		step = u.muon(p, g)
	default:
		step = u.adam(p, g)
	}
	if decay != 0 && decoupled {
		step = b.Add(step, b.Mul(w, b.Scalar(decay)))
	}
	return b.Sub(w, b.Mul(step, rate))
}

func (u *update) sgd(p *Param, g onnx.Value) onnx.Value {
	if u.Momentum == 0 {
		return g
	}
	v, store := u.state(momentumPrefix, p)
	v = u.b.Add(u.b.Mul(v, u.b.Scalar(u.Momentum)), g)
	store(v)
	if u.Nesterov {
		return u.b.Add(g, u.b.Mul(v, u.b.Scalar(u.Momentum)))
	}
	return v
}

// adam: m = beta1 m + (1-beta1) g, v = beta2 v + (1-beta2) g²; the step is
// (m/(1-beta1^t)) / (sqrt(v/(1-beta2^t)) + epsilon).
func (u *update) adam(p *Param, g onnx.Value) onnx.Value {
	b := u.b
	m, storeM := u.state(firstPrefix, p)
	v, storeV := u.state(secondPrefix, p)
	m = b.Add(b.Mul(m, b.Scalar(u.Beta1)), b.Mul(g, b.Scalar(1-u.Beta1)))
	v = b.Add(b.Mul(v, b.Scalar(u.Beta2)), b.Mul(b.Mul(g, g), b.Scalar(1-u.Beta2)))
	storeM(m)
	storeV(v)
	root := b.Add(b.Sqrt(b.Mul(v, u.bias2)), b.Scalar(u.Epsilon))
	return b.Div(b.Mul(m, u.bias1), root)
}
