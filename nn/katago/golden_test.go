package katago

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// goldenCase is one position with what KataGo computed for it.
type goldenCase struct {
	id      string
	w, h    int
	spatial []float32 // planes, then points
	global  []float32
	meta    []float32
	want    rawOutputs
}

type goldenRaw struct {
	Policy     [][]float64 `json:"policy"`
	Value      []float64   `json:"value"`
	ScoreValue []float64   `json:"scoreValue"`
	Ownership  []float64   `json:"ownership"`
}

func (g goldenRaw) outputs() rawOutputs {
	return rawOutputs{policy: g.Policy, value: g.Value, scoreValue: g.ScoreValue, ownership: g.Ownership}
}

type featureLine struct {
	ID      string    `json:"id"`
	X       int       `json:"x"`
	Y       int       `json:"y"`
	Spatial [][]int   `json:"spatial"`
	Global  []float32 `json:"global"`
}

var features = sync.OnceValue(func() map[string]featureLine { return map[string]featureLine{} })

// goldenReal returns the positions of a real network.
func goldenReal(t testing.TB, name string) []goldenCase {
	t.Helper()
	inputs := features()
	if len(inputs) == 0 {
		for _, l := range testshared.Lines[featureLine](t, testshared.Path(t, "golden/katago/features.jsonl.gz")) {
			inputs[l.ID] = l
		}
	}
	var cases []goldenCase
	type line struct {
		ID  string    `json:"id"`
		Raw goldenRaw `json:"raw"`
	}
	for _, l := range testshared.Lines[line](t, testshared.Path(t, "golden/katago/nn-"+name+".jsonl.gz")) {
		in := inputs[l.ID]
		c := goldenCase{id: l.ID, w: in.X, h: in.Y, global: in.Global, want: l.Raw.outputs()}
		c.spatial = make([]float32, len(in.Spatial)*in.X*in.Y)
		for plane, points := range in.Spatial {
			for _, p := range points {
				c.spatial[plane*in.X*in.Y+p] = 1
			}
		}
		cases = append(cases, c)
	}
	require.Len(t, cases, 380)
	return cases
}

// goldenSynthetic returns the positions of all made-up networks by file name.
func goldenSynthetic(t testing.TB) map[string][]goldenCase {
	t.Helper()
	type line struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		X     int    `json:"x"`
		Y     int    `json:"y"`
		Input struct {
			Spatial []float32 `json:"spatial"`
			Global  []float32 `json:"global"`
			Meta    []float32 `json:"meta"`
		} `json:"input"`
		Raw goldenRaw `json:"raw"`
	}
	byModel := map[string][]goldenCase{}
	for _, l := range testshared.Lines[line](t, testshared.Path(t, "golden/katago/synthetic.jsonl.gz")) {
		byModel[l.Model] = append(byModel[l.Model], goldenCase{id: l.ID, w: l.X, h: l.Y,
			spatial: l.Input.Spatial, global: l.Input.Global, meta: l.Input.Meta, want: l.Raw.outputs()})
	}
	require.Len(t, byModel, 18)
	return byModel
}

// diffs are the largest absolute differences by output.
type diffs struct{ policy, value, scoreValue, ownership float64 }

// The limits that the reference data's readme suggests for float32.
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

func (c *goldenCase) planes() plane {
	area := c.w * c.h
	x := make(plane, len(c.spatial)/area)
	for i := range x {
		x[i] = toFloat64(c.spatial[i*area : (i+1)*area])
	}
	return x
}

func refOutputs(n *Network, c *goldenCase, hook layerHook) rawOutputs {
	r := refNet{n: n, w: c.w, h: c.h, hook: hook}
	return r.forward(c.planes(), toFloat64(c.global), toFloat64(c.meta))
}

func TestReferenceMatchesKataGo(t *testing.T) {
	withReal(t, func(t *testing.T, name string) {
		n := readReal(t, name)
		var d diffs
		area := 0
		for i, c := range goldenReal(t, name) {
			// All positions would take minutes; the graphs are checked on all.
			if i%19 != 0 || area > 1000 && c.w*c.h > 100 {
				continue
			}
			area += c.w * c.h
			d.add(t, refOutputs(n, &c, nil), c.want)
		}
		t.Log(d)
		require.True(t, d.within(fp32Limits), "%v", d)
	})
	all := goldenSynthetic(t)
	for _, path := range syntheticPaths(t) {
		name := filepath.Base(path)
		n, err := ReadFile(path)
		require.NoError(t, err)
		require.NotEmpty(t, all[name])
		var d diffs
		for _, c := range all[name] {
			d.add(t, refOutputs(n, &c, nil), c.want)
		}
		t.Logf("%-45s %v", name, d)
		require.True(t, d.within(diffs{5e-6, 5e-6, 5e-6, 5e-6}), "%s: %v", name, d)
	}
}

// TestReferenceMatchesTrace looks at the trunk after every block.
func TestReferenceMatchesTrace(t *testing.T) {
	type trace struct {
		Model  string `json:"model"`
		ID     string `json:"id"`
		Layers []struct {
			Name   string    `json:"name"`
			Pos    int       `json:"pos"`
			First8 []float64 `json:"first8AtPos"`
			Min    float64   `json:"min"`
			Max    float64   `json:"max"`
		} `json:"layers"`
	}
	path, beyond := testshared.Beyond(t, "golden/katago/trace.json")
	if !beyond {
		path = testshared.Path(t, "golden/katago/trace.json")
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var traces []trace
	require.NoError(t, json.Unmarshal(data, &traces))
	require.Len(t, traces, map[bool]int{true: 8, false: 2}[beyond])
	synthetic := goldenSynthetic(t)
	for _, tr := range traces {
		path, cases := "", synthetic[tr.Model]
		if cases == nil {
			path, cases = realPath(t, tr.Model), goldenReal(t, tr.Model)
		} else {
			path = testshared.Path(t, "golden/katago/synthetic-models/"+tr.Model)
		}
		n, err := ReadFile(path)
		require.NoError(t, err)
		for _, c := range cases {
			if c.id != tr.ID {
				continue
			}
			i := 0
			refOutputs(n, &c, func(name string, x plane) {
				l := tr.Layers[i]
				i++
				if name != "initial" && name != "tip" {
					require.Equal(t, l.Name, name)
				}
				for ch, want := range l.First8 {
					require.InDelta(t, want, x[ch][l.Pos], 1e-3*(1+math.Abs(want)), "%s %s channel %d", tr.Model, name, ch)
				}
				lo, hi := math.Inf(1), math.Inf(-1)
				for _, row := range x {
					for _, v := range row {
						lo, hi = min(lo, v), max(hi, v)
					}
				}
				require.InDelta(t, l.Min, lo, 1e-3*(1+math.Abs(l.Min)))
				require.InDelta(t, l.Max, hi, 1e-3*(1+math.Abs(l.Max)))
			})
			require.Equal(t, len(tr.Layers), i)
		}
	}
}
