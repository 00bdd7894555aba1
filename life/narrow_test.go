package life

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/life/check"
	"kosumi/life/solver"
)

// openFight returns an asker about a stone of Black on an open board of 19x19.
func openFight(t *testing.T, black, white []string, target string) *asker {
	q := &Question{Size: board.Square(19), Stones: make([]board.Color, 361), Ko: board.NoPoint}
	for c, list := range map[board.Color][]string{board.Black: black, board.White: white} {
		for _, p := range points(t, q.Size, list...) {
			q.Stones[p] = c
		}
	}
	q.Targets = points(t, q.Size, target)
	l, err := q.encode()
	require.NoError(t, err)
	a := newAsker(context.Background(), q, l, Options{Nodes: 4_000_000})
	require.True(t, a.s.Wide)
	return a
}

// TestRings: each ring has more points than the previous one of its kind. A ring that is limited to one word
// could not take the next point too: the question would be too large for a word, or have too many empty points.
func TestRings(t *testing.T) {
	for name, test := range map[string]struct{ black, white []string }{
		"second line": {[]string{"B2", "C2", "D2", "E2", "F2"}, []string{"B3", "C3", "D3", "E3", "F3", "G3"}},
		"middle":      {[]string{"K10", "K11"}, []string{"J10", "L10"}},
		"two lines":   {[]string{"K2", "L2", "M2", "N2", "O2", "P2", "Q2", "R2", "S2"}, []string{"K3", "M3", "O3", "Q3", "S3"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := openFight(t, test.black, test.white, test.black[0])
			a.narrows = a.rings()
			filled := 0
			type kind struct {
				winner solver.Side
				walls  bool
			}
			largest := map[kind]int{}
			for i := range a.narrows {
				r, n := &a.narrows[i], a.narrow(i)
				if n == nil {
					continue
				}
				points := len(r.near)
				if r.least < points {
					filled++
					points = r.least + 1
					for !slices.Equal(a.narrowed(r, points).index, n.index) {
						points++
					}
					require.LessOrEqual(t, n.Points(), word)
					require.True(t, a.narrowed(r, points+1).Points() > word || a.free(r.near[:points+1]) > mostPacked, "a point more fits too")
				}
				require.Greater(t, points, largest[kind{r.winner, r.walls}])
				largest[kind{r.winner, r.walls}] = points
			}
			require.Positive(t, filled)
		})
	}
}

// TestSettledInTheOpen asks about groups with stones of the attacker around them on an otherwise open board. Narrow
// questions prove which of the groups live whichever side moves first.
func TestSettledInTheOpen(t *testing.T) {
	for _, test := range []struct {
		name         string
		black, white []string
		nodes        int64
		want         string
	}{
		{"twelve points on the edge", []string{"J1", "J2", "J3", "K3", "L3", "M3", "N3", "N2", "N1"}, []string{"H3", "J4", "K4", "M4", "N4", "O3", "K10"}, 8000, Alive},
		{"eight stones on the second line", []string{"D2", "E2", "F2", "G2", "H2", "J2", "K2", "L2"}, []string{"D3", "E3", "F3", "G3", "H3", "J3", "K3", "L3"}, 40000, Alive},
		{"three points in a row, open until somebody moves", []string{"J1", "J2", "K2", "L2", "M2", "N2", "N1"}, []string{"H1", "H2", "J3", "K3", "L3", "M3", "N3", "O2", "O1"}, 8000, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := openFight(t, test.black, test.white, test.black[0])
			out, err := Settled(t.Context(), a.q, test.nodes)
			require.NoError(t, err)
			require.Equal(t, test.want, out.Verdict)
			require.LessOrEqual(t, out.Nodes, test.nodes+1024)
		})
	}
}

// TestSettledWithSuicide: the checker also accepts proofs if suicide is legal. The hard case is a chain whose
// liberties all lie outside the narrow question.
func TestSettledWithSuicide(t *testing.T) {
	for n := range uint64(3) {
		rng := rand.New(rand.NewPCG(n, 1))
		g, err := board.NewGame(board.Square(9), board.TrompTaylor())
		require.NoError(t, err)
		for range 45 {
			for g.Play(g.ToMove(), board.Point(rng.IntN(81))) != nil {
			}
		}
		for p := range board.Point(81) {
			if g.At(p) != board.Empty && g.Board().ChainHead(p) == p {
				q := QuestionOf(g)
				q.Targets = []board.Point{p}
				_, err := Settled(t.Context(), q, 8000)
				require.NoError(t, err)
			}
		}
	}
}

// TestNarrow proves verdicts on an open board by narrow questions: a corner lives although the attacker owns all
// points around it, and a stone is captured although the defender owns all points around it. The checker verifies
// the proofs for the question about the whole board.
func TestNarrow(t *testing.T) {
	for _, test := range []struct {
		name         string
		black, white []string
		target       string
		first        solver.Side
		contest      solver.Contest
		goal         solver.Goal
	}{
		{"open second line", []string{"B2", "C2", "D2", "E2", "F2"}, []string{"B3", "C3", "D3", "E3", "F3", "G3"}, "B2", solver.Defender, solver.Fight, solver.Hold},
		{"corner", []string{"A4", "B4", "C4", "D4", "D3", "D2", "D1", "K10"}, []string{"A5", "B5", "C5", "D5", "E4", "E3"}, "A4", solver.Defender, solver.Life, solver.Settle},
		{"held corner", []string{"A3", "B3", "C3", "D3", "E3", "F3", "F2", "F1", "C2"}, []string{"A4", "B4", "C4", "D4", "E4", "F4", "G3", "G2"}, "A3", solver.Attacker, solver.Fight, solver.Hold},
		{"first line", []string{"K1"}, []string{"J1", "J2", "L1", "L2"}, "K1", solver.Attacker, solver.Fight, solver.Capture},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := openFight(t, test.black, test.white, test.target)
			q, l := a.q, a.l
			a.part("", 1)
			p := a.root(test.first, 0, 0)
			at := a.followed(test.contest, &p, 64000)
			require.GreaterOrEqual(t, at, int32(0))
			require.Equal(t, test.goal, a.s.Proof(at).Goal)
			a.claim(test.first, test.goal, &p, at)
			require.Less(t, a.s.Nodes, int64(100_000), "a proof is followed, not searched again")
			_, err := check.Proof(l.proofFile(q, a.s, a.claims))
			require.NoError(t, err)
			for i := range a.narrows {
				n := a.narrow(i)
				if n == nil {
					continue
				}
				require.LessOrEqual(t, n.On.Count(), 2*mostNarrow)
				again := n.position(&p)
				require.Equal(t, n.start.Stones, again.Stones, "the start is that of the narrow question")
			}
		})
	}
}
