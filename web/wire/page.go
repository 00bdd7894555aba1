package wire

import (
	"bytes"
	"encoding/json"

	"kosumi/board"
	"kosumi/review"
	"kosumi/sgf"
)

// gameOfPage returns the game of a review, from the data of its HTML file; nil if that is no review, or if
// the moves do not lead to the final position, since the file lacks stones that were set up between moves.
func gameOfPage(data []byte) *sgf.Node {
	var page struct{ Data review.Result }
	err := json.NewDecoder(bytes.NewReader(data)).Decode(&page)
	res, i := &page.Data, &page.Data.Game
	r := sgf.Record{Size: board.Size{W: i.Width, H: i.Height}, Komi: i.Komi, HasKomi: true, Handicap: i.Handicap, Result: i.Result, Date: i.Date, Event: i.Event, Application: "Kosumi",
		Black: sgf.Player{Name: i.Black, Rank: i.BlackRank}, White: sgf.Player{Name: i.White, Rank: i.WhiteRank}, Setup: &sgf.Setup{}}
	rules, odd := board.ParseRules(i.Rules)
	if err != nil || odd != nil || r.Size.Check() != nil || len(res.Positions) != len(res.Moves)+1 || len(res.Positions[0].Stones) != r.Size.Area() {
		return nil
	}
	rules.Komi = float32(i.Komi)
	r.Rules = RecordedRules(rules, "")
	for p, s := range res.Positions[0].Stones {
		if s == 'X' {
			r.Setup.Black = append(r.Setup.Black, board.Point(p))
		} else if s == 'O' {
			r.Setup.White = append(r.Setup.White, board.Point(p))
		}
	}
	for _, m := range res.Moves {
		at, err := r.Size.ParseVertex(m.Move)
		side, odd := board.ParseColor(m.Color)
		if err != nil || odd != nil {
			return nil
		}
		r.Steps = append(r.Steps, sgf.Step{Move: board.Move{Color: side, Point: at}})
	}
	g, err := r.Game(rules, len(r.Steps))
	if err != nil || review.Stones(g) != res.Positions[len(r.Steps)].Stones {
		return nil
	}
	return r.Tree()
}
