package sgf

import (
	"strconv"

	"kosumi/board"
)

// Steps converts moves to steps of a record; comments[i], if there is one, belongs to moves[i].
func Steps(moves []board.Move, comments []string) []Step {
	steps := make([]Step, len(moves))
	for i, m := range moves {
		steps[i].Move = m
		if i < len(comments) {
			steps[i].Comment = comments[i]
		}
	}
	return steps
}

func (r *Record) Moves() []board.Move {
	moves := make([]board.Move, 0, len(r.Steps))
	for _, s := range r.Steps {
		if s.Move.Color != board.Empty {
			moves = append(moves, s.Move)
		}
	}
	return moves
}

// Tree builds the game tree of the record, with everything a reader of FF[4]
// expects at the root. Empty texts are left out.
func (r *Record) Tree() *Node {
	root := &Node{}
	root.Set("FF", "4")
	root.Set("GM", "1")
	root.Set("CA", "UTF-8")
	root.SetText("AP", r.Application)
	root.Set("SZ", formatSize(r.Size))
	if r.HasKomi {
		root.Set("KM", strconv.FormatFloat(r.Komi, 'f', -1, 64))
	}
	if r.Handicap > 0 {
		root.Set("HA", strconv.Itoa(r.Handicap))
	}
	for _, t := range []struct{ id, text string }{
		{"RU", r.Rules}, {"GN", r.Name}, {"EV", r.Event}, {"DT", r.Date},
		{"PB", r.Black.Name}, {"BR", r.Black.Rank}, {"BT", r.Black.Team},
		{"PW", r.White.Name}, {"WR", r.White.Rank}, {"WT", r.White.Team},
		{"RE", r.Result}, {"C", r.Comment},
	} {
		root.SetText(t.id, t.text)
	}
	if r.Setup != nil {
		r.addSetup(root, r.Setup)
	}
	at := root
	for i := range r.Steps {
		at = r.addStep(at, &r.Steps[i])
	}
	return root
}

func (r *Record) addStep(parent *Node, s *Step) *Node {
	n := parent.NewChild()
	if s.Setup != nil {
		r.addSetup(n, s.Setup)
	}
	switch s.Move.Color {
	case board.Black:
		n.Set("B", FormatPoint(r.Size, s.Move.Point))
	case board.White:
		n.Set("W", FormatPoint(r.Size, s.Move.Point))
	}
	addClock(n, s.Black, "BL", "OB")
	addClock(n, s.White, "WL", "OW")
	n.SetText("C", s.Comment)
	return n
}

func (r *Record) addSetup(n *Node, s *Setup) {
	for _, list := range []struct {
		id     string
		points []board.Point
	}{{"AB", s.Black}, {"AW", s.White}, {"AE", s.Empty}} {
		var values []string
		for _, p := range list.points {
			values = append(values, FormatPoint(r.Size, p))
		}
		if values != nil {
			n.Set(list.id, values...)
		}
	}
	switch s.ToMove {
	case board.Black:
		n.Set("PL", "B")
	case board.White:
		n.Set("PL", "W")
	}
}

func addClock(n *Node, c Clock, left, stones string) {
	if !c.Known {
		return
	}
	n.Set(left, strconv.FormatFloat(c.Seconds, 'f', -1, 64))
	if c.Stones > 0 {
		n.Set(stones, strconv.Itoa(c.Stones))
	}
}

// ScoreResult writes a score, White minus Black in points, as RE has it: "B+3.5",
// "W+0.5", "0" for a draw.
func ScoreResult(score float64) string {
	text := strconv.FormatFloat(max(score, -score), 'f', -1, 32) // komi is a float32
	switch {
	case score > 0:
		return "W+" + text
	case score < 0:
		return "B+" + text
	}
	return "0"
}
