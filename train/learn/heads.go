package learn

import (
	"fmt"

	"kosumi/nn"
	"kosumi/nn/onnx"
)

// heads are the outputs of a network in the form that the losses need. A missing one is "".
type heads struct {
	policy    []onnx.Value // logits [N,A+1], one for each channel
	value     onnx.Value   // WDL logits [N,3], or win minus loss [N,1]
	wdl       bool
	score     []onnx.Value // [N,1] each: raw score values (KataGo) or points (nn.KindSeed)
	ownership onnx.Value   // logits [N,A]; tanh of twice the logit is ownership
	// owned is ownership in [-1,1], [N,A], if there are no logits.
	owned onnx.Value
}

// reader finds the heads of a network in a graph to which losses are being added.
type reader struct {
	b         *onnx.Builder
	producers map[string]*onnx.Node
	batch     int64
	area      int64
}

func (r *reader) findHeads(spec *nn.Spec) (*heads, error) {
	h := &heads{wdl: spec.Value == nn.ValueWDL}
	var policy, pass onnx.Value
	for _, out := range spec.Outputs {
		v := onnx.Value(out.Name)
		switch out.Role {
		case nn.RolePolicy:
			policy = v
		case nn.RolePass:
			pass = v
		case nn.RoleValue:
			h.value = v
		case nn.RoleScoreValue:
			for k := range out.Shape[0] {
				h.score = append(h.score, r.b.Slice(v, 1, int64(k), int64(k)+1))
			}
		case nn.RoleScore:
			h.score = append(h.score, r.b.Reshape(v, r.batch, 1))
		case nn.RoleOwnership:
			r.findOwnership(h, v, spec.Kind == nn.KindKataGo)
		}
	}
	if policy == "" || h.value == "" {
		return nil, fmt.Errorf("%w: it has no policy or no value", ErrNetwork)
	}
	if !h.wdl {
		h.value = r.b.Reshape(h.value, r.batch, 1)
	}
	if pass != "" {
		h.policy = r.joinPass(policy, pass)
	} else {
		h.policy = []onnx.Value{r.policyLogits(policy, spec.Policy)}
	}
	return h, r.b.Err()
}

// joinPass appends the pass logits [N,P] to the logits of the points [N,P,H,W]. It returns [N,A+1]
// for each of the P channels.
func (r *reader) joinPass(points, pass onnx.Value) []onnx.Value {
	dims, ok := r.b.Shape(points).Sizes()
	if !ok || len(dims) != 4 {
		r.b.Fail("policy has shape %v", r.b.Shape(points))
		return nil
	}
	all := r.b.Concat(2, r.b.Reshape(points, r.batch, dims[1], r.area), r.b.Reshape(pass, r.batch, dims[1], 1))
	if dims[1] == 1 {
		return []onnx.Value{r.b.Reshape(all, r.batch, r.area+1)}
	}
	var list []onnx.Value
	for c := range dims[1] {
		list = append(list, r.b.Reshape(r.b.Slice(all, 1, c, c+1), r.batch, r.area+1))
	}
	return list
}

// before returns the input of the operator that computes v, looking through operators that only
// reshape; "" if that operator is not one of op.
func (r *reader) before(v onnx.Value, op ...string) onnx.Value {
	n := r.producers[string(v)]
	for n != nil && n.Is("Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze") {
		n = r.producers[n.Input(0)]
	}
	if n == nil || !n.Is(op...) {
		return ""
	}
	return onnx.Value(n.Input(0))
}

// policyLogits returns a policy of any kind as logits; it uses the values before the softmax if
// the graph has one.
func (r *reader) policyLogits(v onnx.Value, kind nn.PolicyKind) onnx.Value {
	if kind != nn.PolicyLogits {
		if x := r.before(v, "Softmax", "LogSoftmax"); x != "" {
			v, kind = x, nn.PolicyLogits
		}
	}
	if kind == nn.PolicySoftmax {
		v = r.b.Log(r.b.Max(v, r.b.Scalar(1e-20)))
	}
	return r.b.Reshape(v, r.batch, r.area+1)
}

func (r *reader) findOwnership(h *heads, v onnx.Value, logits bool) {
	if !logits {
		x := r.before(v, "Tanh")
		if x == "" {
			h.owned = r.b.Reshape(v, r.batch, r.area)
			return
		}
		v = x
	}
	h.ownership = r.b.Reshape(v, r.batch, r.area)
}
