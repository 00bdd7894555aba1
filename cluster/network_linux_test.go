package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/file"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// openNetwork opens a real network as `engine work` does.
func openNetwork(path, precision string, sessions int) (*Model, error) {
	m, err := model.Open(path, model.Config{Precision: precision})
	if err != nil {
		return nil, err
	}
	s, err := nn.NewServer(m, nn.ServerConfig{Sessions: sessions, MaxBatch: 16, CacheBytes: 64 << 20, Reproducible: true})
	if err != nil {
		m.Close()
		return nil, err
	}
	return &Model{Evaluator: s, Provider: m.Describe().Provider, Precision: m.Describe().Precision, Close: func() { s.Close(); m.Close() }}, nil
}

func examOf(w loop.Work) *Exam {
	return &Exam{File: File{SHA256: w.SHA256}, Boards: w.Recipe.Boards}
}

func realWork(t testing.TB) loop.Work {
	t.Helper()
	path := testshared.Network(t)
	sum, err := file.SHA256(path)
	require.NoError(t, err)
	w := loop.Work{Network: "real", SHA256: sum, Path: path, Seed: 11, Recipe: recipe()}
	w.Recipe.Boards = []selfplay.BoardShare{{Width: 9, Height: 9, Share: 1}}
	w.Recipe.Search.Visits, w.Recipe.Search.CheapVisits = 16, 8
	w.Recipe.MoveLimit = 0.3 // short games
	w.Recipe.Opening.Forks = 0
	return w
}

// TestPrecisions lets a real network play in fp32 and in automatic precision: an honest worker
// passes the exam and the checks of its games.
func TestPrecisions(t *testing.T) {
	w := realWork(t)
	judge, err := openNetwork(w.Path, "fp32", 1)
	require.NoError(t, err)
	defer judge.Close()
	want, err := answerExam(t.Context(), examOf(w), judge.Evaluator)
	require.NoError(t, err)
	for _, precision := range []string{"fp32", "auto"} {
		t.Run(precision, func(t *testing.T) {
			m, err := openNetwork(w.Path, precision, 1)
			require.NoError(t, err)
			defer m.Close()
			got, err := answerExam(t.Context(), examOf(w), m.Evaluator)
			require.NoError(t, err)
			card := Card{Precision: m.Precision}
			tol := card.tolerance()
			require.NoError(t, compareAnswers(&want, &got, tol))
			games, err := playAll(t.Context(), w.Recipe, w.Seed, 1, m.Evaluator)
			require.NoError(t, err)
			worker := &member{}
			var value float64
			for _, data := range games {
				f, err := selfplay.Unmarshal(data)
				require.NoError(t, err)
				require.NoError(t, w.Recipe.Verify(f, w.Seed))
				n, off, err := w.Recipe.Recheck(t.Context(), f, w.Seed, judge.Evaluator, 8)
				require.NoError(t, err)
				require.Positive(t, n)
				require.NoError(t, worker.assess(n, off, tol))
				value = max(value, off)
			}
			t.Logf("%s: %d games, raw values at most %.4f off (%.2f allowed)", m.Precision, len(games), value, tol.game)
		})
	}
}
