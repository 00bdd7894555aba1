package learn

import (
	"errors"
	"fmt"
	"slices"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/autodiff"
	"kosumi/nn/features"
	"kosumi/nn/model"
	"kosumi/nn/ort"
	"kosumi/train/rows"
)

// maxSkipped consecutive steps with non-finite numbers end the training with ErrDiverged.
const maxSkipped = 10

// Learner trains one network. One caller at a time.
type Learner struct {
	conf    Config
	net     *model.Model
	source  Source
	planner planner
	weights *weights
	average map[string]*ort.Tensor // nil without averaging
	train   map[board.Size]*session
	eval    map[board.Size]*session
	params  []autodiff.Param
	stats   []autodiff.Stat
	first   *plan   // for a board of homeSize, until start
	spec    nn.Spec // description of the network on a board of homeSize
	count   Counters
	kept    int64 // step whose checkpoint stays when older ones are removed; 0: none
}

// Source is the file that a learner began with.
type Source struct {
	Path   string `json:"path"` // as it was given
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Counters count the progress of a learner.
type Counters struct {
	Steps     int64 `json:"steps"`
	Samples   int64 `json:"samples"`   // rows seen in steps
	Skipped   int64 `json:"skipped"`   // steps that changed nothing, see Result.Skipped
	InARow    int64 `json:"in_a_row"`  // consecutive skipped steps up to now
	Snapshots int64 `json:"snapshots"` // snapshots in the average
	NextSnap  int64 `json:"next_snap"` // samples at the next snapshot
	Updates   int64 `json:"updates"`   // steps that changed the weights
	Saved     int64 `json:"saved"`     // checkpoints written
}

// New opens a network and makes a new learner. Errors wrap ErrConfig, ErrNetwork or an error of
// package model about the file.
func New(c Config) (*Learner, error) {
	l, err := planned(c)
	if err != nil {
		return nil, err
	}
	if err := l.start(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// planned makes a learner without onnxruntime, which is downloaded if need be. It has to start before
// its first batch; until then it tells which rows it needs.
func planned(c Config) (*Learner, error) {
	c = c.WithDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	net, err := model.Open(c.Model, model.Config{Provider: model.OnnxGo, Overrides: c.Overrides, Upgrade: true, Log: c.Log})
	if err != nil {
		return nil, err
	}
	l := &Learner{conf: c, net: net, weights: &weights{tensors: map[string]*[2]*ort.Tensor{}},
		train: map[board.Size]*session{}, eval: map[board.Size]*session{}}
	d := net.Describe()
	l.source = Source{Path: c.Model, Name: d.Name, SHA256: d.SHA256}
	l.planner = planner{conf: &l.conf, src: net}
	if l.first, err = l.planner.training(l.homeSize()); err != nil {
		l.Close()
		return nil, err
	}
	l.params, l.stats, l.spec = l.first.params, l.first.stats, l.first.spec
	return l, nil
}

// start allocates the weights.
func (l *Learner) start() error {
	c := &l.conf
	_, err := ort.Need("training runs on it", c.Provider, c.Library)
	if err == nil {
		err = ort.Offers(c.Library, c.Provider)
	}
	if err == nil && (c.resident || c.Provider != ort.CPU && ort.HasDevice(c.Provider)) {
		l.weights.device, err = ort.OpenDevice(ort.Config{Library: c.Library, Provider: c.Provider})
	}
	if err == nil {
		err = l.addTensors(l.first)
	}
	if err == nil && c.Average.Every > 0 {
		err = l.startAverage()
	}
	l.first = nil
	return err
}

// homeSize is the only size of the network, or a small one if it serves several.
func (l *Learner) homeSize() board.Size {
	for _, n := range []int{9, 13, 19} {
		if s := board.Square(n); l.net.Serves(s) == nil {
			return s
		}
	}
	for w := 2; w <= 25; w++ {
		for h := 2; h <= 25; h++ {
			if s := (board.Size{W: w, H: h}); l.net.Serves(s) == nil {
				return s
			}
		}
	}
	return board.Square(19)
}

// addTensors adds the tensors of a plan to the weights, except those that exist already.
func (l *Learner) addTensors(p *plan) error {
	var faults []error
	for _, q := range p.params {
		faults = append(faults, l.weights.add(q.Name, q.Dims, q.Init, false))
	}
	for _, s := range p.stats {
		faults = append(faults, l.weights.add(s.Name, s.Dims, s.Init, s.Next == ""))
	}
	for _, s := range p.states {
		faults = append(faults, l.weights.add(s.Name, s.Dims, nil, false))
	}
	return errors.Join(faults...)
}

// Encoding is how the network wants its inputs encoded.
func (l *Learner) Encoding() features.Encoding { return l.spec.Encoding }

// Wants returns the optional targets that the losses need.
func (l *Learner) Wants() rows.Wants {
	coefs := l.planner.losses(l.spec.Kind)
	return rows.Wants{
		Reply: l.spec.Kind == nn.KindKataGo && (coefs[TermOptimistic] > 0 ||
			l.conf.Aux && (coefs[TermReply] > 0 || coefs[TermSoftReply] > 0)),
		Points: coefs[TermOwnership] > 0 && l.spec.Kind != nn.KindDualHead,
	}
}

// Counters returns how far the learner has come.
func (l *Learner) Counters() Counters { return l.count }

// SetRate changes the learning rate and its schedule from the next step on.
func (l *Learner) SetRate(rate float64, s Schedule) error {
	c := l.conf
	c.Rate, c.Schedule = rate, s
	if err := c.Validate(); err != nil {
		return err
	}
	l.conf = c
	return nil
}

// Step takes one step. Missing rows up to Config.Batch count as rows without weight; networks that
// normalize by the batch's statistics need full batches. If the loss or a gradient is not finite, the
// weights do not change and Result.Skipped is set; the tenth such step in a row fails with ErrDiverged.
func (l *Learner) Step(b *rows.Batch) (Result, error) {
	if err := l.check(b); err != nil {
		return Result{}, err
	}
	if b.N > l.conf.Batch {
		return Result{}, fmt.Errorf("%w: %d rows, a step takes 1 to %d", ErrBatch, b.N, l.conf.Batch)
	}
	s, err := l.session(l.train, b.Size, l.planner.training)
	if err != nil {
		return Result{}, err
	}
	if b.N < l.conf.Batch && slices.ContainsFunc(s.plan.stats, func(st autodiff.Stat) bool { return st.Next != "" }) {
		return Result{}, fmt.Errorf("%w: %d rows; batch normalization is trained and wants all %d", ErrBatch, b.N, l.conf.Batch)
	}
	if err := s.fill(b, 0, b.N); err != nil {
		return Result{}, err
	}
	step := l.count.Updates + 1
	rate := l.conf.Rate * l.conf.Schedule.At(l.count.Steps+1)
	o := l.conf.optimizer()
	for name, v := range o.Scalars(step, rate) {
		s.own[name].Data[0] = v
	}
	if err := s.run(l.weights.side, l.weights.at(0), l.weights.at(1)); err != nil {
		return Result{}, err
	}
	r := s.result(b.N)
	r.Rate = rate
	r.Skipped = !finite(float32(r.Loss), float32(r.GradNorm))
	return r, l.finishStep(&r)
}

// finishStep counts a step and, unless it was skipped, makes its new weights the current ones.
func (l *Learner) finishStep(r *Result) error {
	l.count.Steps++
	l.count.Samples += int64(r.Rows)
	if r.Skipped {
		l.count.Skipped++
		l.count.InARow++
		if l.count.InARow >= maxSkipped {
			return fmt.Errorf("%w: %d steps in a row had a loss or a gradient that is not a finite number", ErrDiverged, l.count.InARow)
		}
		return nil
	}
	l.count.InARow = 0
	l.count.Updates++
	l.weights.side ^= 1
	return l.moveAverage()
}

// Evaluate measures a batch of any number of rows without changing anything: with the present weights,
// or with averages if wanted and available. Batch normalization uses its running statistics.
func (l *Learner) Evaluate(b *rows.Batch, average bool) (Result, error) {
	if err := l.check(b); err != nil {
		return Result{}, err
	}
	s, err := l.session(l.eval, b.Size, l.planner.evaluation)
	if err != nil {
		return Result{}, err
	}
	var sum Result
	size := min(l.conf.Batch, EvalBatch)
	for at := 0; at < b.N; at += size {
		n := min(size, b.N-at)
		if err := s.fill(b, at, n); err != nil {
			return Result{}, err
		}
		if average && l.average != nil {
			err = s.run(boundAverage, l.average, nil)
		} else {
			err = s.run(l.weights.side, l.weights.at(0), nil)
		}
		if err != nil {
			return Result{}, err
		}
		r := s.result(n)
		r.Loss *= float64(size) / float64(n) // mean over the rows present
		sum.Add(&r)
	}
	return sum, nil
}

func (l *Learner) check(b *rows.Batch) error {
	if b.N < 1 {
		return fmt.Errorf("%w: it is empty", ErrBatch)
	}
	if err := l.net.Serves(b.Size); err != nil {
		return fmt.Errorf("%w: rows of a %v board: %w", ErrBatch, b.Size, err)
	}
	return nil
}

func (l *Learner) session(open map[board.Size]*session, size board.Size, plan func(board.Size) (*plan, error)) (*session, error) {
	if s := open[size]; s != nil {
		return s, nil
	}
	p, err := plan(size)
	if err != nil {
		return nil, err
	}
	if err := l.addTensors(p); err != nil {
		return nil, err
	}
	s, err := l.openSession(p)
	if err != nil {
		return nil, err
	}
	open[size] = s
	return s, nil
}

// Close frees sessions and memory.
func (l *Learner) Close() error {
	for _, open := range []map[board.Size]*session{l.train, l.eval} {
		for _, s := range open {
			s.close()
		}
	}
	l.train, l.eval = nil, nil
	l.weights.close()
	for _, t := range l.average {
		t.Close()
	}
	l.average = nil
	return l.net.Close()
}
