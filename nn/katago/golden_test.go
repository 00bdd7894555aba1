package katago

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn/features/featurestest"
)

type goldenCase struct {
	id      string
	w, h    int
	spatial []float32 // planes, then points
	global  []float32
	meta    []float32
	want    rawOutputs
}

func outputsOf(r *featurestest.Raw) rawOutputs {
	out := rawOutputs{value: toFloat64(r.Value), scoreValue: toFloat64(r.ScoreValue), ownership: toFloat64(r.Ownership)}
	for _, channel := range r.Policy {
		out.policy = append(out.policy, toFloat64(channel))
	}
	return out
}

var features = map[string]featurestest.Position{}

// planesOf makes one plane for each list: 1 at the listed points, 0 elsewhere.
func planesOf(lists [][]int, area int) []float32 {
	planes := make([]float32, len(lists)*area)
	for plane, points := range lists {
		for _, p := range points {
			planes[plane*area+p] = 1
		}
	}
	return planes
}

// goldenReal returns the recorded positions of a real network.
func goldenReal(t testing.TB, name string) []goldenCase {
	t.Helper()
	if len(features) == 0 {
		for _, l := range featurestest.Read(t, testshared.Path(t, "golden/katago/features.jsonl.gz")) {
			features[l.ID] = l
		}
	}
	var cases []goldenCase
	for _, l := range featurestest.Read(t, testshared.Path(t, "golden/katago/nn-"+name+".jsonl.gz")) {
		in := features[l.ID]
		cases = append(cases, goldenCase{id: l.ID, w: in.X, h: in.Y, spatial: planesOf(in.Spatial, in.X*in.Y), global: in.Global, want: outputsOf(l.Raw)})
	}
	require.Len(t, cases, 380)
	return cases
}

// goldenSynthetic returns the recorded positions of all random networks by file name.
func goldenSynthetic(t testing.TB) map[string][]goldenCase {
	t.Helper()
	byModel := map[string][]goldenCase{}
	for _, l := range featurestest.Read(t, testshared.Path(t, "golden/katago/synthetic.jsonl.gz")) {
		byModel[l.Model] = append(byModel[l.Model], goldenCase{id: l.ID, w: l.X, h: l.Y,
			spatial: l.Input.Spatial, global: l.Input.Global, meta: l.Input.Meta, want: outputsOf(l.Raw)})
	}
	require.Len(t, byModel, 18)
	return byModel
}

// diffs are the largest absolute differences by output.
type diffs struct{ policy, value, scoreValue, ownership float64 }

// fp32Limits are the limits for float32 that the reference data's readme suggests.
var fp32Limits = diffs{policy: 1e-3, value: 2e-4, scoreValue: 2e-4, ownership: 2e-4}

func maxDiff(t testing.TB, got, want []float64) float64 {
	t.Helper()
	require.Len(t, got, len(want))
	d := 0.0
	for i := range want {
		if math.IsNaN(got[i]) {
			return math.Inf(1)
		}
		d = max(d, math.Abs(got[i]-want[i]))
	}
	return d
}

func (d *diffs) add(t testing.TB, got, want rawOutputs) {
	t.Helper()
	require.Len(t, got.policy, len(want.policy))
	for c := range want.policy {
		d.policy = max(d.policy, maxDiff(t, got.policy[c], want.policy[c]))
	}
	d.value = max(d.value, maxDiff(t, got.value, want.value))
	d.scoreValue = max(d.scoreValue, maxDiff(t, got.scoreValue, want.scoreValue))
	d.ownership = max(d.ownership, maxDiff(t, got.ownership, want.ownership))
}

func (d diffs) within(l diffs) bool {
	return d.policy <= l.policy && d.value <= l.value && d.scoreValue <= l.scoreValue && d.ownership <= l.ownership
}

func (d diffs) String() string {
	return fmt.Sprintf("policy %.1e  value %.1e  scoreValue %.1e  ownership %.1e", d.policy, d.value, d.scoreValue, d.ownership)
}

func toFloat64(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, f := range v {
		out[i] = float64(f)
	}
	return out
}

// rawOutputs are a network's outputs before any post-processing.
type rawOutputs struct {
	policy     [][]float64 // channel, then points and pass
	value      []float64
	scoreValue []float64
	ownership  []float64
}
