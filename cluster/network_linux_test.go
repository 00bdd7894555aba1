package cluster

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
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

// played is the output of a child that plays.
type played struct {
	Precision string
	Exam      answers
	Games     [][]byte
}

// play answers the exam and plays games with numbers from 0 on.
func (c *child) play() error {
	s, err := openNetwork(c.Model, c.Precision, 1)
	if err != nil {
		return err
	}
	defer s.Close()
	out := played{Precision: s.Precision}
	if out.Exam, err = answerExam(context.Background(), examOf(c.Work), s.Evaluator); err != nil {
		return err
	}
	games, err := playAll(context.Background(), c.Work.Recipe, c.Work.Seed, c.Games, s.Evaluator)
	if err != nil {
		return err
	}
	out.Games = slices.Collect(maps.Values(games))
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		return err
	}
	os.Exit(0)
	return nil
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
			c := child{Part: "player", Model: w.Path, Precision: precision, Work: w, Games: 1}
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), part+"="+string(pack(c)))
			cmd.Stderr = os.Stderr
			text, err := cmd.Output()
			require.NoError(t, err)
			var got played
			require.NoError(t, json.Unmarshal(text, &got))
			card := Card{Precision: got.Precision}
			tol := card.tolerance()
			require.NoError(t, compareAnswers(&want, &got.Exam, tol))
			m := &member{}
			var value float64
			for _, data := range got.Games {
				f, err := selfplay.Unmarshal(data)
				require.NoError(t, err)
				require.NoError(t, w.Recipe.Verify(f, w.Seed))
				n, off, err := w.Recipe.Recheck(t.Context(), f, w.Seed, judge.Evaluator, 8)
				require.NoError(t, err)
				require.Positive(t, n)
				require.NoError(t, m.assess(n, off, tol))
				value = max(value, off)
			}
			t.Logf("%s: %d games, raw values at most %.4f off (%.2f allowed)", got.Precision, len(got.Games), value, tol.game)
		})
	}
}
