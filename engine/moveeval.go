package engine

import (
	"fmt"
	"strings"

	"kosumi/board"
	"kosumi/search"
	"kosumi/sgf"
)

// moveEval is the evaluation of one of the engine's moves when it was chosen, from Black's view.
type moveEval struct {
	winrate, lead float64
	visits        int64
	line          []board.Point
}

// moveKey identifies a move in a position. If a client replays a game move by move, the evaluations
// of the game's moves are thus found again.
type moveKey struct {
	position board.Hash
	color    board.Color
	point    board.Point
}

// records keeps what a game's record contains besides moves: the record that it was loaded from,
// the evaluations of the engine's moves, and who resigned.
type records struct {
	loaded   *sgf.Record // nil if none was loaded
	evals    map[moveKey]moveEval
	resigned resigned
}

// maxEvals bounds the evaluations kept; a long game has a few hundred moves.
const maxEvals = 4096

// remember keeps the evaluation of a move about to be played.
func (r *records) remember(game *board.Game, found *search.Result, p board.Point) {
	if len(r.evals) >= maxEvals {
		clear(r.evals)
	}
	t := moveEval{winrate: found.Root.Winrate, lead: found.Root.Lead, visits: found.Root.Visits}
	if m := found.Move(p); m != nil {
		t.line = m.PV[:min(len(m.PV), 10)]
	}
	if game.ToMove() == board.White {
		t.winrate, t.lead = 1-t.winrate, -t.lead
	}
	r.evals[moveKey{game.Hash(), game.ToMove(), p}] = t
}

// text returns the comment for the move in a record.
func (t *moveEval) text(size board.Size) string {
	who, lead, winrate := "Black", t.lead, t.winrate
	if winrate < 0.5 {
		who, lead, winrate = "White", -lead, 1-winrate
	}
	text := fmt.Sprintf("%s %.1f %%, %+.1f points, %d visits", who, 100*winrate, tenths(search.OnSide(lead, winrate)), t.visits)
	if len(t.line) == 0 {
		return text
	}
	var line []string
	for _, p := range t.line {
		line = append(line, size.Vertex(p))
	}
	return text + "\n" + strings.Join(line, " ")
}

// evalsOf returns the evaluation of each move of the game, nil for the opponent's moves and
// others that the engine did not choose.
func (r *records) evalsOf(played *board.Game) ([]*moveEval, error) {
	all := make([]*moveEval, played.NumMoves())
	if len(r.evals) == 0 {
		return all, nil
	}
	game := played.Clone()
	game.UndoMoves(game.NumMoves())
	for i, m := range played.Moves() {
		game.SetToMove(m.Color)
		if t, ok := r.evals[moveKey{game.Hash(), m.Color, m.Point}]; ok {
			all[i] = &t
		}
		if err := game.PlayTolerant(m.Color, m.Point); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// chose reports for which sides the engine chose moves, or resigned.
func (r *records) chose(game *board.Game) (black, white bool) {
	all, err := r.evalsOf(game)
	if err != nil {
		return false, false
	}
	for i, t := range all {
		if t != nil {
			black = black || game.Moves()[i].Color == board.Black
			white = white || game.Moves()[i].Color == board.White
		}
	}
	loser := r.resigner(game)
	return black || loser == board.Black, white || loser == board.White
}

// resigned is the side that resigned, and in which position.
type resigned struct {
	color    board.Color
	position board.Hash
}

func (r *records) resign(c board.Color, game *board.Game) { r.resigned = resigned{c, game.Hash()} }

// resigner returns the side for which the engine resigned in this position, or Empty.
func (r *records) resigner(game *board.Game) board.Color {
	if r.resigned.position == game.Hash() {
		return r.resigned.color
	}
	return board.Empty
}
