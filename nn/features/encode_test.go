package features_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn/features"
)

// Two positions from the middle of games, each with chains in ladders.
const (
	middle9 = `
. . . . . . . . .
. . O X . . X . .
. . O X X X O X .
. O X O O X O . .
. . X . O O X X .
. . X O . O O . .
. X X X O . O . .
. . . X O X . . .
. . . . . . . . .`
	middle19 = `
. . . . . . . . . . . . . . . . . . .
. . . . . . . O . . . . . O . . . . .
. . . O . . . . . X . X O . X X . . .
. . . X . . . . . . . . O . . . X . .
. . O . . . . . . O . . O X X . . . .
. . . O . . . . . . . . X . . . . . .
. . X X O . . . . . . . . . . X . . .
. . . . O X . . . . . . . . . . . . .
. . X . O X . . . . . . . . . O . . .
. . X O X X . . . X . . . . . . . . .
. . . O O X O . . . . . . . . . O . .
. . . O X O . O . . . . . . X . . . .
. . X X X O . . . . . . . . . . O . .
. . . . . X O O . . . . . X O O O . .
. . O X . X X O . . . . . X X X O . .
. . . X . . . . . . . O . . . X X O .
. . X . . X . . . O . . X O O O X O .
. . . . . . . . . . . . . . . . X O .
. . . . . . . . . . . . . . . . . . .`
)

// diagramGame returns a game with a few moves after a diagram, so that it has a history.
func diagramGame(t testing.TB, diagram string, moves int) *board.Game {
	t.Helper()
	b := testshared.Diagram(t, diagram)
	g := testshared.GameOn(t, b, board.TrompTaylor())
	rng := rand.New(rand.NewPCG(1, uint64(b.Size().W)))
	for range moves {
		legal := g.LegalMoves(nil)
		p := board.Point(rng.IntN(b.Size().Area()))
		if !legal[p] {
			p = board.Pass
		}
		require.NoError(t, g.Play(g.ToMove(), p))
	}
	return g
}

func buffers(e features.Encoding, g *board.Game) (spatial, global []float32) {
	return make([]float32, e.Planes()*g.Size().Area()), make([]float32, e.Globals())
}

var allEncodings = []features.Encoding{features.V7, features.Seed22, features.Mini7, features.AGZ17, features.AGZ17Split,
	features.V3, features.V4, features.V5, features.V6}

func TestEncodeAllocatesNothing(t *testing.T) {
	s := features.NewScratch()
	for _, diagram := range []string{middle9, middle19} {
		g := diagramGame(t, diagram, 6)
		for _, e := range allEncodings {
			spatial, global := buffers(e, g)
			encode := func() { features.Encode(e, spatial, global, g, features.Options{}, s) }
			encode()
			require.Zero(t, testing.AllocsPerRun(20, encode), "%v", e)
		}
	}
}

// TestLadderMemoryIsExact: the memory of ladders never changes an answer: a scratch that has seen
// thousands of boards agrees with a new one.
func TestLadderMemoryIsExact(t *testing.T) {
	used := features.NewScratch()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		size := board.Size{W: 2 + rng.IntN(9), H: 2 + rng.IntN(9)}
		g := testshared.Game(t, size, board.Chinese())
		want, globals := buffers(features.V7, g)
		got, _ := buffers(features.V7, g)
		for range 2 * size.Area() {
			p := board.Point(rng.IntN(size.Area()))
			if g.Play(g.ToMove(), p) != nil {
				p = board.Pass
				if g.ConsecutivePasses() == 0 {
					require.NoError(t, g.Play(g.ToMove(), p))
				}
			}
			features.Encode(features.V7, got, globals, g, features.Options{}, used)
			features.Encode(features.V7, want, globals, g, features.Options{}, features.NewScratch())
			require.Empty(t, diff(size.Area(), want, got))
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	for name, diagram := range map[string]string{"9x9": middle9, "19x19": middle19} {
		g := diagramGame(b, diagram, 4)
		for _, e := range []features.Encoding{features.V7, features.Seed22, features.Mini7} {
			spatial, global := buffers(e, g)
			b.Run(e.String()+"/"+name, func(b *testing.B) {
				s := features.NewScratch()
				b.ReportAllocs()
				for b.Loop() {
					features.Encode(e, spatial, global, g, features.Options{}, s)
				}
			})
		}
		b.Run("v7 cold/"+name, func(b *testing.B) {
			spatial, global := buffers(features.V7, g)
			b.ReportAllocs()
			for b.Loop() {
				s := features.NewScratch()
				features.Encode(features.V7, spatial, global, g, features.Options{}, s)
			}
		})
	}
}
