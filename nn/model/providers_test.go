//go:build unix

package model_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine/bench"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/nn/ort"
)

var compared = flag.String("networks", "", "files, separated by commas, that BenchmarkProviders measures beside the network inside")

// BenchmarkProviders runs networks on the kernels alone and through onnxruntime in turns, with
// one session per core. It reports evaluations per second of processor time, which other
// programs hardly disturb, and the median ratio of onnxruntime's time to the kernels'.
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
	var both [2]*bench.Raw
	for i, provider := range []string{model.Kernel, ort.CPU} {
		m, err := model.Open(file, model.Config{Provider: provider, Precision: "auto"})
		needLibrary(b, err)
		defer m.Close()
		games, err := bench.Positions(b.Context(), m, size, board.Chinese())
		require.NoError(b, err)
		both[i], err = bench.OpenRaw(m, games, cores, batch)
		require.NoError(b, err)
		defer both[i].Close()
	}
	var seconds [2][]float64 // of processor time per row
	var ratios []float64
	for b.Loop() {
		for range 5 {
			for i, raw := range both {
				began, before := time.Now(), nn.ProcessorTime()
				rate, err := raw.Rate(b.Context(), 50*time.Millisecond)
				require.NoError(b, err)
				rows := rate * time.Since(began).Seconds()
				seconds[i] = append(seconds[i], (nn.ProcessorTime()-before).Seconds()/rows)
			}
			last := len(seconds[0]) - 1
			ratios = append(ratios, seconds[1][last]/seconds[0][last])
		}
	}
	median := func(list []float64) float64 {
		slices.Sort(list)
		return list[len(list)/2]
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(1/median(seconds[0]), "kernel/s")
	b.ReportMetric(1/median(seconds[1]), "cpu/s")
}
