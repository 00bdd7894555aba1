package bench_test

import (
	"math"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/bench"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/search"
)

// imitation answers as late as a device that takes fixed for a batch and each for every
// position of it. All sessions share the device, which computes one batch after the other,
// rounded up to three binary digits as sessions of real devices do. Values follow from the
// stones, and policies have a few good moves, so that a search's tree has a usual shape; they
// have no meaning.
type imitation struct {
	nn.Model
	fixed, each time.Duration

	mu   sync.Mutex
	free time.Time // when the device has computed all that it was given
}

func (m *imitation) Spec(size board.Size) (nn.Spec, error) {
	spec, err := m.Model.Spec(size)
	spec.Policy = nn.PolicyLogits
	return spec, err
}

func (m *imitation) Open(size board.Size, maxBatch int) (nn.Backend, error) {
	b, err := m.Model.Open(size, maxBatch)
	if err != nil {
		return nil, err
	}
	spec, err := m.Spec(size)
	if err != nil {
		return nil, err
	}
	logits := make([]float32, 1<<14+board.MaxMoves) // policies begin anywhere in it
	for i := range logits {                         // some two moves of weight 1, whatever the size of the board
		logits[i] = max(-12, float32(size.Area())/2*float32(math.Log(float64(unit(uint64(i)+1<<32))+1e-9)))
	}
	return &imitated{b, m, spec, nn.Rows(spec.Inputs, b.Inputs(), maxBatch), nn.Rows(spec.Outputs, b.Outputs(), maxBatch), size.Area(), logits}, nil
}

// imitated is a session of an imitation, in the memory of the network's own.
type imitated struct {
	nn.Backend
	model   *imitation
	spec    nn.Spec
	in, out [][][]float32
	area    int
	logits  []float32
}

func (b *imitated) Run(n int) error {
	m := b.model
	m.mu.Lock()
	if now := time.Now(); m.free.Before(now) {
		m.free = now
	}
	m.free = m.free.Add(m.fixed + time.Duration(min(b.MaxBatch(), nn.Shape(n)))*m.each)
	done := m.free
	m.mu.Unlock()
	for row := range n {
		b.answer(b.in[row], b.out[row])
	}
	// This blocks the thread, as a call into a device's library does, and is off by some 50
	// microseconds; the runtime's Sleep is off by up to a millisecond.
	for d := time.Until(done); d > 0; d = time.Until(done) {
		left := syscall.NsecToTimespec(int64(d))
		_ = syscall.Nanosleep(&left, nil) // a signal cuts it short
	}
	return nil
}

// answer fills in the answers to a row.
func (b *imitated) answer(in, out [][]float32) {
	value, from := float32(0), uint64(0)
	for i := range b.spec.Inputs {
		if b.spec.Inputs[i].Role == nn.RoleSpatial { // planes 1 and 2 of KataGo's are the stones of both sides
			for p := range b.area {
				own, other := in[i][b.area+p], in[i][2*b.area+p]
				value += 0.4 * (own - other) * (unit(uint64(p)) - 0.5)
				from = from*31 + uint64(own+2*other)
			}
		}
	}
	for i := range b.spec.Outputs {
		o := out[i]
		switch b.spec.Outputs[i].Role {
		case nn.RolePolicy:
			copy(o, b.logits[from%(1<<14):])
		case nn.RolePass:
			for k := range o {
				o[k] = -12
			}
		case nn.RoleValue:
			o[0] = value
			if len(o) == 1 {
				o[0] = float32(math.Tanh(float64(value)))
			} else {
				o[1], o[2] = -value, -12
			}
		case nn.RoleScore, nn.RoleScoreValue:
			for k := range o {
				o[k] = 0.1 * value
			}
		}
	}
}

// unit hashes x to [0,1) (SplitMix64 finalizer).
func unit(x uint64) float32 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float32((x^x>>31)>>40) / (1 << 24)
}

// TestImitated: a batch takes the device's time, two sessions share it, and a search over it
// has a tree of the usual shape.
func TestImitated(t *testing.T) {
	m := &imitation{Model: nntest.HashModel(1), fixed: 2 * time.Millisecond, each: time.Millisecond}
	var all []nn.Backend
	for range 2 {
		b, err := m.Open(board.Square(5), 11)
		require.NoError(t, err)
		all = append(all, b)
	}
	for rows, counted := range map[int]int{1: 1, 5: 5, 9: 10, 11: 11} {
		start := time.Now()
		require.NoError(t, all[0].Run(rows))
		require.GreaterOrEqual(t, time.Since(start), time.Duration(2+counted)*time.Millisecond, "%d rows", rows)
	}
	start, done := time.Now(), make(chan error)
	for _, b := range all {
		go func() { done <- b.Run(1) }()
	}
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	require.GreaterOrEqual(t, time.Since(start), 6*time.Millisecond)

	s, err := nn.NewServer(&imitation{Model: nntest.HashModel(1), each: 1}, nn.ServerConfig{MaxBatch: 8, FixedSymmetry: true})
	require.NoError(t, err)
	defer s.Close()
	g, err := board.NewGame(board.Square(9), board.Chinese())
	require.NoError(t, err)
	p := search.Defaults()
	p.Parallel.Workers = 16
	tree, err := search.New(p, s, nil)
	require.NoError(t, err)
	tree.Reset(g)
	r, err := tree.Search(t.Context(), search.Limits{Visits: 1000})
	require.NoError(t, err)
	require.Greater(t, r.Stats.MeanDepth(), 1.5)
	require.Less(t, r.Stats.CollisionRate(), 0.5)
}

// BenchmarkImitated searches over imitated devices, by the evaluations a second that they
// offer, and alone in turns with it: evaluations a second of both, and their ratio. One
// iteration is a round of two seconds each.
func BenchmarkImitated(b *testing.B) {
	for name, device := range map[string]*imitation{
		"2000": {each: 500 * time.Microsecond}, "20000": {each: 50 * time.Microsecond}, "300us+2.3us": {fixed: 300 * time.Microsecond, each: 2300},
	} {
		b.Run(name, func(b *testing.B) {
			device.Model = network(b)
			games, err := bench.Positions(b.Context(), device.Model, board.Square(*boardSize), board.Chinese())
			require.NoError(b, err)
			setup := &bench.Setup{Model: device, Server: nn.ServerConfig{OneDevice: 2, CacheBytes: 64 << 20}, Games: games, Params: search.Defaults(), Rounds: b.N, Length: 2 * time.Second}
			plan := bench.Plan{Sessions: 3, Batch: 64, Threads: 256}
			s, err := setup.Serve(plan)
			require.NoError(b, err)
			defer s.Close()
			speed, _, err := setup.Measure(b.Context(), plan, setup.Search(s, plan.Threads))
			require.NoError(b, err)
			b.ReportMetric(speed.RawEvals, "alone/s")
			b.ReportMetric(speed.SearchEvals, "search/s")
			b.ReportMetric(speed.Ratio, "ratio")
		})
	}
}
