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
	g.SetOptions(q.options)
	if err := g.SetupBoard(board.LayOut(q.size, q.stones), q.first); err != nil {
		return nil, faultf("initialStones", "%v", err)
	}
	return g, nil
}

// position returns the game after the first n moves. Records may hold moves
// that break the rules of ko or suicide; they are played all the same, but for
// the suicide of a single stone, which leaves the board as it was. If a colour
// moves twice, a game begins that knows nothing of the moves before.
func (q *query) position(n int) (*board.Game, error) {
	g, err := q.start()
	if err != nil {
		return nil, err
	}
	for i, m := range q.moves[:n] {
		if m.Color != g.ToMove() {
			g.Restart(m.Color)
		}
		lone := g.Size().Contains(m.Point) && g.At(m.Point) == board.Empty && g.Board().IsIllegalSuicide(m.Color, m.Point, true)
		if lone || g.PlayTolerant(m.Color, m.Point) != nil {
			return nil, faultf("moves", "Illegal move %d: %s", i, q.moveName(i))
		}
	}
	return g, nil
}

// moveName names a move as KataGo does, also where it is not on the board.
func (q *query) moveName(i int) string {
	if q.moves[i].Point == board.NoPoint {
		return q.size.OffBoardName(q.words[i])
	}
	return q.size.Vertex(q.moves[i].Point)
}

// checkMoves replays the whole game, so that an illegal move is an error of the
// query and not of a turn.
func (q *query) checkMoves() error {
	_, err := q.position(len(q.moves))
	return err
}
