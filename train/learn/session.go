package learn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kosumi/nn"
	"kosumi/nn/autodiff"
	"kosumi/nn/fuse"
	"kosumi/nn/kernel"
	"kosumi/nn/ort"
	"kosumi/train/rows"
)

// session runs one plan: a graph bound to the weights and to its own memory for batches and
// results.
type session struct {
	plan  *plan
	graph *ort.Graph
	own   map[string]*ort.Tensor // inputs and outputs other than weights
	bound [3]*ort.Binding        // bindings to both copies of the weights, and to the averages
}

// boundAverage is the index of the binding to averaged weights.
const boundAverage = 2

// kernels reports whether convolutions run in the kernels of package kernel.
func (c *Config) kernels() bool {
	_, ok := kernel.Best()
	return ok && c.Provider == ort.CPU && !c.plain
}

// openSession opens a plan's graph. Its weights are bound when it runs.
func (l *Learner) openSession(p *plan) (*session, error) {
	runs := p.model
	if l.conf.kernels() {
		var err error
		if runs, _, err = fuse.Training(p.model); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNetwork, err)
		}
	}
	data, err := runs.Marshal()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNetwork, err)
	}
	threads := cmp.Or(l.conf.Threads, nn.Cores())
	g, err := ort.OpenGraph(data, ort.Config{Library: l.conf.Library, Provider: l.conf.Provider, Threads: threads, CommonArena: l.conf.Provider == ort.CPU})
	if err != nil {
		return nil, err
	}
	s := &session{plan: p, graph: g, own: map[string]*ort.Tensor{}}
	var t *ort.Tensor
	for _, v := range slices.Concat(p.model.Graph.Inputs, p.model.Graph.Outputs) {
		if l.weights.tensors[v.Name] != nil || strings.HasPrefix(v.Name, autodiff.NextPrefix) {
			continue
		}
		dims, ok := v.Shape.Sizes()
		if !ok {
			err = fmt.Errorf("%w: %s has no fixed shape", ErrNetwork, v.Name)
		} else if t, err = ort.NewTensor(dims...); err == nil {
			s.own[v.Name] = t
		}
		if err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// run computes the graph with the given weights. A training graph writes the new weights to next. The
// binding to these tensors is made once and kept in s.bound[which].
func (s *session) run(which int, weights, next map[string]*ort.Tensor) error {
	b := s.bound[which]
	if b == nil {
		in, out := maps.Clone(weights), maps.Clone(s.own)
		maps.Copy(in, s.own)
		for name, t := range next {
			out[autodiff.NextPrefix+name] = t
		}
		var err error
		if b, err = s.graph.Bind(in, out); err != nil {
			return err
		}
		s.bound[which] = b
	}
	return b.Run()
}

func (s *session) close() {
	s.graph.Close()
	for _, t := range s.own {
		t.Close()
	}
}

// fill copies n rows of a batch, from row first on, into the session's inputs.
// The remaining rows are zeros, which have no weight.
func (s *session) fill(b *rows.Batch, first, n int) error {
	from := map[string][]float32{inPolicy: b.Policy, inReply: b.Reply, inGlobals: b.Globals, inPoints: b.Points}
	for _, in := range s.plan.spec.Inputs {
		switch in.Role {
		case nn.RoleSpatial:
			from[in.Name] = b.Spatial
		case nn.RoleGlobal:
			from[in.Name] = b.Global
		case nn.RoleMeta: // unknown players: zeros
		default:
			return fmt.Errorf("%w: nothing fills input %s", ErrNetwork, in.Name)
		}
	}
	for name, data := range from {
		t := s.own[name]
		if t == nil {
			continue // no loss needs this target
		}
		row := len(t.Data) / int(t.Dims[0])
		if len(data) != b.N*row {
			return fmt.Errorf("%w: %d numbers for %d rows of %s, which take %d each", ErrBatch, len(data), b.N, name, row)
		}
		clear(t.Data[copy(t.Data, data[first*row:(first+n)*row]):])
	}
	return nil
}

func (s *session) result(n int) Result {
	r := Result{Loss: float64(s.own[outLoss].Data[0]), Rows: n}
	list := s.own[outMeasures].Data
	for i, m := range s.plan.measured {
		t := Term{Name: m.name, Coef: m.coef, Weight: float64(list[len(s.plan.measured)+i])}
		if t.Weight > 0 {
			t.Mean = float64(list[i]) / t.Weight
		}
		r.Terms = append(r.Terms, t)
	}
	if g := s.own[autodiff.OutputGradNorm]; g != nil {
		r.GradNorm = float64(g.Data[0])
	}
	return r
}
