package engine

import (
	"fmt"
	"strings"

	"kosumi/board"
	"kosumi/search"
)

// thought is what was thought of a move of ours when it was chosen. Numbers are
// Black's.
type thought struct {
	winrate, lead float64
	visits        int64
	line          []board.Point
}

// thoughtOf names a move in a position: a client that sends a game anew, move by
// move, finds what was thought of it again.
type thoughtOf struct {
	position board.Hash
	color    board.Color
	point    board.Point
}

// maxThoughts bounds what is kept; a long game has a few hundred moves.
const maxThoughts = 4096

// remember keeps what was thought of a move that is about to be made.
func (e *Engine) remember(game *board.Game, r *search.Result, p board.Point) {
	if len(e.thoughts) >= maxThoughts {
		clear(e.thoughts)
	}
	t := thought{winrate: r.Root.Winrate, lead: r.Root.Lead, visits: r.Root.Visits}
	if m := r.Move(p); m != nil {
		t.line = m.PV[:min(len(m.PV), 10)]
	}
	if game.ToMove() == board.White {
		t.winrate, t.lead = 1-t.winrate, -t.lead
	}
	e.thoughts[thoughtOf{game.Hash(), game.ToMove(), p}] = t
}

// text is the comment on a move in a record.
func (t *thought) text(size board.Size) string {
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

// thoughtsOf returns what was thought of each move of the game, nil where nothing
// was: moves of the opponent, and those that were not chosen here.
func (e *Engine) thoughtsOf() ([]*thought, error) {
	all := make([]*thought, e.game.NumMoves())
	if len(e.thoughts) == 0 {
		return all, nil
	}
	game, err := board.NewGame(e.game.Size(), e.game.Rules())
	if err != nil {
		return nil, err
	}
	game.CopyFrom(e.game)
	game.UndoMoves(game.NumMoves())
	for i, m := range e.game.Moves() {
		if game.ToMove() != m.Color {
			game.SetToMove(m.Color)
		}
		if t, ok := e.thoughts[thoughtOf{game.Hash(), m.Color, m.Point}]; ok {
			all[i] = &t
		}
		if err := game.PlayTolerant(m.Color, m.Point); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Chose tells which sides had moves of the present game chosen here.
func (e *Engine) Chose() (black, white bool) {
	all, err := e.thoughtsOf()
	if err != nil {
		return false, false
	}
	for i, t := range all {
		if t != nil {
			black = black || e.game.Moves()[i].Color == board.Black
			white = white || e.game.Moves()[i].Color == board.White
		}
	}
	return black || e.resigned.color == board.Black && e.gaveUp(), white || e.resigned.color == board.White && e.gaveUp()
}

// resigned is the position in which a side gave up here.
type resigned struct {
	color    board.Color
	position board.Hash
}

// gaveUp reports whether the game on the board is the one that was given up here.
func (e *Engine) gaveUp() bool {
	return e.resigned.color != board.Empty && e.resigned.position == e.game.Hash()
}
