package learn

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"kosumi/nn/autodiff"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
)

// auxHeads are outputs of a KataGo network that exist in training only. They
// share all layers but the last with the heads in the network's file.
type auxHeads struct {
	policy  map[string]onnx.Value // logits [N,A+1] by term
	tdValue onnx.Value            // WDL logits [N,3]
	params  []autodiff.Param

	b    *onnx.Builder
	seed uint64
}

// auxPrefix begins the names of weights that exist in training only.
const auxPrefix = "aux/"

func (r *reader) addAux(coefs map[string]float64, seed uint64) *auxHeads {
	a := &auxHeads{policy: map[string]onnx.Value{}, b: r.b, seed: seed}
	var terms []string
	for _, t := range []string{TermReply, TermSoftPolicy, TermSoftReply} {
		if coefs[t] > 0 {
			terms = append(terms, t)
		}
	}
	if len(terms) > 0 {
		points, pass := r.before(katago.OutputPolicy, "Conv"), r.before(katago.OutputPass, "MatMul")
		if points == "" || pass == "" {
			r.b.Fail("the policy's last layers are not where KataGo networks have them")
			return a
		}
		in, hidden, k := a.width(points, 1), a.width(pass, 1), int64(len(terms))
		w := a.weight("policy.weight", autodiff.KindWeight, 0.3/math.Sqrt(float64(in)), k, in, 1, 1)
		v := a.weight("pass.weight", autodiff.KindWeight, 0.3/math.Sqrt(float64(hidden)), hidden, k)
		logits := r.joinPass(r.b.Conv(points, w, ""), r.b.MatMul(pass, v))
		for i, t := range terms {
			a.policy[t] = logits[i]
		}
	}
	if coefs[TermTDValue] > 0 {
		h := r.before(katago.OutputValue, "Gemm")
		if h == "" {
			r.b.Fail("the value's last layer is not where KataGo networks have it")
			return a
		}
		in := a.width(h, 1)
		a.tdValue = r.b.Gemm(h, a.weight("td_value.weight", autodiff.KindWeight, 1/math.Sqrt(float64(in)), in, 3),
			a.weight("td_value.bias", autodiff.KindBias, 0, 3), false)
	}
	return a
}

func (a *auxHeads) width(v onnx.Value, axis int) int64 {
	dims, ok := a.b.Shape(v).Sizes()
	if !ok || len(dims) <= axis {
		a.b.Fail("%s has shape %v", v, a.b.Shape(v))
		return 1
	}
	return dims[axis]
}

// weight declares a weight. Its initial values are normally distributed, cut at two deviations,
// and the same for every board size.
func (a *auxHeads) weight(name string, kind autodiff.Kind, deviation float64, dims ...int64) onnx.Value {
	name = auxPrefix + name
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(a.seed, h.Sum64()))
	n := int64(1)
	var anyDims []any
	for _, d := range dims {
		n *= d
		anyDims = append(anyDims, d)
	}
	data := make([]float32, n)
	const cut = 0.87962566103423978 // standard deviation of the standard normal distribution cut at ±2
	for i := range data {
		x := rng.NormFloat64()
		for math.Abs(x) > 2 {
			x = rng.NormFloat64()
		}
		data[i] = float32(x * deviation / cut)
	}
	a.params = append(a.params, autodiff.Param{Name: name, Dims: dims, Kind: kind, Init: onnx.NewTensor(name, data, dims...)})
	return a.b.Input(name, onnx.Float, anyDims...)
}
