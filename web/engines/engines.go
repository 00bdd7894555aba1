// Package engines manages the networks of one server ([Networks], [Library]), and shares the
// network in use, the processor and memory between games, analyses and reviews. It also has the levels
// ([Levels]), the loss of a learner's move ([Examine]), and questions of life and death ([Proofs]).
//
// All searches run through the [Scheduler], one at a time: moves first, then hints and counts, then
// analyses in slices. [Engines.SpareTime] evaluates while no search runs.
package engines

import (
	"context"
	"log/slog"
	"sync"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/nn"
)

// Engines makes the engines of a server. Make one with [New].
type Engines struct {
	Networks  *Networks
	Config    engine.Config // settings of every engine; size, rules and limits come from the game
	Scheduler Scheduler
	Memory    Memory
	log       *slog.Logger
}

// New returns engines that use the networks n.
func New(n *Networks, conf engine.Config, log *slog.Logger) *Engines {
	return &Engines{Networks: n, Config: conf, Memory: Memory{one: min(TreeBytes, conf.Search.Memory.MaxBytes)}, log: log}
}

// Engine returns the engine of one game or analysis. It takes memory only after [Engine.With].
func (es *Engines) Engine() *Engine { return &Engine{engines: es} }

// Bounds in bytes: the largest tree, all trees together, and the smallest tree.
const (
	TreeBytes  = 256 << 20
	AllBytes   = 2 << 30
	LeastBytes = 8 << 20
)

// Memory divides AllBytes between all trees. A new tree gets half of the bytes that are left, but
// at least LeastBytes and at most m.one. The trees of a hundred browser pages take at most 3 GiB.
type Memory struct {
	one     int64 // memory of the largest tree, bytes
	mu      sync.Mutex
	granted int64
}

// Grant returns how many bytes a new tree may take.
func (m *Memory) Grant() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := max(LeastBytes, min(m.one, (AllBytes-m.granted)/2))
	m.granted += n
	return n
}

// GiveBack takes back the bytes that were granted to a tree.
func (m *Memory) GiveBack(n int64) {
	m.mu.Lock()
	m.granted -= n
	m.mu.Unlock()
}

// Granted is the sum of all grants, in bytes.
func (m *Memory) Granted() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.granted
}

// Engine follows one game or one analysis from position to position.
type Engine struct {
	engines *Engines
	mu      sync.Mutex
	e       *engine.Engine // nil until it is needed
	net     string         // name of the network that the tree was searched with
	granted int64          // bytes that its tree may take
}

// With sets the engine to the position of g and calls f. handicap is the number of handicap stones.
func (e *Engine) With(g *board.Game, handicap int, f func(*engine.Engine) error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.e == nil {
		conf := e.engines.Config
		conf.Size, conf.Rules = g.Size(), g.Rules()
		n := e.engines.Memory.Grant()
		conf.Search.Memory.MaxBytes = n
		made, err := engine.New(conf, e.engines.Networks, e.engines.log)
		if err != nil {
			e.engines.Memory.GiveBack(n)
			return err
		}
		e.e, e.net, e.granted = made, "", n
	}
	if net := e.engines.Networks.Status().Name; net != e.net {
		if e.net != "" {
			e.e.ClearCache()
		}
		e.net = net
	}
	if err := e.e.Follow(g, handicap); err != nil {
		return err
	}
	return f(e.e)
}

// Close frees the engine's memory. The next call of [Engine.With] makes a new engine.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.e != nil {
		e.e.Close()
		e.e = nil
		e.engines.Memory.GiveBack(e.granted)
	}
}

// SpareTime returns the network for reviews and for other programs that use it over the analysis
// protocol. It evaluates while no search of the [Scheduler] runs.
func (es *Engines) SpareTime() nn.Network {
	return spareTime{nn.Wrapper{Network: es.Networks}, &es.Scheduler}
}

// spareTime is a network that waits until no search wants the engine.
type spareTime struct {
	nn.Wrapper
	scheduler *Scheduler
}

// Evaluate implements nn.Evaluator.
func (t spareTime) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	if err := t.scheduler.Yield(ctx); err != nil {
		return err
	}
	return t.Network.Evaluate(ctx, q, out)
}

// Humans implements nn.Network.
func (t spareTime) Humans() nn.Network {
	humans := t.Network.Humans()
	if humans == nil {
		return nil
	}
	return spareTime{nn.Wrapper{Network: humans}, t.scheduler}
}
