package search

import (
	"math/bits"

	"kosumi/board"
)

// RepeatPenalty penalises moves of a player that are like its earlier ones: the same point with the same
// 9x9 surroundings, also turned, mirrored or with colours swapped. This keeps a player who is behind
// from trying one trick in every corner.
type RepeatPenalty struct {
	// Utility is subtracted from the utility of a repeated move; a negative one favours it.
	Utility float64
	// Player is the colour whose repeated moves are penalised; Empty: that of the side to move at the root.
	Player board.Color
}

// patternKey identifies a move with its surroundings; 0 is none.
type patternKey uint64

// repeats holds the patterns that are penalised, and those of the tree's nodes.
type repeats struct {
	player  board.Color             // the colour whose repeated moves are penalised; Empty: none
	charged map[patternKey]struct{} // patterns of that colour's moves in the game so far
	charge  float64                 // added to White's utility at a node with such a pattern
	keys    byNode[patternKey]
}

// begin reads the moves before a position. keep is false if the penalty now applies to another player
// than in the last search: the tree's visits are then of no use.
func (r *repeats) begin(g *board.Game, p RepeatPenalty) (keep bool) {
	if p.Utility == 0 {
		keep = r.player == board.Empty
		r.player = board.Empty
		return keep
	}
	player := p.Player
	if player == board.Empty {
		player = g.ToMove()
	}
	keep = r.player == player
	r.player, r.charge = player, p.Utility
	if player == board.White {
		r.charge = -p.Utility
	}
	r.charged = map[patternKey]struct{}{}
	var past board.Game
	past.CopyFrom(g)
	moves := g.Moves()[g.Forgotten():]
	for i := len(moves) - 1; i >= 0 && past.Undo(); i-- {
		if m := moves[i]; m.Color == player {
			r.learn(past.Board(), m)
		}
	}
	return keep
}

// learn adds a move's pattern to the penalised ones, in all orientations and both colours.
func (r *repeats) learn(b *board.Board, m board.Move) {
	size := b.Size()
	for sym := range board.Symmetry(size.Symmetries()) {
		for _, c := range []board.Color{board.Black, board.White} {
			if key := patternOf(b, m, board.SymTable(size, sym), c); key != 0 {
				r.charged[key] = struct{}{}
			}
		}
	}
}

// of returns what the penalty for a repeated move adds to a node's utility, which is White's; 0: no penalty.
func (r *repeats) of(i uint32) float64 {
	if r.player == board.Empty {
		return 0
	}
	if _, found := r.charged[r.keys.get(i)]; found {
		return r.charge
	}
	return 0
}

// setKey stores the pattern of a node, if repeated moves are penalised.
func (r *repeats) setKey(i uint32, key patternKey) {
	if r.player != board.Empty {
		r.keys.set(i, key)
	}
}

// repeatPattern returns the pattern of a move that is about to be made, 0 for
// passes and ko captures, which repeat by their nature.
func repeatPattern(b *board.Board, c board.Color, p board.Point) patternKey {
	return patternOf(b, board.Move{Color: c, Point: p}, nil, c)
}

// patternOf is repeatPattern on a board turned by table (nil: not turned), with colours swapped
// unless the move is c's.
func patternOf(b *board.Board, m board.Move, table []board.Point, c board.Color) patternKey {
	size := b.Size()
	if !size.Contains(m.Point) || b.At(m.Point) != board.Empty || takesKo(b, m) {
		return 0
	}
	at := func(p board.Point) uint64 {
		if table == nil {
			return uint64(p)
		}
		return uint64(table[p])
	}
	h := mixInto(uint64(c)|uint64(size.W)<<8|uint64(size.H)<<16, at(m.Point))
	x, y := size.XY(m.Point)
	for dy := -4; dy <= 4; dy++ {
		for dx := -4; dx <= 4; dx++ {
			if x+dx < 0 || y+dy < 0 || x+dx >= size.W || y+dy >= size.H {
				continue
			}
			q := size.Point(x+dx, y+dy)
			stone := b.At(q)
			if stone == board.Empty {
				continue
			}
			if c != m.Color {
				stone = stone.Opponent()
			}
			fact := uint64(stone) | at(q)<<8
			if b.Liberties(q) == 1 {
				fact |= 1 << 4
			}
			h ^= bits.RotateLeft64(scramble(fact+0x9e3779b97f4a7c15), 1) // combined by xor, so the order does not matter
		}
	}
	return patternKey(h | 1<<63)
}

// takesKo reports whether a move takes a single stone from a point surrounded by the opponent, as
// in a ko.
func takesKo(b *board.Board, m board.Move) bool {
	taken := 0
	for _, q := range b.Neighbors(m.Point) {
		if b.At(q) != m.Color.Opponent() {
			return false
		}
		if b.Liberties(q) == 1 {
			if taken++; len(b.Chain(nil, q)) != 1 {
				return false
			}
		}
	}
	return taken == 1
}
