//go:build unix

package selfplay

import (
	"context"
	"flag"
	"sort"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
)

var (
	benchModel     = flag.String("model", "", "network that BenchmarkAgainstRaw plays with")
	benchPrecision = flag.String("precision", "auto", "its number format")
)

// BenchmarkAgainstRaw compares self-play with the network alone, which runs full batches in every
// session, in alternating rounds: evaluations per second, and per second of processor time, which
// other programs hardly disturb.
func BenchmarkAgainstRaw(b *testing.B) {
	if *benchModel == "" {
		b.Skip("name a network with -model")
	}
	const sessions, batch, stretch, rounds = 2, 16, 3 * time.Second, 5
	m, err := model.Open(*benchModel, model.Config{Precision: *benchPrecision})
	require.NoError(b, err)
	defer m.Close()
	c := Defaults()
	s, _ := newSession(b, c, b.TempDir(), 64)
	server, err := nn.NewServer(m, nn.ServerConfig{Sessions: sessions, MaxBatch: batch, CacheBytes: 64 << 20, Seed: 1})
	require.NoError(b, err)
	defer server.Close()
	require.NoError(b, server.Warm(board.Square(9)))
	var backends []nn.Backend
	for range sessions {
		backend, err := m.Open(board.Square(9), batch)
		require.NoError(b, err)
		defer backend.Close()
		backends = append(backends, backend)
	}
	var byClock, byCPU []float64
	for range rounds {
		raw := measure(func() uint64 { return runRaw(backends, batch, stretch) })
		play := measure(func() uint64 {
			before := server.Stats().Rows
			ctx, cancel := context.WithTimeout(context.Background(), stretch)
			defer cancel()
			require.NoError(b, s.Play(ctx, server, Goal{}))
			return server.Stats().Rows - before
		})
		byClock = append(byClock, play.perSecond/raw.perSecond)
		byCPU = append(byCPU, play.perCPU/raw.perCPU)
		b.Logf("raw %.0f/s (%.0f a CPU second), self-play %.0f/s (%.0f a CPU second)", raw.perSecond, raw.perCPU, play.perSecond, play.perCPU)
	}
	sort.Float64s(byClock)
	sort.Float64s(byCPU)
	st := server.Stats()
	b.ReportMetric(byClock[rounds/2], "self-play/raw")
	b.ReportMetric(byCPU[rounds/2], "self-play/raw-by-CPU")
	b.ReportMetric(st.MeanBatch(), "rows/batch")
	b.ReportMetric(100*st.HitRate(), "%cached")
}

type rate struct{ perSecond, perCPU float64 }

func measure(f func() uint64) rate {
	began, cpu := time.Now(), nn.ProcessorTime()
	n := float64(f())
	return rate{n / time.Since(began).Seconds(), n / (nn.ProcessorTime() - cpu).Seconds()}
}

func runRaw(backends []nn.Backend, batch int, d time.Duration) uint64 {
	var total uint64
	var mu sync.Mutex
	var work sync.WaitGroup
	end := time.Now().Add(d)
	for _, backend := range backends {
		work.Go(func() {
			n := uint64(0)
			for time.Now().Before(end) && backend.Run(batch) == nil {
				n += uint64(batch)
			}
			mu.Lock()
			defer mu.Unlock()
			total += n
		})
	}
	work.Wait()
	return total
}
