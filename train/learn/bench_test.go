//go:build unix

package learn

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/autodiff"
)

// BenchmarkStep reports samples per second and per second of processor time; the latter varies less
// while other programs run. testdata/training/bench_torch.py measures PyTorch on the same
// networks.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name    string
		size    int
		batch   int
		threads int
	}{
		{"kb4c64", 9, 64, 1},
		{"mini", 9, 64, 1},
		{"kb4c64", 9, 256, 2},
		{"mini", 9, 256, 2},
		{"kb6c96", 19, 64, 2},
		{"kb6c96", 9, 128, 2},
	} {
		b.Run(fmt.Sprintf("%s-%dx%d", c.name, c.batch, c.threads), func(b *testing.B) {
			conf := Config{Batch: c.batch, Method: autodiff.SGD, Rate: 1e-3, ClipNorm: 10, Threads: c.threads, plain: os.Getenv("PLAIN") != "",
				Model: network(b, c.name, c.size)}
			l := open(b, conf)
			batch := randomBatch(l, board.Square(c.size), c.batch, 1)
			for range 2 {
				_, err := l.Step(batch)
				require.NoError(b, err)
			}
			var wall, cpu []float64
			for b.Loop() {
				t, p := time.Now(), nn.ProcessorTime()
				_, err := l.Step(batch)
				require.NoError(b, err)
				wall, cpu = append(wall, time.Since(t).Seconds()), append(cpu, (nn.ProcessorTime()-p).Seconds())
			}
			b.ReportMetric(float64(c.batch)/slices.Min(wall), "samples/s")
			b.ReportMetric(float64(c.batch)/slices.Min(cpu), "samples/cpu-s")
		})
	}
}
