package engine

import (
	"fmt"
	"strings"

	"kosumi/board"
	"kosumi/search"
	"kosumi/sgf"
)

// moveEval is the evaluation of a move of ours when it was chosen. Numbers are
// Black's.
type moveEval struct {
	winrate, lead float64
	visits        int64
	line          []board.Point
}

// moveKey names a move in a position: a client that sends a game anew, move by
// move, finds its evaluations again.
type moveKey struct {
	position board.Hash
	color    board.Color
	point    board.Point
}

// records remembers what goes into a record of the game beside its moves: the record
// that it was loaded from, the evaluations of moves chosen here, and who resigned.
type records struct {
	loaded   *sgf.Record // nil for none
	evals    map[moveKey]moveEval
	resigned resigned
}

// maxEvals bounds what is kept; a long game has a few hundred moves.
const maxEvals = 4096

// remember keeps the evaluation of a move that is about to be made.
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

// text is the comment on a move in a record.
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

// evalsOf returns the evaluation of each move of the game, nil where there is none: moves of the opponent, and those that were not chosen here.
func (r *records) evalsOf(played *board.Game) ([]*moveEval, error) {
	all := make([]*moveEval, played.NumMoves())
	if len(r.evals) == 0 {
		return all, nil
	}
	game := new(board.Game)
	game.CopyFrom(played)
	game.UndoMoves(game.NumMoves())
	for i, m := range played.Moves() {
		if game.ToMove() != m.Color {
			game.SetToMove(m.Color)
		}
		if t, ok := r.evals[moveKey{game.Hash(), m.Color, m.Point}]; ok {
			all[i] = &t
		}
		if err := game.PlayTolerant(m.Color, m.Point); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// chose returns which sides had moves of a game chosen here, or resigned it here.
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

// resigned is the position in which a side resigned here.
type resigned struct {
	color    board.Color
	position board.Hash
}

// resign notes that a colour resigns a game here.
func (r *records) resign(c board.Color, game *board.Game) { r.resigned = resigned{c, game.Hash()} }

// resigner returns the side that resigned the game here, Empty for nobody.
func (r *records) resigner(game *board.Game) board.Color {
	if r.resigned.position == game.Hash() {
		return r.resigned.color
	}
	return board.Empty
}
