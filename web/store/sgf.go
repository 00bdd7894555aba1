package store

import (
	"time"

	"kosumi/board"
	"kosumi/sgf"
	"kosumi/web/wire"
)

// Texts in records: the player's name, and the comment on a result that the engine disagrees with.
const (
	playerName = "You"
	byWord     = "Counted by the player's word."
)

// SGF returns the game as SGF.
func (g *Game) SGF() *sgf.Record {
	r := &sgf.Record{Size: g.Size(), Komi: g.Head.Komi, HasKomi: true, Rules: wire.RecordedRules(g.Board.Rules(), ""), Handicap: len(g.Setup),
		Application: "Kosumi", Date: g.Head.Created.Format(time.DateOnly), Result: g.Result, Steps: sgf.Steps(g.Board.Moves(), nil)}
	you, engine := sgf.Player{Name: playerName}, sgf.Player{Name: "Kosumi", Rank: g.Head.Seat.Level}
	if r.Black, r.White = you, engine; g.Player() == board.White {
		r.Black, r.White = engine, you
	}
	if len(g.Setup) > 0 {
		r.Setup = &sgf.Setup{Black: g.Setup, ToMove: g.Board.ToMove()}
		if len(g.Setup) == g.Head.Handicap {
			r.Setup.ToMove = board.White
		}
	}
	if g.ByWord {
		r.Comment = byWord
	}
	return r
}
