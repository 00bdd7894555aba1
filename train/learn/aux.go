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
// share everything but their last layers with the heads of the file.
type auxHeads struct {
	policy  map[string]onnx.Value // logits [N,A+1] by term
	tdValue onnx.Value            // WDL logits [N,3]
	params  []autodiff.Param
}

// auxPrefix begins the names of weights that exist in training only.
const auxPrefix = "aux/"

// addAux adds the outputs whose terms have a coefficient.
func (r *reader) addAux(coefs map[string]float64, seed uint64) *auxHeads {
	a := &auxHeads{policy: map[string]onnx.Value{}}
	m := &auxMaker{reader: r, heads: a, seed: seed}
	var terms []string
	for _, t := range []string{TermReply, TermSoftPolicy, TermSoftReply} {
		if coefs[t] > 0 {
			terms = append(terms, t)
		}
	}
	if len(terms) > 0 {
		points, pass := m.before(katago.OutputPolicy, "Conv"), m.before(katago.OutputPass, "MatMul")
		if points == "" || pass == "" {
			r.b.Fail("the policy's last layers are not where KataGo networks have them")
			return a
		}
		in, hidden, k := m.width(points, 1), m.width(pass, 1), int64(len(terms))
		w := m.weight("policy.weight", autodiff.KindWeight, 0.3/math.Sqrt(float64(in)), k, in, 1, 1)
		v := m.weight("pass.weight", autodiff.KindWeight, 0.3/math.Sqrt(float64(hidden)), hidden, k)
		logits := r.joinPass(r.b.Conv(points, w, ""), r.b.MatMul(pass, v))
		for i, t := range terms {
			a.policy[t] = logits[i]
		}
	}
	if coefs[TermTDValue] > 0 {
		h := m.before(katago.OutputValue, "Gemm")
		if h == "" {
			r.b.Fail("the value's last layer is not where KataGo networks have it")
			return a
		}
		in := m.width(h, 1)
		a.tdValue = r.b.Gemm(h, m.weight("td_value.weight", autodiff.KindWeight, 1/math.Sqrt(float64(in)), in, 3),
			m.weight("td_value.bias", autodiff.KindBias, 0, 3), false)
	}
	return a
}

type auxMaker struct {
	*reader
	heads *auxHeads
	seed  uint64
}

func (m *auxMaker) width(v onnx.Value, axis int) int64 {
	dims, ok := m.b.Shape(v).Sizes()
	if !ok || len(dims) <= axis {
		m.b.Fail("%s has shape %v", v, m.b.Shape(v))
		return 1
	}
	return dims[axis]
}

// weight declares a weight that begins normally distributed, cut at two
// deviations; the same for every board size.
func (m *auxMaker) weight(name string, kind autodiff.Kind, deviation float64, dims ...int64) onnx.Value {
	name = auxPrefix + name
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(m.seed, h.Sum64()))
	n := int64(1)
	var anyDims []any
	for _, d := range dims {
		n *= d
		anyDims = append(anyDims, d)
	}
	data := make([]float32, n)
	const cut = 0.87962566103423978 // deviation of the standard normal cut at 2
	for i := range data {
		x := rng.NormFloat64()
		for math.Abs(x) > 2 {
			x = rng.NormFloat64()
		}
		data[i] = float32(x * deviation / cut)
	}
	m.heads.params = append(m.heads.params, autodiff.Param{Name: name, Dims: dims, Kind: kind, Init: onnx.NewTensor(name, data, dims...)})
	return m.b.Input(name, onnx.Float, anyDims...)
}
