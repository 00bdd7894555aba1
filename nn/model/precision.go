package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/cpu"

	"kosumi/board"
	"kosumi/nn/ort"
	"kosumi/nn/quant"
)

// The number formats of networks.
const (
	autoPrecision  = "auto"
	floatPrecision = "fp32"
	halfPrecision  = "fp16"
	int8Precision  = "int8"
)

var precisions = []string{autoPrecision, floatPrecision, halfPrecision, int8Precision}

// choice is the precision for one board size.
type choice struct {
	precision string
	why       string                 // for people; may be empty
	graph     func() ([]byte, error) // nil: the source's own graph
}

// cacheName tells graphs of different making apart.
func (c *choice) cacheName() string {
	if c.graph != nil {
		return fmt.Sprintf("%sq%d", c.precision, quant.Version)
	}
	return c.precision
}

// fastInt8 names the processor's instructions that multiply 8-bit integers and
// add them up in 32 bits at once; "" where it has none.
func fastInt8() string {
	switch {
	case !quant.VNNI.Serves(quant.Here()):
		return ""
	case cpu.X86.HasAMXInt8 && cpu.X86.HasAVX512VNNI:
		return "AMX and AVX-512 VNNI"
	case cpu.X86.HasAVX512VNNI:
		return "AVX-512 VNNI"
	case cpu.X86.HasAVXVNNI:
		return "AVX-VNNI"
	case cpu.ARM64.HasI8MM:
		return "I8MM"
	case cpu.ARM64.HasASIMDDP:
		return "dot products"
	}
	return ""
}

// choose decides on the precision for a size, once. The caller holds the state's
// mutex.
func (m *Model) choose(ctx context.Context, size board.Size, state *sized) (*choice, error) {
	if c := state.choice.Load(); c != nil {
		return c, nil
	}
	c, err := m.firstChoice(ctx, size, state)
	if err == nil {
		state.choice.CompareAndSwap(nil, c) // what was prepared behind comes later
	}
	return c, err
}

func (m *Model) firstChoice(ctx context.Context, size board.Size, state *sized) (*choice, error) {
	c, err := m.settled(size)
	if c != nil || err != nil {
		return c, err
	}
	key := m.int8Key(size)
	if m.conf.Precision == autoPrecision && m.conf.Later != nil {
		c := &choice{precision: floatPrecision, why: "int8 is prepared in the background of the first search"}
		state.choice.Store(c)
		state.owed = true
		if state.searched {
			m.prepareBehind(size, state)
		}
		return c, nil
	}
	return m.prepare(ctx, size, key, false)
}

// settled returns the choice for a size where nothing has to be prepared for it,
// else nil.
func (m *Model) settled(size board.Size) (*choice, error) {
	src := m.source
	wanted := cmp.Or(m.conf.Precision, floatPrecision)
	if has := src.precision(); has != floatPrecision {
		if m.conf.Precision != "" && wanted != autoPrecision && wanted != has {
			return nil, fmt.Errorf("%w: %s is in %s; %s wants the original network", ErrPrecision, src.describe().File, has, wanted)
		}
		return &choice{precision: has, why: "as the file has it"}, nil
	}
	switch wanted {
	case floatPrecision:
		return &choice{precision: floatPrecision}, nil
	case halfPrecision:
		return &choice{precision: halfPrecision, graph: func() ([]byte, error) { return m.halfGraph(size) }}, nil
	case autoPrecision:
		if stay, why := m.stayFloat(); stay {
			return &choice{precision: floatPrecision, why: why}, nil
		}
	}
	return m.judged(size, m.int8Key(size)), nil
}

// int8Key says where the cache keeps the integer network of a size.
func (m *Model) int8Key(size board.Size) graphKey {
	return m.run.(*ortRunner).key(m.source, size, int8Precision)
}

// stayFloat reports whether auto does not even try int8 here, and why where that
// is not plain from the provider.
func (m *Model) stayFloat() (stay bool, why string) {
	run, ok := m.run.(*ortRunner)
	switch {
	case !ok || run.provider != ort.CPU:
		return true, ""
	case fastInt8() == "":
		return true, "this processor has no fast 8-bit instructions"
	case run.cache.dir == "" && m.conf.Calibration == nil:
		return true, "there is no cache folder to keep int8 in"
	}
	return false, ""
}

// Outlook says which precision sessions for a board size would get, and why,
// without preparing anything.
func (m *Model) Outlook(size board.Size) (precision, why string, err error) {
	c, err := m.settled(size)
	switch {
	case err != nil:
		return "", "", err
	case c != nil:
		return c.precision, c.why, nil
	}
	return int8Precision, "the processor has " + cmp.Or(fastInt8(), "no fast 8-bit instructions") + "; prepared on first use, judged, and kept", nil
}

// judged returns the choice that an earlier start came to; nil where there is
// none, where it is lost in part, or where this start wants another.
func (m *Model) judged(size board.Size, key graphKey) *choice {
	cache := m.run.(*ortRunner).cache
	v, ok := cache.verdict(key)
	named := m.conf.Precision == int8Precision
	switch why := v.against(); {
	case !ok:
		return nil
	case !named && why != "":
		return &choice{precision: floatPrecision, why: why}
	case v.Report != nil && cache.has(key):
		m.warn(why)
		return m.int8Choice(size, v.why(), nil)
	}
	return nil
}

// int8Choice is for a graph that was made already; where data is nil and the
// cache's file turns out to be damaged, it is made anew.
func (m *Model) int8Choice(size board.Size, why string, data []byte) *choice {
	graph := func() ([]byte, error) { return data, nil }
	if data == nil {
		graph = sync.OnceValues(func() ([]byte, error) {
			q, err := m.quantizeQuickly(m.ctx, size, false)
			if err != nil {
				return nil, err
			}
			return q.Model.Marshal()
		})
	}
	return &choice{precision: int8Precision, why: why, graph: graph}
}

// prepare quantizes the network for a size and judges the result. behind says that
// nobody waits for it.
func (m *Model) prepare(ctx context.Context, size board.Size, key graphKey, behind bool) (*choice, error) {
	start := time.Now()
	run := m.run.(*ortRunner)
	where := ""
	if behind {
		where = " in the background"
	}
	free, err := run.cache.claim(ctx, key, m.conf.Log)
	if err != nil {
		return nil, err
	}
	defer free()
	if c := m.judged(size, key); c != nil {
		return c, nil // another program was at it
	}
	m.conf.Log.Info(fmt.Sprintf("preparing int8 for %dx%d%s, once for this network and machine", size.W, size.H, where))
	q, err := m.quantizeQuickly(ctx, size, behind)
	if errors.Is(err, quant.ErrNothing) || errors.Is(err, quant.ErrGraph) || errors.Is(err, quant.ErrCalibration) {
		return m.reject(key, err)
	}
	if err != nil {
		return nil, err
	}
	data, err := q.Model.Marshal()
	if err != nil {
		return nil, err
	}
	c := m.int8Choice(size, "", data)
	v := verdict{Report: &q.Report}
	if v.Speedup, err = m.trial(ctx, size, c); err != nil {
		return nil, err
	}
	why := v.against()
	if why != "" && m.conf.Precision != int8Precision {
		return m.decline(key, v, why), nil
	}
	m.warn(why)
	c.why = v.why()
	run.cache.judge(key, v)
	m.conf.Log.Info("int8 is ready", "seconds", fmt.Sprintf("%.0f", time.Since(start).Seconds()), "speed", c.why, "against fp32", q.Report)
	return c, nil
}

// warn says what speaks against int8, which is used all the same.
func (m *Model) warn(why string) {
	if why != "" {
		m.conf.Log.Warn("int8 is used as asked for; auto would not", "reason", why)
	}
}

// reject notes that there is no integer network. Where int8 was asked for by name,
// that is an error.
func (m *Model) reject(key graphKey, cause error) (*choice, error) {
	if m.conf.Precision == int8Precision {
		return nil, fmt.Errorf("%w: int8: %w", ErrPrecision, cause)
	}
	return m.decline(key, verdict{Fault: cause.Error()}, cause.Error()), nil
}

// decline notes that the network stays in float32.
func (m *Model) decline(key graphKey, v verdict, why string) *choice {
	m.run.(*ortRunner).cache.judge(key, v)
	m.conf.Log.Info("the network stays in fp32", "reason", why)
	return &choice{precision: floatPrecision, why: why}
}

// quickWork bounds the multiplications that go into playing calibration games
// when a user waits.
const quickWork = 1e12

// quantizeQuickly quantizes with positions from fewer games where evaluations take
// long, so that a user need not wait long.
func (m *Model) quantizeQuickly(ctx context.Context, size board.Size, behind bool) (*Quantized, error) {
	o := QuantizeOptions{Positions: 256, Held: 128, Quiet: behind, Progress: m.tellSlowly(size)}
	if behind {
		o.Workers = max(1, runtime.NumCPU()/2)
	}
	if m.conf.Calibration != nil {
		if games := m.conf.Calibration(size); len(games) >= 8 {
			cut := max(min(len(games)*3/4, len(games)-leastPositions), len(games)/2)
			o.Calibrate, o.Verify = games[:cut], games[cut:]
		}
	}
	if len(o.Calibrate) == 0 {
		graph, err := m.floatGraph(size)
		if err != nil {
			return nil, err
		}
		perGame := quant.Work(graph) * float64(gameLength(size)) * 2 / 3
		o.Games = int(min(max(quickWork/max(perGame, 1)/2, 2), 24))
	}
	return m.Quantize(ctx, size, o)
}

// tellSlowly returns a progress function that writes a line now and then.
func (m *Model) tellSlowly(size board.Size) func(stage string, done, total int) {
	var mu sync.Mutex
	last := time.Now()
	return func(stage string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < 5*time.Second || total == 0 {
			return
		}
		last = time.Now()
		m.conf.Log.Info(fmt.Sprintf("preparing int8 for %dx%d: %s, %d %%", size.W, size.H, stage, 100*done/total))
	}
}

// trial returns how many times as fast the integer network is, from runs of both
// in turns.
func (m *Model) trial(ctx context.Context, size board.Size, c *choice) (float64, error) {
	const batch = 4
	float, err := m.OpenOriginal(size, batch)
	if err != nil {
		return 0, err
	}
	defer float.Close()
	integer, err := m.openAs(size, batch, c)
	if err != nil {
		return 0, err
	}
	defer integer.Close()
	var ratios []float64
	for start := time.Now(); len(ratios) < 3 || len(ratios) < 15 && time.Since(start) < time.Second; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		t0 := time.Now()
		if err := float.Run(batch); err != nil {
			return 0, err
		}
		t1 := time.Now()
		if err := integer.Run(batch); err != nil {
			return 0, err
		}
		ratios = append(ratios, t1.Sub(t0).Seconds()/max(time.Since(t1).Seconds(), 1e-9))
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2], nil
}
