package store

import (
	"maps"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// Legal is "1" for each point where the side to move may play, else "0".
func (g *Game) Legal() string {
	area := g.Size().Area()
	b := []byte(strings.Repeat("0", area))
	if g.Phase == Place || g.Phase == Play {
		for i, ok := range g.Board.LegalMoves(nil)[:area] {
			if ok {
				b[i] = '1'
			}
		}
	}
	return string(b)
}

// Count scores the board with the marked stones dead.
func (g *Game) Count() *api.Count {
	rules, b, area := g.Board.Rules(), g.Board.Board(), g.Size().Area()
	c := &api.Count{Judging: !g.Marking.Sure && g.Phase == Counting, Dead: []string{}, Differs: []string{}, Method: "area"}
	var dead []board.Point
	for p := range board.Point(area) {
		if g.Marking.Dead[p] && b.At(p) != board.Empty {
			dead = append(dead, p)
			c.Dead = append(c.Dead, g.Size().Vertex(p))
		}
	}
	owner := g.Board.OwnersWithDead(dead)
	text := make([]byte, area)
	sides := [3]*api.CountSide{nil, &c.Black, &c.White}
	for p, o := range owner {
		if text[p] = ".bw"[o]; o == board.Empty {
			continue
		}
		if b.At(board.Point(p)) == o && !g.Marking.Dead[board.Point(p)] {
			sides[o].Stones++
		} else {
			sides[o].Territory++
		}
	}
	c.Owner = string(text)
	c.Black.Prisoners, c.White.Prisoners = b.Captured(board.White), b.Captured(board.Black)
	for _, p := range dead {
		sides[b.At(p).Opponent()].Prisoners++
	}
	white := float64(g.Board.ScoreWithDead(dead))
	c.Black.Total = float64(c.Black.Stones + c.Black.Territory)
	c.White.Total = float64(c.White.Stones + c.White.Territory)
	if rules.Scoring == board.ScoringTerritory {
		c.Method = "territory"
		c.Black.Total = float64(c.Black.Territory + c.Black.Prisoners)
		c.White.Total = float64(c.White.Territory + c.White.Prisoners)
	}
	c.White.Komi = white - (c.White.Total - c.Black.Total) // komi, and points added by the rules
	c.White.Total += c.White.Komi
	c.Score = -white
	g.compare(c)
	if g.Phase == Counting {
		c.Open = wire.Vertices(g.Size(), g.Marking.Open, len(g.Marking.Open))
	}
	return c
}

// compare lists the stones whose marking differs from the engine's.
func (g *Game) compare(c *api.Count) {
	if !g.Marking.Sure {
		return
	}
	for p := range board.Point(g.Size().Area()) {
		if judged := slices.Contains(g.Marking.Judged, p); judged != g.Marking.Dead[p] {
			if len(c.Differs) == 0 {
				c.Lives = !judged
			}
			c.Differs = append(c.Differs, g.Size().Vertex(p))
		}
	}
}

// Judge stores the stones that the engine considers dead, and those that may live or die. It marks
// the dead ones if nobody has marked any.
func (g *Game) Judge(dead, open []board.Point) {
	m := &g.Marking
	if m.Judged, m.Open, m.Sure = dead, open, true; m.Dead != nil {
		return
	}
	m.Dead = map[board.Point]bool{}
	for _, p := range dead {
		m.Dead[p] = true
	}
}

// Toggle returns the dead stones after marking the group of a stone dead, or alive again. The group
// is all stones of that colour in a region surrounded by living stones of the other colour.
func (g *Game) Toggle(vertex string) (dead []string, err error) {
	p, err := g.Size().ParseVertex(vertex)
	if err != nil || p == board.Pass || g.Board.At(p) == board.Empty {
		return nil, api.RefuseWith("illegal", "board", "there is no stone")
	}
	b, mine, to := g.Board.Board(), g.Board.At(p), !g.Marking.Dead[p]
	group := []board.Point{p}
	seen := map[board.Point]bool{p: true}
	for i := 0; i < len(group); i++ {
		for _, q := range b.Neighbors(group[i]) {
			if !seen[q] && (b.At(q) != mine.Opponent() || to && g.Marking.Dead[q]) {
				seen[q] = true
				group = append(group, q)
			}
		}
	}
	next := map[board.Point]bool{}
	maps.Copy(next, g.Marking.Dead)
	for _, q := range group {
		if b.At(q) == mine {
			next[q] = to
		} else if to {
			delete(next, q) // dead stones of the other colour around the dead group become alive
		}
	}
	for q := range board.Point(g.Size().Area()) {
		if next[q] {
			dead = append(dead, g.Size().Vertex(q))
		}
	}
	return dead, nil
}
