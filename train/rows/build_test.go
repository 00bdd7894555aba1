package rows

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// randomGame plays random legal moves that fill no eye, with made-up searches.
func randomGame(t testing.TB, size board.Size, rules board.Rules, seed uint64) *Game {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	start := testshared.Game(t, size, rules)
	g := &Game{Start: start, Hash: [2]uint64{rng.Uint64(), rng.Uint64()}}
	var now board.Game
	now.CopyFrom(start)
	for !now.Finished() && now.NumMoves() < 3*size.Area() {
		var moves []board.Point
		for i, ok := range now.LegalMoves(nil) {
			if p := size.FromIndex(i); ok && (p == board.Pass || !now.Board().IsEye(p, now.ToMove())) {
				moves = append(moves, p)
			}
		}
		p := moves[rng.IntN(len(moves))]
		if p == board.Pass && len(moves) > 1 {
			p = moves[0]
		}
		win := rng.Float32()
		turn := Turn{Move: p, Weight: 1, Visits: 16, HasRoot: true, Root: Value{Win: win, Loss: 1 - win, Score: 10*rng.Float32() - 5}}
		for _, m := range moves {
			turn.Policy = append(turn.Policy, MoveWeight{uint16(size.Index(m)), int16(1 + rng.IntN(1000))})
		}
		g.Turns = append(g.Turns, turn)
		require.NoError(t, now.Play(now.ToMove(), p))
	}
	g.End = ScoreEnd(&now, !now.Finished())
	return g
}

// built returns the rows of a game.
func built(t testing.TB, l Layout, g *Game) *Set {
	t.Helper()
	b, err := NewBuilder(l)
	require.NoError(t, err)
	s := NewSet(l)
	n, err := b.Append(s, g, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Equal(t, n, s.N)
	return s
}

// TestBuiltRows checks rows made from games against the identities that KataGo's
// own rows obey, and against a slow recomputation.
func TestBuiltRows(t *testing.T) {
	tax := board.TrompTaylor()
	tax.Tax = board.TaxAll
	seki := board.TrompTaylor()
	seki.Tax = board.TaxSeki
	for name, rules := range map[string]board.Rules{"tromp-taylor": board.TrompTaylor(), "chinese": board.Chinese(), "all tax": tax, "seki tax": seki} {
		for _, size := range []board.Size{board.Square(9), board.Square(7), {W: 9, H: 5}} {
			t.Run(name+" "+size.String(), func(t *testing.T) {
				for seed := range uint64(3) {
					checkBuilt(t, randomGame(t, size, rules, seed), Layout{features.V7, 9})
				}
			})
		}
	}
}

func checkBuilt(t *testing.T, g *Game, l Layout) {
	t.Helper()
	s := built(t, l, g)
	require.Equal(t, len(g.Turns), s.N)
	rules, size := g.Start.Rules(), g.Start.Size()
	var now board.Game
	now.CopyFrom(g.Start)
	for i := range s.N {
		require.NoError(t, s.Check(i))
		require.Equal(t, size, s.Size(i))
		row := s.targets(i)
		require.InDelta(t, 20*s.global(i)[5], row[TargetSelfKomi], 4e-5)
		points := s.points(i)
		if rules.Tax == board.TaxNone {
			require.InDelta(t, row[TargetFinalScore], sum(points[:81])+float64(row[TargetSelfKomi]+row[TargetBonus]), 4e-6)
		}
		require.InDelta(t, row[TargetFinalScore], sum(points[4*81:])/120+float64(row[TargetSelfKomi]+row[TargetBonus]), 0.4)
		for _, at := range []int{TargetWin, TargetLong, TargetMiddle, TargetShort, TargetRoot} {
			require.InDelta(t, 1, row[at]+row[at+1]+row[at+2], 1e-5)
		}
		require.Equal(t, float32(now.NumMoves()), row[TargetTurn])
		win := now.ToMove() == g.End.Winner
		require.Equal(t, win, row[TargetWin] == 1)
		checkHorizons(t, g, i, row, now.ToMove())
		require.NoError(t, now.Play(now.ToMove(), g.Turns[i].Move))
	}
}

// checkHorizons compares a row's averages over later searches, and its arrival time, with sums over the turns.
func checkHorizons(t *testing.T, g *Game, at int, row []float32, own board.Color) {
	t.Helper()
	area := float64(g.Start.Size().Area())
	for k, c := range []float64{0.176, 0.056, 0.016} {
		f := 1 / (1 + area*c)
		left, win, score := 1.0, 0.0, 0.0
		for _, turn := range g.Turns[at:] {
			v := turn.Root.FromWhite(own)
			win += left * f * float64(v.Win)
			score += left * f * float64(v.Score)
			left *= 1 - f
		}
		end := g.End.value().FromWhite(own)
		require.InDelta(t, win+left*float64(end.Win), row[TargetLong+4*k], 1e-4)
		require.InDelta(t, score+left*float64(end.Score), row[TargetLong+4*k+3], 1e-3)
	}
	arrival := 0.0
	before := float64(g.Turns[at].Root.Win - g.Turns[at].Root.Loss)
	for k := at + 1; k <= len(g.Turns); k++ {
		v := g.End.value()
		if k < len(g.Turns) {
			v = g.Turns[k].Root
		}
		d := float64(v.Win-v.Loss) - before
		before += d
		arrival += float64(k-at) * d * d
	}
	require.InDelta(t, arrival, row[TargetArrival], 1e-2)
}

func fillFolder(t testing.TB, files, gamesPerFile int, l Layout, sizes ...board.Size) string {
	t.Helper()
	dir := t.TempDir()
	b, err := NewBuilder(l)
	require.NoError(t, err)
	seed := uint64(1)
	for f := range files {
		s := NewSet(l)
		for range gamesPerFile {
			_, err := b.Append(s, randomGame(t, sizes[int(seed)%len(sizes)], board.TrompTaylor(), seed), rand.New(rand.NewPCG(seed, 0)))
			require.NoError(t, err)
			seed++
		}
		require.NoError(t, s.WriteFile(filepath.Join(dir, string(rune('a'+f))+".npz")))
	}
	return dir
}

func options(batch int) Options {
	return Options{Batch: batch, Seed: 3, Symmetries: true, HistoryDropout: true, Wants: Wants{true, true}}
}

func TestStreamIsDeterministicAndResumes(t *testing.T) {
	dir := fillFolder(t, 5, 2, Layout{features.V7, 9}, board.Square(9), board.Square(7))
	for name, memory := range map[string]int64{"whole pass in memory": 0, "two files in memory": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			o := options(16)
			o.MemoryBytes = memory
			first, second := open(t, o, dir), open(t, o, dir)
			var a, b Batch
			for range 37 {
				require.NoError(t, first.Next(&a))
				require.NoError(t, second.Next(&b))
				require.Equal(t, a, b)
			}
			state, err := first.State()
			require.NoError(t, err)
			third := open(t, o, dir)
			require.NoError(t, third.Next(&b))
			require.NoError(t, third.Restore(state))
			for range 160 {
				require.NoError(t, first.Next(&a))
				require.NoError(t, third.Next(&b))
				require.Equal(t, a, b)
			}
			require.Greater(t, first.Passes(), uint64(2))
		})
	}
}

func open(t testing.TB, o Options, dir string) *Folder {
	t.Helper()
	f, err := OpenFolder(o, dir)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// TestRowsTellModes: a row records the AreaModes of its game, and its ownership and seki targets follow from
// them.
func TestRowsTellModes(t *testing.T) {
	b := testshared.Diagram(t, "X.XO.\nXXXO.\nOOOO.")
	l := Layout{features.V7, 7}
	mouth := l.slot(1, b.Size())
	for i := range 4 {
		modes := board.AreaModes{PassAliveUnderSuicide: i&1 != 0, ExcludeTerritoryAdjacentToAtari: i&2 != 0}
		start := testshared.GameOn(t, b, board.Rules{Scoring: board.ScoringTerritory})
		require.NoError(t, start.StartInPhase(2))
		start.ContinueWith(board.GameOptions{AreaModes: modes})
		var end board.Game
		end.CopyFrom(start)
		g := &Game{Start: start}
		for range 2 {
			g.Turns = append(g.Turns, Turn{Move: board.Pass, Weight: 1, Visits: 1, Policy: []MoveWeight{{uint16(b.Size().Area()), 1}}})
			require.NoError(t, end.Play(end.ToMove(), board.Pass))
		}
		g.End = ScoreEnd(&end, false)
		s := built(t, l, g)
		row := s.targets(0)
		require.Equal(t, modes.PassAliveUnderSuicide, row[TargetPassAliveSuicide] == 1)
		require.Equal(t, modes.ExcludeTerritoryAdjacentToAtari, row[TargetExcludeTerritory] == 1)
		require.NoError(t, s.Check(0))
		owned := int8(1)
		if modes.ExcludeTerritoryAdjacentToAtari {
			owned = 0
		}
		require.Equal(t, owned, s.points(0)[mouth], "Black's ownership")
		require.Equal(t, 1-owned, s.points(0)[l.Area()+mouth], "Black's area that is not a point")
	}
}
