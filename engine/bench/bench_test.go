package bench_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/bench"
	"kosumi/nn/nntest"
	"kosumi/search"
)

func TestBest(t *testing.T) {
	first := bench.Trial{Plan: bench.Plan{Sessions: 2, Batch: 8, Threads: 32}, Ratio: 1}
	few := bench.Trial{Plan: bench.Plan{Sessions: 2, Batch: 8, Threads: 16}, Ratio: 0.98}
	fast := bench.Trial{Plan: bench.Plan{Sessions: 2, Batch: 16, Threads: 64}, Ratio: 1.2}
	likely := bench.Trial{Plan: bench.Plan{Sessions: 2, Batch: 16, Threads: 32}, Ratio: 1.17}
	require.Equal(t, first, bench.Best([]bench.Trial{first}))
	require.Equal(t, few, bench.Best([]bench.Trial{first, few}), "as fast with fewer under way")
	require.Equal(t, fast, bench.Best([]bench.Trial{first, few, fast}))
	require.Equal(t, likely, bench.Best([]bench.Trial{first, few, fast, likely}))
}

func TestPlans(t *testing.T) {
	for _, onCPU := range []bool{true, false} {
		first := bench.Plan{Sessions: 7, Batch: 3, Threads: 5}
		all := bench.Plans(first, onCPU)
		require.Equal(t, first, all[0])
		seen := map[bench.Plan]bool{}
		for _, p := range all {
			require.False(t, seen[p], p)
			seen[p] = true
			require.Positive(t, p.Sessions)
			require.Positive(t, p.Batch)
			require.True(t, p.Threads >= 1 && p.Threads <= 1024, p)
		}
		require.Greater(t, len(all), 8)
	}
}

func TestRates(t *testing.T) {
	ctx := context.Background()
	games, err := bench.Positions(ctx, nntest.HashModel(1), board.Square(5), board.Chinese())
	require.NoError(t, err)
	require.Len(t, games, 8)
	again, err := bench.Positions(ctx, nntest.HashModel(1), board.Square(5), board.Chinese())
	require.NoError(t, err)
	for i := range games {
		require.Equal(t, games[i].NumMoves(), again[i].NumMoves())
		require.Equal(t, games[i].Hash(), again[i].Hash(), "the same each time")
	}
	require.Greater(t, games[7].NumMoves(), games[0].NumMoves())

	raw, err := bench.OpenRaw(nntest.HashModel(1), games, 2, 4)
	require.NoError(t, err)
	defer raw.Close()
	rate, err := raw.Rate(ctx, time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, rate)

	run := bench.Search{Server: serve(t, nntest.HashModel(1)), Games: games, Params: search.Defaults()}
	visits, evals, err := run.Rate(ctx, 5*time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, visits)
	require.Positive(t, evals)
	require.Positive(t, run.Playouts)
}

func TestMeasure(t *testing.T) {
	ctx, m := context.Background(), nntest.HashModel(1)
	games, err := bench.Positions(ctx, m, board.Square(5), board.Chinese())
	require.NoError(t, err)
	setup := &bench.Setup{Model: m, Games: games, Params: search.Defaults(), Rounds: 2, Length: 5 * time.Millisecond}
	plan := bench.Plan{Sessions: 2, Batch: 4, Threads: 3}
	server, err := setup.Serve(plan)
	require.NoError(t, err)
	defer server.Close()
	run := setup.Search(server, plan.Threads)
	require.Equal(t, 3, run.Params.Parallel.Workers)
	r := bench.Report{Subject: bench.SubjectOf(m.Describe(), board.Square(5)), Plan: plan, Rounds: 2}
	r.Speed, r.Work, err = setup.Measure(ctx, plan, run)
	require.NoError(t, err)
	require.Positive(t, r.RawEvals)
	require.Positive(t, r.SearchEvals)
	require.Positive(t, r.Visits)
	require.Positive(t, r.PeakRSS)
	rounds := 0
	r.Tuning, err = setup.Tune(ctx, []bench.Plan{plan, {Sessions: 1, Batch: 1, Threads: 1}}, func(int) { rounds++ })
	require.NoError(t, err)
	require.Equal(t, 2, rounds)
	require.InDelta(t, 1, r.Tuning[0].Ratio, 0)
	r.Recommended = plan.String()
	var text strings.Builder
	r.Print(&text)
	require.Contains(t, text.String(), "hash-1 on 5x5, none, none\n")
	require.Contains(t, text.String(), "2 sessions, batch 4, 3 workers (medians of 2 rounds)")
	require.Contains(t, text.String(), "recommended: --sessions 2 --batch 4 --threads 3\nkept for later starts\n")
	fields, err := json.Marshal(&r)
	require.NoError(t, err)
	for _, name := range []string{"model", "threads", "search_to_raw", "peak_rss_bytes", "tuning"} {
		require.Contains(t, string(fields), `"`+name+`":`)
	}
}

func TestKept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	use := bench.Use{Size: board.Square(5), Provider: "cpu", Precision: "fp32"}
	_, _, err := use.Kept()
	require.ErrorIs(t, err, os.ErrNotExist)
	tuned := bench.Tuned{Plan: bench.Plan{Sessions: 1, Batch: 2, Threads: 3}, Subject: bench.Subject{Model: "m"}}
	require.NoError(t, use.Keep(tuned))
	got, path, err := use.Kept()
	require.NoError(t, err)
	require.Equal(t, tuned, got)
	for _, text := range []string{"", "[]", "{}", `{"sessions":-1,"batch":8,"threads":8}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, _, err := use.Kept()
		require.Error(t, err, text)
	}
	other := use
	other.Size = board.Square(9)
	_, _, err = other.Kept()
	require.ErrorIs(t, err, os.ErrNotExist)
	other.File = "absent.onnx"
	_, _, err = other.Kept()
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestMedian(t *testing.T) {
	require.Zero(t, bench.Median(nil))
	require.InDelta(t, 2, bench.Median([]float64{3, 1, 2}), 0)
	require.InDelta(t, 2.5, bench.Median([]float64{4, 1, 2, 3}), 0)
}
