package quant

import (
	"fmt"
	"math"

	"kosumi/nn/onnx"
)

// correctBiases runs the integer network over the calibration rows and shifts the
// bias of each convolution so that the mean of each of its output channels is that
// of the float network. Rounding errors average out over a board; a shifted
// mean, which a ReLU makes even of errors without one, does not. Every
// convolution sees what the corrections of those before it left.
func correctBiases(run Runner, selected []*conv, s *Stats, weights map[*conv]quantizedWeights, fresh func() *emitter) error {
	for i := range selected {
		part := selected[i : i+1]
		m, taps, err := fresh().probe(part)
		if err != nil {
			return err
		}
		means, err := channelMeans(run, part, taps, m)
		if err != nil {
			return err
		}
		for i, c := range part {
			q := weights[c]
			for k := range q.bias {
				off := means[i][k] - s.mean(c.out, k)
				if c.relu { // only so much of a shift comes through
					off /= math.Max(s.active(c.out, k), 0.2)
				}
				q.bias[k] -= float32(off)
			}
		}
	}
	return nil
}

// channelMeans returns the mean of each channel of taps with the channels last.
func channelMeans(run Runner, selected []*conv, taps []Tap, m *onnx.Model) ([][]float64, error) {
	sums := make([][]float64, len(taps))
	counts := make([]float64, len(taps))
	for i, c := range selected {
		sums[i] = make([]float64, c.outputs)
	}
	err := run.Run(m, taps, func(tap, rows int, data []float32) error {
		sum := sums[tap]
		for at := 0; at < len(data); at += len(sum) {
			for k, x := range data[at : at+len(sum)] {
				sum[k] += float64(x)
			}
		}
		counts[tap] += float64(len(data) / len(sum))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, sum := range sums {
		for k := range sum {
			sum[k] /= math.Max(counts[i], 1)
			if math.IsNaN(sum[k]) || math.IsInf(sum[k], 0) {
				return nil, fmt.Errorf("%w: the integer network gives NaN or infinite numbers", ErrCalibration)
			}
		}
	}
	return sums, nil
}
