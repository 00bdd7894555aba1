package wire

import (
	"bytes"
	"encoding/json"

	"kosumi/board"
	"kosumi/internal/handout"
	"kosumi/review"
	"kosumi/sgf"
)

// isPage reports whether data is an HTML file.
func isPage(data []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(data[:min(len(data), 100)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// recordOfPage returns the game in a file of [review.WritePage]; nil if data is no such file, or if
// the moves alone do not make the game: the file does not have stones that were set up between moves.
func recordOfPage(data []byte) *sgf.Node {
	_, text, found := bytes.Cut(data, []byte(handout.Data))
	var page struct {
		Kind string
		Data review.Result
	}
	if !found || json.NewDecoder(bytes.NewReader(text)).Decode(&page) != nil || page.Kind != "review" {
		return nil
	}
	res, i := &page.Data, &page.Data.Game
	size := board.Size{W: i.Width, H: i.Height}
	rules, err := board.ParseRules(i.Rules)
	if err != nil || size.Check() != nil || len(res.Positions) != len(res.Moves)+1 || len(res.Positions[0].Stones) != size.Area() {
		return nil
	}
	rules.Komi = float32(i.Komi)
	r := sgf.Record{Size: size, Komi: i.Komi, HasKomi: true, Rules: RecordedRules(rules, ""), Handicap: i.Handicap, Result: i.Result, Date: i.Date, Event: i.Event, Application: "Kosumi",
		Black: sgf.Player{Name: i.Black, Rank: i.BlackRank}, White: sgf.Player{Name: i.White, Rank: i.WhiteRank}, Setup: &sgf.Setup{}}
	for p, s := range res.Positions[0].Stones {
		if s == 'X' {
			r.Setup.Black = append(r.Setup.Black, board.Point(p))
		} else if s == 'O' {
			r.Setup.White = append(r.Setup.White, board.Point(p))
		}
	}
	for _, m := range res.Moves {
		at, err := size.ParseVertex(m.Move)
		side, bad := board.ParseColor(m.Color)
		if err != nil || bad != nil {
			return nil
		}
		r.Steps = append(r.Steps, sgf.Step{Move: board.Move{Color: side, Point: at}})
	}
	root := r.Tree()
	g, err := review.Load(root, rules)
	if err != nil || len(g.Moves) != len(res.Moves) {
		return nil
	}
	end, err := g.Position(len(g.Moves))
	if err != nil || review.Stones(end) != res.Positions[len(g.Moves)].Stones {
		return nil
	}
	return root
}
