package katago

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/fuse"
	"kosumi/nn/graph"
	"kosumi/nn/kernel"
	"kosumi/nn/nntest"
	"kosumi/nn/onnx"
	"kosumi/nn/ort"
)

// session runs a graph on a backend, batch by batch.
type session struct {
	net     *Network
	size    Size
	backend nn.Backend
}

const testBatch = 8

var byLibrary = byOrt(ort.Config{})

// An opener makes a backend for a graph.
type opener func(t testing.TB, m *onnx.Model, spec nn.Spec) (nn.Backend, error)

// byOrt runs a graph through onnxruntime. Without the library, which "make deps" fetches, the test
// is skipped, or fails under CI.
func byOrt(cfg ort.Config) opener {
	return func(t testing.TB, m *onnx.Model, spec nn.Spec) (nn.Backend, error) {
		data := nntest.Bytes(t, m)
		cfg.MaxBatch = testBatch
		b, err := ort.Open(data, spec, cfg)
		if errors.Is(err, ort.ErrNoLibrary) {
			testshared.Absent(t, "onnxruntime was not found; make deps fetches it: %v", err)
		}
		return b, err
	}
}

// byKernels runs a graph on the kernels without onnxruntime.
func byKernels(isa kernel.ISA) opener {
	return func(t testing.TB, m *onnx.Model, spec nn.Spec) (nn.Backend, error) {
		fused, _, err := fuse.Rewrite(m, kernel.Float32)
		require.NoError(t, err)
		return graph.Open(fused, spec, graph.Config{ISA: isa, MaxBatch: testBatch})
	}
}

func openGraph(t testing.TB, n *Network, size Size, m *onnx.Model, open opener) *session {
	t.Helper()
	backend, err := open(t, m, nntest.SpecOf(t, m))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, backend.Close()) })
	return &session{net: n, size: size, backend: backend}
}

func (s *session) run(t testing.TB, cases []goldenCase) []rawOutputs {
	t.Helper()
	in := s.backend.Inputs()
	for i, c := range cases {
		copy(in[0][i*len(c.spatial):], c.spatial)
		copy(in[1][i*len(c.global):], c.global)
		if len(c.meta) > 0 {
			copy(in[2][i*len(c.meta):], c.meta)
		}
	}
	require.NoError(t, s.backend.Run(len(cases)))
	outs := s.backend.Outputs()
	area, channels := s.size.W*s.size.H, s.net.Policy.Channels
	row := func(k, n, i int) []float64 { return toFloat64(outs[k][i*n : (i+1)*n]) }
	res := make([]rawOutputs, len(cases))
	for i := range cases {
		policy, pass := row(0, channels*area, i), row(1, channels, i)
		for c := range channels {
			logits := append([]float64(nil), policy[c*area:(c+1)*area]...)
			res[i].policy = append(res[i].policy, append(logits, pass[c]))
		}
		res[i].value = row(2, 3, i)
		res[i].scoreValue = row(3, s.net.Header.ScoreValues(), i)
		res[i].ownership = row(4, area, i)
	}
	return res
}

func bySize(cases []goldenCase) map[Size][]goldenCase {
	m := map[Size][]goldenCase{}
	for _, c := range cases {
		s := Size{c.w, c.h}
		m[s] = append(m[s], c)
	}
	return m
}

func graphDiffs(t *testing.T, n *Network, cases []goldenCase, form Form, open opener) diffs {
	t.Helper()
	var d diffs
	for size, list := range bySize(cases) {
		m := graphOf(t, n, size, form)
		s := openGraph(t, n, size, m, open)
		for i := 0; i < len(list); i += testBatch {
			batch := list[i:min(i+testBatch, len(list))]
			for j, got := range s.run(t, batch) {
				d.add(t, got, batch[j].want)
			}
		}
		require.NoError(t, s.backend.Close())
	}
	return d
}

// TestGraphsMatchKataGo compares outputs in onnxruntime with KataGo's on recorded positions.
func TestGraphsMatchKataGo(t *testing.T) {
	withReal(t, func(t *testing.T, name string) {
		testshared.Slow(t)
		for _, form := range []Form{FormRun, FormExact} {
			t.Run(form.String(), func(t *testing.T) {
				cases := goldenReal(t, name)
				if form == FormExact { // the arithmetic is the same, so fewer cases are enough
					cases = slices.DeleteFunc(cases, func(c goldenCase) bool { return c.id[len(c.id)-1]%3 != 0 })
				}
				d := graphDiffs(t, readReal(t, name), cases, form, byLibrary)
				t.Log(d)
				require.True(t, d.within(fp32Limits), "%v", d)
			})
		}
	})
	all := goldenSynthetic(t)
	for _, path := range syntheticPaths(t) {
		name := filepath.Base(path)
		n := readFile(t, path)
		for _, form := range []Form{FormRun, FormExact} {
			d := graphDiffs(t, n, all[name], form, byLibrary)
			t.Logf("%-45s %-5v %v", name, form, d)
			require.True(t, d.within(diffs{5e-6, 5e-6, 5e-6, 5e-6}), "%s: %v", name, d)
		}
	}
}

// TestKernelsMatchKataGo compares outputs of the kernels, without onnxruntime, with KataGo's: of real
// networks on all recorded positions, and of random networks of every version and kind of block on
// each instruction set.
func TestKernelsMatchKataGo(t *testing.T) {
	all := goldenSynthetic(t)
	for _, isa := range kernel.Available() {
		for _, path := range syntheticPaths(t) {
			name := filepath.Base(path)
			n := readFile(t, path)
			d := graphDiffs(t, n, all[name], FormKernels, byKernels(isa))
			t.Logf("%v %-45s %v", isa, name, d)
			require.True(t, d.within(diffs{5e-6, 5e-6, 5e-6, 5e-6}), "%v %s: %v", isa, name, d)
		}
	}
	best, ok := kernel.Best()
	if !ok {
		return
	}
	withReal(t, func(t *testing.T, name string) {
		testshared.Slow(t)
		d := graphDiffs(t, readReal(t, name), goldenReal(t, name), FormKernels, byKernels(best))
		t.Log(name, d)
		require.True(t, d.within(fp32Limits), "%v", d)
	})
}
