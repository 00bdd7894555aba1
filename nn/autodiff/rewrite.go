package autodiff

import (
	"fmt"

	"kosumi/nn/onnx"
)

// rewrite gives operators the form that training wants: it writes the graph anew,
// node by node.
func (p *Prepared) rewrite(m *onnx.Model, o Options) error {
	w, err := newWriter(m)
	if err != nil {
		return err
	}
	stats := map[string]*Stat{}
	for i := range p.Stats {
		stats[p.Stats[i].Name] = &p.Stats[i]
	}
	for _, n := range m.Graph.Nodes {
		if n.Is("BatchNormalization") && o.Norms == NormsTrain {
			if err := w.trainNorm(n, stats); err != nil {
				return err
			}
			continue
		}
		w.copy(n)
	}
	p.Model, err = w.finish(m)
	return err
}

// writer writes a graph anew. Values of the old graph are looked up by name.
type writer struct {
	b      *onnx.Builder
	values map[string]onnx.Value
}

func newWriter(m *onnx.Model) (*writer, error) {
	w := &writer{b: onnx.NewBuilder(m.Graph.Name, m.Opset), values: map[string]onnx.Value{}}
	for domain, version := range m.Opsets {
		w.b.UseDomain(domain, version)
	}
	weights := m.Graph.InitializerMap()
	for _, v := range m.Graph.Inputs {
		if weights[v.Name] != nil {
			continue
		}
		var dims []any
		for _, d := range v.Shape {
			dims = append(dims, d)
		}
		w.values[v.Name] = w.b.Input(v.Name, v.Type, dims...)
	}
	for _, t := range m.Graph.Initializers {
		w.values[t.Name] = w.b.Tensor(t)
	}
	return w, w.b.Err()
}

func (w *writer) in(n *onnx.Node, i int) onnx.Value { return w.values[n.Input(i)] }

// copy writes a node as it is.
func (w *writer) copy(n *onnx.Node) {
	ins := make([]onnx.Value, len(n.Inputs))
	for i := range ins {
		ins[i] = w.in(n, i)
	}
	for i, v := range w.b.Node(n.Domain, n.OpType, len(n.Outputs), n.Attrs, ins...) {
		w.values[n.Outputs[i]] = v
	}
}

// finish declares the outputs.
func (w *writer) finish(m *onnx.Model) (*onnx.Model, error) {
	for _, v := range m.Graph.Outputs {
		w.b.Output(v.Name, w.values[v.Name])
	}
	return w.b.Model(m.Metadata)
}

// trainNorm writes a BatchNormalization that takes its statistics from the batch:
// y = (x-mean)/sqrt(var+epsilon)*scale + bias, with mean and variance over all
// axes but the channels'.
func (w *writer) trainNorm(n *onnx.Node, stats map[string]*Stat) error {
	b, x := w.b, w.in(n, 0)
	dims, ok := b.Shape(x).Sizes()
	if !ok || len(dims) < 2 {
		return fmt.Errorf("%v: its input has shape %v", n, b.Shape(x))
	}
	var axes []int64
	rows := int64(1)
	shape := make([]int64, len(dims))
	for a, d := range dims {
		shape[a] = 1
		if a != 1 {
			axes, rows = append(axes, int64(a)), rows*d
		}
	}
	shape[1] = dims[1]
	mean := b.ReduceMean(x, true, axes...)
	centred := b.Sub(x, mean)
	variance := b.ReduceMean(b.Mul(centred, centred), true, axes...)
	rstd := b.Div(b.Scalar(1), b.Sqrt(b.Add(variance, b.Scalar(float64(n.Float("epsilon", 1e-5))))))
	y := b.Mul(centred, b.Mul(rstd, b.Reshape(w.in(n, 1), shape...)))
	w.values[n.Output(0)] = b.Add(y, b.Reshape(w.in(n, 2), shape...))

	keep := float64(n.Float("momentum", 0.9))
	unbiased := b.Mul(variance, b.Scalar(float64(rows)/float64(max(rows-1, 1))))
	for i, v := range []onnx.Value{3: mean, 4: unbiased} {
		st := stats[n.Input(i)]
		if v == "" || st == nil || st.Next != "" {
			continue // a constant, or shared by two norms: stays as it is
		}
		old := b.Mul(w.in(n, i), b.Scalar(keep))
		st.Next = "next/" + st.Name
		b.Output(st.Next, b.Add(old, b.Mul(b.Reshape(v, st.Dims...), b.Scalar(1-keep))))
	}
	return nil
}
