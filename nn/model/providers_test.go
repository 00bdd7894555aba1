//go:build unix

package model_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/nn/ort"
)

var compared = flag.String("networks", "", "files, separated by commas, that BenchmarkProviders measures beside the network inside")

// contender is one provider with a session for each core.
type contender struct {
	sessions []nn.Backend
	seconds  []float64 // of processor time per row, for each sample
}

// BenchmarkProviders runs networks on the kernels alone and through onnxruntime in turns, with
// one session per core. It reports evaluations per second of processor time, which other
// programs hardly disturb, and the median ratio.
func BenchmarkProviders(b *testing.B) {
	files := []string{""}
	if *compared != "" {
		files = append(files, strings.Split(*compared, ",")...)
	}
	for _, file := range files {
		for _, side := range []int{9, 19} {
			for _, batch := range []int{1, 8} {
				for _, cores := range []int{1, nn.Cores()} {
					b.Run(fmt.Sprintf("%.14s/%dx%d/batch%d/%dcores", filepath.Base(file), side, side, batch, cores), func(b *testing.B) {
						benchmarkProviders(b, file, board.Square(side), batch, cores)
					})
				}
			}
		}
	}
}

func benchmarkProviders(b *testing.B, file string, size board.Size, batch, cores int) {
	var both []*contender
	for _, provider := range []string{model.Kernel, ort.CPU} {
		m, err := model.Open(file, model.Config{Provider: provider, Precision: "auto"})
		needLibrary(b, err)
		defer m.Close()
		c := &contender{}
		for range cores {
			s, err := m.Open(size, batch)
			require.NoError(b, err)
			defer s.Close()
			spec, err := m.Spec(size)
			require.NoError(b, err)
			likeAGame(s, spec)
			c.sessions = append(c.sessions, s)
		}
		both = append(both, c)
	}
	runs := 1
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; runs *= 2 {
		start = time.Now()
		both[0].sample(b, runs, batch)
	}
	both[0].seconds = nil
	for b.Loop() {
		for range 5 {
			for _, c := range both {
				c.sample(b, runs, batch)
			}
		}
	}
	var ratios []float64
	for i, s := range both[0].seconds {
		ratios = append(ratios, both[1].seconds[i]/s)
	}
	for _, list := range [][]float64{ratios, both[0].seconds, both[1].seconds} {
		slices.Sort(list)
	}
	half := len(ratios) / 2
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ratios[half], "ratio")
	b.ReportMetric(1/both[0].seconds[half], "kernel/s")
	b.ReportMetric(1/both[1].seconds[half], "cpu/s")
}

// likeAGame fills a session's inputs with planes of zeros, ones, and some of each.
func likeAGame(s nn.Backend, spec nn.Spec) {
	rng := rand.New(rand.NewPCG(1, 0))
	for i, in := range s.Inputs() {
		area := 1
		if shape := spec.Inputs[i].Shape; len(shape) == 3 {
			area = shape[1] * shape[2]
		}
		for at := 0; at < len(in); at += area {
			kind := rng.IntN(3)
			for j := range area {
				in[at+j] = 0
				if at == 0 || kind == 1 || kind == 2 && rng.IntN(4) == 0 {
					in[at+j] = 1
				}
			}
		}
	}
}

func (c *contender) sample(b *testing.B, runs, batch int) {
	var work sync.WaitGroup
	before := nn.ProcessorTime()
	for _, s := range c.sessions {
		work.Go(func() {
			for range runs {
				if err := s.Run(batch); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
	c.seconds = append(c.seconds, (nn.ProcessorTime()-before).Seconds()/float64(runs*batch*len(c.sessions)))
}
