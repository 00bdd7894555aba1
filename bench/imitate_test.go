package bench_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/bench"
	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/search"
)

func TestParseDevice(t *testing.T) {
	for text, want := range map[string]bench.Device{
		"300us+2.3us":         {Fixed: 300 * time.Microsecond, Each: 2300},
		"0s+50us":             {Each: 50 * time.Microsecond},
		"1ms+0s":              {Fixed: time.Millisecond},
		"20000":               {Each: 50 * time.Microsecond},
		"20000@8":             {Each: 50 * time.Microsecond},
		"1000@1,8000@16":      {Fixed: 933333, Each: 66667},
		"10000@10,100000@100": {Fixed: time.Millisecond},
	} {
		got, err := bench.ParseDevice(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		again, err := bench.ParseDevice(got.String())
		require.NoError(t, err, text)
		require.Equal(t, got, again, text)
	}
	for _, text := range []string{"", "x", "1us+", "+1us", "1us+x", "-1us+2us", "1us+-2us", "0s+0s", "1h+1us", "1us+1h", "0", "-5", "NaN", "Inf", "1e99", "5@0", "5@x", "5@1e9", "5@8,6@8", "1@1,2@2,3@3", "5,", "1us,2us", "9000@8,9@1"} {
		_, err := bench.ParseDevice(text)
		require.ErrorContains(t, err, "give two times", text)
	}
}

func FuzzParseDevice(f *testing.F) {
	for _, text := range []string{"300us+2.3us", "20000", "9000@8,290000@256", "1@1,1@1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := bench.ParseDevice(text)
		if err == nil && (d.Fixed < 0 || d.Each < 0 || d.Fixed+d.Each <= 0) {
			t.Fatalf("%q is %v", text, d)
		}
	})
}

// imitatedNetwork takes no time, so that tests do not.
func imitatedNetwork(m nn.Model) nn.Model { return bench.Device{Each: 1}.Imitate(m) }

// TestImitationHasTrees wants answers over which a search is of the usual kind: legal,
// the same each time, not flat, for both players' views.
func TestImitationHasTrees(t *testing.T) {
	for name, m := range map[string]nn.Model{"mini7": nntest.HashModel(1)} {
		s, err := nn.NewServer(imitatedNetwork(m), nn.ServerConfig{MaxBatch: 8, FixedSymmetry: true})
		require.NoError(t, err, name)
		defer s.Close()
		g, err := board.NewGame(board.Square(9), board.Chinese())
		require.NoError(t, err)
		var first, out nn.Output
		require.NoError(t, s.Evaluate(t.Context(), &nn.Query{Game: g}, &first))
		top := float32(0)
		for _, p := range first.Policy[:82] {
			top = max(top, p)
		}
		require.Greater(t, top, float32(0.05), "some move is better than others")
		require.InDelta(t, 0, float64(first.Value()), 1e-6, "an empty board is even")
		require.NoError(t, g.Play(board.Black, g.Size().FromIndex(20)))
		require.NoError(t, s.Evaluate(t.Context(), &nn.Query{Game: g}, &out))
		require.NotEqual(t, first.Policy, out.Policy)
		require.NotZero(t, out.Value())
		require.Less(t, math.Abs(float64(out.Value())), 0.5)
		again := out
		s.ClearCache()
		require.NoError(t, s.Evaluate(t.Context(), &nn.Query{Game: g}, &out))
		require.Equal(t, again, out)

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
}

// TestImitationTakesItsTime holds the device to what it was told: a batch is never early,
// and two sessions share one device.
func TestImitationTakesItsTime(t *testing.T) {
	d := bench.Device{Fixed: 2 * time.Millisecond, Each: time.Millisecond}
	m := d.Imitate(nntest.HashModel(1))
	require.Contains(t, m.Describe().Provider, "2ms+1ms")
	var all []nn.Backend
	for range 2 {
		b, err := m.Open(board.Square(5), 11)
		require.NoError(t, err)
		require.Equal(t, 11, b.MaxBatch())
		defer b.Close()
		all = append(all, b)
	}
	for rows, counted := range map[int]int{1: 1, 2: 2, 5: 5, 9: 10, 11: 11} {
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
}
