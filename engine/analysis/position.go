package analysis

import (
	"kosumi/board"
)

// start returns the game before its first move.
func (q *query) start() (*board.Game, error) {
	g, err := board.NewGame(q.size, q.rules)
	if err != nil {
		return nil, faultf("rules", "%v", err)
	}
	o := g.Options()
	o.StartBlackMovesAreHandicap = true
	g.SetOptions(o)
	if err := g.Setup(q.black, q.white, q.first); err != nil {
		return nil, faultf("initialStones", "%v", err)
	}
	return g, nil
}

// position returns the game after the first n moves. Records may hold moves
// that break the rules of ko or suicide; they are played all the same.
func (q *query) position(n int) (*board.Game, error) {
	g, err := q.start()
	if err != nil {
		return nil, err
	}
	for i, m := range q.moves[:n] {
		if err := g.PlayTolerant(m.Color, m.Point); err != nil {
			return nil, faultf("moves", "move %d, %s %s, is illegal: %v", i, m.Color, q.size.Vertex(m.Point), err)
		}
	}
	return g, nil
}

// checkMoves replays the whole game, so that an illegal move is an error of the
// query and not of a turn.
func (q *query) checkMoves() error {
	_, err := q.position(len(q.moves))
	return err
}

// symmetricHash identifies stones and side to move whatever way the board is
// turned: the least hash of all its images.
func symmetricHash(g *board.Game) board.Hash {
	size := g.Size()
	var least board.Hash
	for k := range board.Symmetry(size.Symmetries()) {
		turned := board.NewBoard(size)
		for p := range board.Point(size.Area()) {
			if c := g.At(p); c != board.Empty {
				// No part of a position is ever captured while it is laid
				// out: each chain keeps its liberties to the end.
				turned.Play(c, size.SymMap(k, p))
			}
		}
		h := turned.Hash()
		if k == 0 || h.Hi < least.Hi || h.Hi == least.Hi && h.Lo < least.Lo {
			least = h
		}
	}
	if g.ToMove() == board.White {
		least.Hi, least.Lo = ^least.Hi, ^least.Lo
	}
	return least
}
