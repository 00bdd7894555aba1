package nn_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features/featurestest"
	"kosumi/nn/model"
)

func openNetwork(t *testing.T, path string) *model.Model {
	t.Helper()
	m, err := model.Open(path, model.Config{Provider: model.OnnxGo})
	require.NoError(t, err)
	return m
}

// rawRows arranges raw outputs as a backend does.
func rawRows(r *featurestest.Raw) [][]float32 {
	var points, pass []float32
	for _, c := range r.Policy {
		points = append(points, c[:len(c)-1]...)
		pass = append(pass, c[len(c)-1])
	}
	return [][]float32{points, pass, r.Value, r.ScoreValue, r.Ownership}
}

// compare decodes the raw outputs that p records for a position, and collects the differences from KataGo's answer.
func compare(t *testing.T, w featurestest.Differences, m nn.Model, p, position *featurestest.Position) {
	t.Helper()
	spec, err := m.Spec(position.Size())
	require.NoError(t, err, p.ID)
	codec, err := nn.NewCodec(spec, position.Size())
	require.NoError(t, err, p.ID)
	g := position.Game(t)
	q := nn.Query{Game: g, Options: position.Options(), NeedOwnership: true}
	if position.Params != nil {
		q.PolicyTemperature = position.Params.Temperature
	}
	rows, scratch := rawRows(p.Raw), codec.NewScratch()
	var out nn.Output
	require.True(t, codec.Decode(&q, 0, rows, scratch, &out), p.ID)
	area := position.Size().Area()

	w.Add(p.Post, &out, g.ToMove())
	w.See("scoreMeanSq (relative)", 0, (p.Post.ScoreMeanSq-float64(out.ScoreMeanSq))/max(1, p.Post.ScoreMeanSq))
	// The recorded means are rounded. This changes the standard deviation in proportion to
	// ScoreMeanSq/stdev.
	stdev := math.Sqrt(max(0, p.Post.ScoreMeanSq-p.Post.ScoreMean*p.Post.ScoreMean))
	w.See("stdev (relative)", 0, (stdev-float64(out.ScoreStdev))*stdev/max(1, p.Post.ScoreMeanSq))
	require.True(t, out.HasScore && out.HasOwnership)
	require.Len(t, p.Post.Policy, area+1)
	if want := p.Post.Optimistic; want != nil {
		q.Optimistic = new([board.MaxMoves]float32)
		require.True(t, codec.Decode(&q, 0, rows, scratch, &out))
		w.SeeAll("policy beside the optimistic one", p.Post.Policy, out.Policy[:area+1])
		w.SeeAll("optimistic policy beside it", want, q.Optimistic[:area+1])
		q.Optimistic = nil
	}
	for optimism, want := range map[float32][]float64{1: p.Post.Optimistic, 0.6: p.Post.Optimistic06} {
		if want == nil {
			continue
		}
		q.Optimism = optimism
		require.True(t, codec.Decode(&q, 0, rows, scratch, &out))
		w.SeeAll("policy, optimistic", want, out.Policy[:area+1])
	}
}

func check(t *testing.T, w featurestest.Differences) {
	t.Helper()
	for field, d := range w {
		t.Logf("%-24s %.3g", field, d)
		require.Less(t, d, 1e-5, field)
	}
	require.NotZero(t, len(w))
}

// TestDecodeEqualsKataGo: decoded outputs equal KataGo's for random networks of every version, and
// for real ones if the reference data is present.
func TestDecodeEqualsKataGo(t *testing.T) {
	t.Run("all versions", decodeAllVersions)
	positions := map[string]*featurestest.Position{}
	for _, p := range featurestest.Read(t, testshared.Path(t, "golden/katago/features.jsonl.gz")) {
		positions[p.ID] = &p
	}
	for _, name := range []string{"g170-b6c96-s175395328-d26788732", "b7c96h3tfrs-test5-cnorm", "b7c96h6kv3qk32v16tflrs-fson-bnh"} {
		path, ok := testshared.Beyond(t, "golden/katago/nn-"+name+".jsonl.gz")
		if !ok {
			return
		}
		t.Run(name, func(t *testing.T) {
			m, w := openNetwork(t, testshared.Path(t, "models/katago/"+name+".bin.gz")), featurestest.Differences{}
			for _, p := range featurestest.Read(t, path) {
				require.Contains(t, positions, p.ID)
				compare(t, w, m, &p, positions[p.ID])
			}
			check(t, w)
		})
	}
}

func decodeAllVersions(t *testing.T) {
	folder := testshared.Path(t, "golden/katago/synthetic-models")
	w := featurestest.Differences{}
	networks := map[string]*model.Model{}
	for _, p := range featurestest.Read(t, testshared.Path(t, "golden/katago/synthetic.jsonl.gz")) {
		if networks[p.Model] == nil {
			networks[p.Model] = openNetwork(t, filepath.Join(folder, p.Model))
		}
		require.Equal(t, p.ModelVersion, networks[p.Model].Describe().Version)
		compare(t, w, networks[p.Model], &p, &p)
	}
	require.Len(t, networks, 18)
	check(t, w)
}
