package review

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/nntest"
	"kosumi/sgf"
)

// Server answers with invented numbers that depend only on the position.
func Server(t testing.TB) *nn.Server {
	t.Helper()
	s, err := nn.NewServer(nntest.HashModel(7), nn.ServerConfig{Sessions: 2, MaxBatch: 4})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func load(t testing.TB, text string) *Game {
	t.Helper()
	roots, err := sgf.Parse([]byte(text))
	require.NoError(t, err)
	g, err := Load(roots[0], board.Chinese())
	require.NoError(t, err)
	return g
}

const short = `(;GM[1]FF[4]SZ[7]KM[7]RU[Chinese]PB[Ada]PW[Bob]DT[2026-01-02]RE[W+2];B[dd]C[mine];W[de](;B[ed];W[ee];B[cd];W[fd];B[fc];W[ge])(;B[aa]))`

// quick is the configuration of a review of few visits.
func quick() Config {
	c := Defaults()
	c.First, c.Visits, c.Network = 4, 12, "hash"
	return c
}

func asJSON(t testing.TB, r *Result) string {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return string(text)
}

// TestReviewIsAFunctionOfGameAndSettings: a review has the same result if it searches a different
// number of positions in parallel, is stopped after each search, or finds a store whose last line
// is cut off.
func TestReviewIsAFunctionOfGameAndSettings(t *testing.T) {
	g, net, conf := load(t, short), Server(t), quick()
	want, err := Run(t.Context(), g, net, conf, nil, nil)
	require.NoError(t, err)
	require.True(t, want.Complete)
	require.LessOrEqual(t, want.Visits, int64(12*9))
	require.Greater(t, want.Visits, int64(4*9), "the second pass spends the budget")

	conf.Parallel = 1
	alone, err := Run(t.Context(), g, net, conf, nil, nil)
	require.NoError(t, err)
	require.Equal(t, asJSON(t, want), asJSON(t, alone))

	dir := t.TempDir()
	conf.Parallel = 3
	for range 200 {
		store, err := OpenStore(dir, g, "hash", conf)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		known := len(store.known)
		got, err := Run(ctx, g, net, conf, store, func(Progress) {
			if len(store.known) > known {
				stop()
			}
		})
		stop()
		require.NoError(t, store.Close())
		if err == nil {
			require.Equal(t, asJSON(t, want), asJSON(t, got))
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, got.Complete)
		files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		tear(t, files[0])
	}
	require.Positive(t, mustStore(t, dir, g, "hash").Spent()+1)
}

// TestClasses fixes the bounds of the classes, which the page reads too.
func TestClasses(t *testing.T) {
	require.Len(t, Classes, len(ClassBounds)+1)
	for loss, want := range map[float64]Class{0: Best, 0.49: Best, 0.5: Good, 1.5: Inaccuracy, 3: Mistake, 5.9: Mistake, 6: Blunder, 11.9: Blunder, 12: Disaster, 80: Disaster} {
		require.Equal(t, want, ClassOf(loss), "%g", loss)
	}
}

// TestTurning: turning points are the move that changed the leader for good, then those that lost most winrate. A
// move that did not change the leader is a turning point only if all worse moves of its side are turning points.
func TestTurning(t *testing.T) {
	type ply struct{ lead, loss, chance float64 } // Black's lead before the move; points and winrate that the mover lost
	for name, c := range map[string]struct {
		plies []ply // Black moves at even indices
		end   float64
		want  []int
	}{
		"nothing happened":                        {[]ply{{1, 0, 0}, {1, 2, 0.05}}, 3, []int{}},
		"ahead, then behind":                      {[]ply{{5, 9, 0.4}, {-4, 0, 0}}, -4, []int{0}},
		"for good first":                          {[]ply{{5, 9, 0.5}, {-4, 9, 0.5}, {5, 9, 0.5}, {-4, 9, 0.5}, {5, 8, 0.2}}, -3, []int{0, 1, 4}},
		"from even":                               {[]ply{{0.5, 4, 0.2}, {-3.5, 0, 0}, {-3.5, 40, 0.05}}, -43, []int{0}},
		"small beside a larger one of its side":   {[]ply{{-2, 3, 0.2}, {-5, 2, 0.15}, {-3, 40, 0.05}}, -43, []int{1}},
		"small beside a larger one that is named": {[]ply{{-2, 3, 0.2}, {-5, 0, 0}, {-5, 20, 0.12}}, -25, []int{0, 2}},
		"a tenth at least":                        {[]ply{{0, 9, 0.099}, {-9, 10, 0.1}}, 1, []int{1}},
	} {
		res := &Result{}
		for i, p := range c.plies {
			res.Positions = append(res.Positions, Position{Visits: 1, Lead: p.lead})
			res.Moves = append(res.Moves, Move{Number: i + 1, Color: [...]string{"b", "w"}[i%2], Judged: true, Listed: p.loss > 0, Loss: p.loss, WinrateLoss: p.chance})
		}
		res.Positions = append(res.Positions, Position{Visits: 1, Lead: c.end})
		require.Equal(t, c.want, turningOf(res), name)
	}
}

// TestHindsight: a player stands at least as well before a move as after it. A later search that
// disagrees corrects the earlier position, weighted by its reliability.
func TestHindsight(t *testing.T) {
	g := load(t, `(;GM[1]FF[4]SZ[7]KM[7]RU[Chinese];B[dd];W[de];B[ed];W[ee])`)
	const little, much = 16, 16 * 1000 // visits: the errors are in the ratio 10 to 1
	for name, c := range map[string]struct {
		found, want []float64 // Black's leads
		visits      []int64
	}{
		"nothing new":                {[]float64{5, 4, 4, 3, 3}, []float64{5, 4, 4, 3, 3}, []int64{little, little, little, little, little}},
		"Black turns out better off": {[]float64{0, 0, 0, 6, 6}, []float64{0, 0, 3, 6, 6}, []int64{little, little, little, little, little}},
		"White turns out better off": {[]float64{9, 9, 9, 9, 3}, []float64{9, 9, 9, 6, 3}, []int64{little, little, little, little, little}},
		"and that is sure":           {[]float64{0, 0, 0, 5.05, 5.05}, []float64{0, 0, 5, 5.05, 5.05}, []int64{little, little, little, much, much}},
		"and that is not sure":       {[]float64{0, 0, 0, 5.05, 5.05}, []float64{0, 0, 0.05, 5.05, 5.05}, []int64{little, little, much, little, little}},
	} {
		r := &run{game: g, evals: make([]*Eval, 5), moved: make([]float64, 5), first: slices.Clone(c.found)}
		for i, lead := range c.found {
			r.evals[i] = &Eval{Visits: c.visits[i], Winrate: 0.5 + lead/100, Lead: lead, Stdev: 10}
		}
		for i, s := range r.hindsight() {
			require.InDelta(t, c.want[i], s.lead, 1e-6, "%s, position %d", name, i)
			require.InDelta(t, 0.5+c.want[i]/100, s.winrate, 1e-6, "%s, position %d", name, i)
		}
	}
}

// TestWorthOfVisits: the second pass first searches where it is unclear whether a move is among the
// worst, then where it clearly is, then where no points are lost.
func TestWorthOfVisits(t *testing.T) {
	var text strings.Builder
	text.WriteString("(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]")
	const plies = 40
	for i := range plies {
		fmt.Fprintf(&text, ";%s[%c%c]", [...]string{"B", "W"}[i%2], 'a'+i%9, 'a'+i/9)
	}
	g := load(t, text.String()+")")
	require.Len(t, g.Moves, plies)
	r := &run{game: g, evals: make([]*Eval, plies+1), moved: make([]float64, plies+1), first: make([]float64, plies+1)}
	// Black's moves 0, 4, 8 .. 36 lose three points each, but move 20 loses eight. Move 10 loses 2.9.
	// White's moves lose none.
	lead := 0.0
	for i := range r.evals {
		r.evals[i] = &Eval{Visits: 16, Lead: lead, Stdev: 5}
		if i%4 == 0 {
			lead -= 3
		}
		switch i {
		case 10:
			lead -= 2.9
		case 20:
			lead -= 5
		}
	}
	w := r.worth()
	require.Greater(t, w[10], w[21], "open before sure")
	require.Greater(t, w[21], 2*w[31], "sure before nothing")
}

// TestPlayerSides: a part of a name selects a player; if nobody has that name, "black" or "white"
// selects a side.
func TestPlayerSides(t *testing.T) {
	for name, want := range map[string][2]bool{
		"ann": {true, false}, "BLACK": {true, true}, "white": {false, true}, "Eve": {}, "": {},
	} {
		g := &Game{Record: &sgf.Record{}}
		g.Record.Black.Name, g.Record.White.Name = "Anna Black", "blackbird"
		black, white := g.PlayerSides(name)
		require.Equal(t, want, [2]bool{black, white}, name)
	}
}

// TestLeaderAndNumberAgree: the side named as ahead agrees with the number shown.
func TestLeaderAndNumberAgree(t *testing.T) {
	for _, c := range []struct {
		lead, winrate float64
		text, summary string
	}{
		{0.2, 0.49, "Black +0.2 (49 %)", "At the end the network sees an even game (Black 49 %)."},
		{-0.2, 0.51, "White +0.2 (49 %)", "At the end the network sees an even game (White 49 %)."},
		{-0.04, 0.51, "even (Black 51 %)", "At the end the network sees an even game (Black 51 %)."},
		{0, 0.4, "even (White 60 %)", "At the end the network sees an even game (White 60 %)."},
		{-3.25, 0.2, "White +3.3 (80 %)", "At the end the network sees White ahead by 3.3 points (80 %)."},
		{1.5, 0.7, "Black +1.5 (70 %)", "At the end the network sees Black ahead by 1.5 points (70 %)."},
	} {
		p := Position{Lead: c.lead, Winrate: c.winrate, Visits: 10}
		require.Equal(t, c.text, leadText(&p))
		require.Equal(t, c.summary, summaryOf(&Result{Positions: []Position{p}}))
	}
}
