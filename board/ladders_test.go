package board_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

// ladderText lists the ladders of a board: each chain by its first stone, then
// the working moves.
func ladderText(b *board.Board, scratch *board.LadderScratch) string {
	s := b.Size()
	var list []string
	for _, l := range b.Ladders(scratch) {
		text := l.Color.String()[:1] + ":" + s.Vertex(slices.Min(b.Chain(nil, l.Head)))
		if l.Count > 0 {
			text += "<" + vertices(s, l.Working[:l.Count])
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return strings.Join(list, " | ")
}

func TestLadders(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"none", empty5, ""},
		// B3 is the only liberty of A5's chain, and a move there also captures B4. As in KataGo, the
		// search counts the liberties after White's other capture, E5, instead.
		{"a capture on the last liberty", `
			O O X X .
			O X O O X
			O . X . O
			X X X . .
			X O . . O`, "w:B1 | w:E1<D1 | w:E3<D3"},
		{"runs to the edge", `
			. . . . . . .
			. . O . . . .
			. O X . . . .
			. . O . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, ""},
		{"from the second stone on", `
			. . . . . . .
			. . O . . . .
			. O X X O . .
			. . O . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, "b:C5<D6 D4"},
		{"broken by a stone on the way", `
			. . . . . . .
			. . O . . . .
			. O X X O . .
			. . O . . . .
			. . . . X . .
			. . . . . . .
			. . . . . . .`, "b:C5<D4"},
		{"in atari at the edge", `
			. X O . .
			. O . . .
			. . . . .
			. . . . .`, "b:B4"},
		{"in atari, but it captures", `
			X X O . .
			. O X . .
			. . X . .
			. X . . .`, ""},
		{"snapback", `
			. O X X .
			O X . X .
			O X X O X
			. O O O X
			. . . . .`, ""},
		{"ko helps the defender", `
			. O X . .
			O X . X .
			. O X . .
			. . . . .`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var scratch board.LadderScratch
			b := diagram(t, c.text)
			before := snapshot(b)
			require.Equal(t, c.want, ladderText(b, &scratch), "%v", b)
			require.Equal(t, before, snapshot(b))
		})
	}
}

// refLadder searches for a ladder by the definition, without shortcuts. By definition a ladder also
// works if both liberties are kos that the hunter can take.
type refLadder struct {
	target board.Point
	color  board.Color
	limit  int
	played int
}

// gaveUp reports whether the search has played too many moves to go on.
func (r *refLadder) gaveUp() bool { return r.played > 20000 }

func (r *refLadder) defend(b refBoard, ko board.Point, depth int) (lost bool) {
	if depth >= r.limit {
		return true
	}
	if b.liberties(r.target) >= 2 || ko != board.NoPoint {
		return false
	}
	chain := b.chain(r.target)
	moves := b.around(chain, refEmpty)
	for _, q := range b.around(chain, sign(r.color.Opponent())) {
		if b.liberties(q) == 1 {
			moves = append(moves, b.around(b.chain(q), refEmpty)...)
		}
	}
	for _, m := range moves {
		next := b.play(r.color, m)
		if next.suicided > 0 {
			continue
		}
		if r.played++; r.gaveUp() || !r.attack(next.after, next.ko, depth+1) {
			return false
		}
	}
	return true
}

func (r *refLadder) attack(b refBoard, ko board.Point, depth int) (lost bool) {
	libs := b.around(b.chain(r.target), refEmpty)
	if depth >= r.limit || len(libs) <= 1 {
		return true
	}
	if len(libs) >= 3 {
		return false
	}
	if r.doubleKo(b, libs) {
		return true
	}
	for _, m := range libs {
		if m == ko {
			continue
		}
		next := b.play(r.color.Opponent(), m)
		if next.suicided > 0 {
			continue
		}
		if r.played++; r.gaveUp() {
			return false
		}
		if r.defend(next.after, next.ko, depth+1) {
			return true
		}
	}
	return false
}

// doubleKo reports whether the hunter can take kos on all libs and the chain has no defence.
func (r *refLadder) doubleKo(b refBoard, libs []board.Point) bool {
	hunter := r.color.Opponent()
	for _, m := range libs {
		g := &refGame{b: b}
		if g.koCapture(hunter, m) == board.NoPoint || b.play(r.color, m).after.liberties(m) > 2 {
			return false
		}
	}
	return !slices.ContainsFunc(b.around(b.chain(r.target), sign(hunter)), func(q board.Point) bool { return b.liberties(q) == 1 })
}

// refCaptured reports whether the chain on p is lost with its owner to move; ok is false if the search gave up.
func refCaptured(b refBoard, p board.Point) (lost, ok bool) {
	if b.liberties(p) > 1 {
		return false, true
	}
	c := board.Black
	if b.at(p) == 'O' {
		c = board.White
	}
	r := &refLadder{target: p, color: c, limit: 3 * b.size.Area() / 2}
	lost = r.defend(b, board.NoPoint, 0)
	return lost, !r.gaveUp()
}

// TestLaddersAgainstPlainSearch requires that, on random boards, Ladders finds the same ladders as a
// search without shortcuts.
func TestLaddersAgainstPlainSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var scratch board.LadderScratch
	chains, lost := 0, 0
	for range *positions {
		s := board.Size{W: 3 + rng.IntN(7), H: 3 + rng.IntN(7)}
		g := middleGame(s, board.Chinese(), s.Area()/4+rng.IntN(s.Area()), rng.Uint64())
		b := g.Board()
		ref := refOf(b)
		found := map[board.Point]board.Ladder{}
		for _, l := range b.Ladders(&scratch) {
			found[l.Head] = l
		}
		for p := range board.Point(s.Area()) {
			if b.ChainHead(p) != p || b.Liberties(p) > 2 {
				continue
			}
			l, got := found[p]
			if b.Liberties(p) == 1 {
				want, ok := refCaptured(ref, p)
				if ok {
					chains++
					require.Equal(t, want, got, "%s\n%v", s.Vertex(p), b)
				}
				continue
			}
			for _, m := range b.LibertyPoints(nil, p) {
				next := ref.play(b.At(p).Opponent(), m)
				if m == b.KoPoint() || next.suicided > 0 {
					require.NotContains(t, l.Working[:l.Count], m)
					continue
				}
				want, ok := refCaptured(next.after, p)
				if ok {
					chains++
					require.Equal(t, want, slices.Contains(l.Working[:l.Count], m), "%s by %s\n%v", s.Vertex(p), s.Vertex(m), b)
				}
			}
		}
		lost += len(found)
	}
	require.Greater(t, chains, *positions)
	require.Greater(t, lost, *positions/4)
}
