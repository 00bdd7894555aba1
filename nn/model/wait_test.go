package model_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/katago"
	"kosumi/nn/model"
)

// BenchmarkWaitWhileOpening evaluates positions of 9x9 while the same network is opened for
// 19x19. It reports the longest and the median duration of an evaluation, in milliseconds, and
// the time to open. Each round is one opening.
func BenchmarkWaitWhileOpening(b *testing.B) {
	for _, arch := range []string{"kb4c64", "kb18c384nbt"} {
		for _, precision := range []string{"auto", "fp32"} {
			b.Run(arch+"/"+precision, func(b *testing.B) { benchmarkWait(b, arch, precision) })
		}
	}
}

func benchmarkWait(b *testing.B, arch, precision string) {
	net, err := katago.Fresh(arch, 1)
	require.NoError(b, err)
	path := filepath.Join(b.TempDir(), "fresh.bin.gz")
	require.NoError(b, katago.WriteFile(path, net))
	m, err := model.Open(path, model.Config{Provider: "cpu", Precision: precision})
	needLibrary(b, err)
	var longest, median, opening, alone float64
	for b.Loop() {
		s, err := nn.NewServer(m, nn.ServerConfig{Sessions: 2, MaxBatch: 8})
		require.NoError(b, err)
		require.NoError(b, s.Warm(board.Square(9)))
		before := evaluateUntil(b, s, time.After(time.Second))
		opened := make(chan time.Time, 1)
		start := time.Now()
		var work sync.WaitGroup
		work.Go(func() {
			if err := s.Warm(board.Square(19)); err != nil {
				b.Error(err)
			}
			opened <- time.Now()
		})
		during := evaluateUntil(b, s, opened)
		opening += time.Since(start).Seconds() * 1e3
		work.Wait()
		require.NoError(b, s.Close())
		longest, median, alone = max(longest, during[len(during)-1]), median+during[len(during)/2], max(alone, before[len(before)-1])
	}
	b.ReportMetric(longest, "ms-longest")
	b.ReportMetric(alone, "ms-longest-before")
	b.ReportMetric(median/float64(b.N), "ms-median")
	b.ReportMetric(opening/float64(b.N), "ms-opening")
}

// evaluateUntil evaluates positions of 9x9, one after another. It returns the durations in
// milliseconds, sorted.
func evaluateUntil(b *testing.B, s *nn.Server, end <-chan time.Time) (all []float64) {
	g, err := board.NewGame(board.Square(9), board.Chinese())
	require.NoError(b, err)
	var out nn.Output
	for {
		start := time.Now()
		require.NoError(b, s.Evaluate(context.Background(), &nn.Query{Game: g}, &out))
		all = append(all, time.Since(start).Seconds()*1e3)
		select {
		case <-end:
			slices.Sort(all)
			return all
		default:
		}
	}
}
