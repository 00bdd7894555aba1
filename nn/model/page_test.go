package model_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/features/featurestest"
	"kosumi/nn/kernel"
	"kosumi/nn/model"
	"kosumi/nn/nntest"
)

var answersFile = flag.String("answers", "", "`FILE` that TestSameInPage writes, or in a page's world compares with")

// spoken is a network's answer for a position.
type spoken struct {
	ID      string
	Move    int // likeliest move
	Winrate float64
	Lead    float64
	Ahead   float64 // probability of Move minus that of the next likeliest
}

// TestSameInPage compares WebAssembly kernels with native ones, on recorded positions of the common
// sizes. In float32 all winrates agree to 1e-5. With integer weights some values
// are rounded to another integer, since floats are added in another order: the likeliest moves agree in
// 99 % of positions, and in all where one move leads clearly, and winrates to 5e-4 on average. make test-wasm
// runs the test natively and as WebAssembly.
func TestSameInPage(t *testing.T) {
	inPage := runtime.GOOS == "js"
	if *answersFile == "" && !inPage {
		t.Skip("make test-wasm runs it in both worlds")
	}
	answers := map[string][]spoken{}
	if inPage {
		data := []byte(testshared.Read(t, *answersFile))
		require.NoError(t, json.Unmarshal(data, &answers))
	}
	positions := bySize(featurestest.Read(t, testshared.Path(t, "golden/katago/features.jsonl.gz")), true)
	paths := networksHere(t)
	for _, path := range paths[:min(3, len(paths))] {
		for _, precision := range []string{"fp32", "int16"} {
			m, err := model.Open(path, model.Config{Provider: model.Kernel, Precision: precision})
			require.NoError(t, err)
			name := precision + " " + m.Describe().Name
			if got := said(t, m, positions); inPage {
				sameAnswers(t, name, precision == "fp32", answers[name], got)
			} else {
				answers[name] = got
			}
		}
	}
	if !inPage {
		data, err := json.Marshal(answers)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(*answersFile, data, 0o644))
	}
}

func sameAnswers(t *testing.T, name string, exact bool, want, got []spoken) {
	require.NotEmpty(t, want, name)
	require.Len(t, got, len(want))
	same, off, most, lead, count := 0, 0.0, 0.0, 0.0, float64(len(want))
	for i, w := range want {
		require.Equal(t, w.ID, got[i].ID)
		if w.Move == got[i].Move {
			same++
		} else {
			require.Less(t, w.Ahead, 0.02, "%s: %s", name, w.ID)
		}
		d := math.Abs(w.Winrate - got[i].Winrate)
		off, most, lead = off+d/count, max(most, d), lead+math.Abs(w.Lead-got[i].Lead)/count
	}
	t.Logf("%s: %d positions, %d first moves the same, winrate off by %.1e (worst %.1e), lead by %.1e", name, len(want), same, off, most, lead)
	if exact {
		require.Less(t, most, 1e-5, name)
	}
	require.GreaterOrEqual(t, float64(same), 0.99*count, name)
	require.Less(t, off, 5e-4, name)
	require.Less(t, most, 1e-2, name)
	require.Less(t, lead, 0.05, name)
}

// said returns the answers for all positions, several evaluated at a time.
func said(t *testing.T, m *model.Model, positions []*featurestest.Position) []spoken {
	server := nntest.Server(t, m, nn.ServerConfig{Sessions: 2, FixedSymmetry: true, MaxBatch: 4})
	all, errs, free := make([]spoken, len(positions)), make([]error, len(positions)), make(chan bool, 16)
	games := make([]*board.Game, len(positions))
	for i, p := range positions {
		games[i] = p.Game(t)
	}
	for i, p := range positions {
		free <- true
		go func() {
			defer func() { <-free }()
			var out nn.Output
			if errs[i] = server.Evaluate(t.Context(), &nn.Query{Game: games[i], Options: p.Options()}, &out); errs[i] != nil {
				return
			}
			policy := out.Policy[:games[i].Size().Area()+1]
			best := slices.Index(policy, slices.Max(policy))
			all[i] = spoken{ID: p.ID, Move: best, Winrate: float64(out.Win), Lead: float64(out.Lead), Ahead: float64(policy[best])}
			next := float32(0)
			for k, x := range policy {
				if k != best {
					next = max(next, x)
				}
			}
			all[i].Ahead -= float64(next)
		}()
	}
	for range cap(free) {
		free <- true
	}
	for i, err := range errs {
		require.NoError(t, err, positions[i].ID)
	}
	return all
}

// TestReadOfBytes: a dropped file can be opened by its name and bytes.
func TestReadOfBytes(t *testing.T) {
	if len(kernel.Available()) == 0 {
		t.Skip("there are no kernels here")
	}
	path := testshared.Network(t)
	data := []byte(testshared.Read(t, path))
	conf := model.Config{Provider: model.Kernel}
	m, err := model.Read("dropped.bin.gz", data, conf)
	require.NoError(t, err)
	file, err := model.Open(path, conf)
	require.NoError(t, err)
	require.Equal(t, file.Describe().SHA256, m.Describe().SHA256)
	require.Equal(t, "dropped.bin.gz", m.Describe().File)
	for name, bad := range map[string][]byte{"half.bin.gz": data[:len(data)/2], "empty.bin.gz": nil, "text.onnx": []byte("a network"), "empty.onnx": nil, "net.onnx": data} {
		_, err := model.Read(name, bad, conf)
		require.ErrorIs(t, err, model.ErrFile, name)
		require.ErrorContains(t, err, name)
	}
}
