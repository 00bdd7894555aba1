package learn

import (
	"fmt"
	"maps"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/autodiff"
	"kosumi/nn/model"
	"kosumi/nn/onnx"
)

// plan is a graph for one board size, ready to be opened.
type plan struct {
	model    *onnx.Model
	spec     nn.Spec
	params   []autodiff.Param // weights, those of training-only outputs last
	stats    []autodiff.Stat
	states   []autodiff.State
	measured []measured
}

type planner struct {
	conf *Config
	src  *model.Model
}

// losses returns the coefficients of the losses for a kind of network.
func (p *planner) losses(kind nn.Kind) map[string]float64 {
	all := defaultLosses(kind)
	maps.Copy(all, p.conf.Losses)
	return all
}

// norms says what batch normalization does in training.
func (p *planner) norms(kind nn.Kind) autodiff.Norms {
	if p.conf.Norms == "train" || p.conf.Norms == "auto" && kind != nn.KindKataGo {
		return autodiff.NormsTrain
	}
	return autodiff.NormsFrozen
}

// EvalBatch is the maximum batch of a graph that only measures.
const EvalBatch = 16

// evaluation plans a graph that only measures, at most EvalBatch rows at a time.
func (p *planner) evaluation(size board.Size) (*plan, error) {
	pl, _, err := p.forward(size, autodiff.NormsFrozen, min(p.conf.Batch, EvalBatch))
	if err != nil {
		return nil, err
	}
	keepOutputs(pl.model, outLoss, outMeasures)
	return pl, nil
}

func (p *planner) training(size board.Size) (*plan, error) {
	spec, err := p.src.Spec(size)
	if err != nil {
		return nil, err
	}
	pl, stops, err := p.forward(size, p.norms(spec.Kind), p.conf.Batch)
	if err != nil {
		return nil, err
	}
	wrt := make([]string, len(pl.params))
	for i := range wrt {
		wrt[i] = pl.params[i].Name
	}
	b, grads, err := autodiff.Gradients(pl.model, outLoss, wrt, p.conf.kernels(), stops...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNetwork, err)
	}
	o := p.conf.optimizer()
	if p.conf.HeadRate != 1 {
		whole, err := p.src.Weights(size)
		if err != nil {
			return nil, err
		}
		trunk := trunkOf(whole, &pl.spec)
		o.Rate = func(q *autodiff.Param) float64 {
			if trunk[q.Name] {
				return 1
			}
			return p.conf.HeadRate
		}
	}
	if pl.states, err = o.Apply(b, pl.params, grads); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNetwork, err)
	}
	if pl.model, err = b.Model(nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNetwork, err)
	}
	keep := []string{outLoss, outMeasures, autodiff.OutputGradNorm}
	for _, q := range pl.params {
		keep = append(keep, autodiff.NextPrefix+q.Name)
	}
	for _, s := range pl.stats {
		keep = append(keep, s.Next)
	}
	for _, s := range pl.states {
		keep = append(keep, autodiff.NextPrefix+s.Name)
	}
	keepOutputs(pl.model, keep...)
	return pl, nil
}

// forward plans the network with its losses. It also returns the values that no gradient passes
// through.
func (p *planner) forward(size board.Size, norms autodiff.Norms, rows int) (*plan, []string, error) {
	spec, err := p.src.Spec(size)
	if err != nil {
		return nil, nil, err
	}
	whole, err := p.src.Weights(size)
	if err != nil {
		return nil, nil, err
	}
	batch := int64(rows)
	prep, err := autodiff.Prepare(whole, autodiff.Options{Batch: batch, Norms: norms, Trainable: p.trainable(whole, &spec)})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNetwork, err)
	}
	b, err := onnx.Extend(prep.Model)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNetwork, err)
	}
	r := &reader{b: b.In("heads"), producers: prep.Model.Graph.Producers(), batch: batch, area: int64(size.Area())}
	h, err := r.findHeads(&spec)
	if err != nil {
		return nil, nil, err
	}
	l := &losses{b: b.In("loss"), spec: &spec, batch: batch, area: r.area, h: h, coefs: p.losses(spec.Kind), inputs: map[string]onnx.Value{}}
	params := prep.Params
	if p.conf.Aux && spec.Kind == nn.KindKataGo && p.conf.Freeze != "heads" {
		l.aux = r.addAux(l.coefs, p.conf.Seed)
		params = append(params, l.aux.params...)
	}
	list := l.build()
	m, err := b.Model(nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNetwork, err)
	}
	return &plan{model: m, spec: spec, params: params, stats: prep.Stats, measured: list}, l.stops, nil
}

// trainable returns a function that selects the tensors to train; nil means all.
func (p *planner) trainable(m *onnx.Model, spec *nn.Spec) func(*autodiff.Param) bool {
	if p.conf.Freeze == "" {
		return nil
	}
	trunk := trunkOf(m, spec)
	return func(q *autodiff.Param) bool { return trunk[q.Name] == (p.conf.Freeze == "heads") }
}

// trunkOf returns the initializers that both the policy and another head depend on.
func trunkOf(m *onnx.Model, spec *nn.Spec) map[string]bool {
	producers := m.Graph.Producers()
	reach := func(policy bool) map[string]bool {
		seen := map[string]bool{}
		var visit func(name string)
		visit = func(name string) {
			if name == "" || seen[name] {
				return
			}
			seen[name] = true
			if n := producers[name]; n != nil {
				for _, in := range n.Reads() {
					visit(in)
				}
			}
		}
		for _, out := range spec.Outputs {
			if (out.Role == nn.RolePolicy || out.Role == nn.RolePass) == policy {
				visit(out.Name)
			}
		}
		return seen
	}
	both, others := reach(true), reach(false)
	maps.DeleteFunc(both, func(name string, _ bool) bool { return !others[name] })
	return both
}

// keepOutputs removes all outputs but the named ones, with their nodes. Inputs stay.
func keepOutputs(m *onnx.Model, names ...string) {
	m.Graph.Outputs = slices.DeleteFunc(m.Graph.Outputs, func(v onnx.ValueInfo) bool { return !slices.Contains(names, v.Name) })
	onnx.RemoveUnused(m.Graph)
}
