package life

import (
	"kosumi/board"
	"kosumi/sgf"
)

// mostOfLine is the maximum number of moves that Line returns.
const mostOfLine = 12

// OnlyMove returns the only first move that kills the target or, if kills is false, saves it, and the moves after it
// (see [Answer.Line]). It returns nil unless all other first moves are proved to fail, and the verdict depends on who
// moves first.
func (a *Answer) OnlyMove(kills bool) []board.Point {
	x, d := a.Attacks, a.Defends
	if x == nil || d == nil || !x.Proved || !d.Proved || x.Verdict != Dead || d.Verdict != Alive && d.Verdict != Seki {
		return nil
	}
	c, id := d, a.Defender
	if kills {
		c, id = x, a.Attacker
	}
	if !c.AllMoves || len(c.Moves) != 1 || c.Moves[0] == "pass" {
		return nil
	}
	first, _ := board.ParseColor(id)
	return a.Line(first, c.Moves[0])
}

// Line returns the line of the record that begins with the given move of a side, without passes at its end. In this
// line the losing side resists longest. It returns nil if no line of the record begins with this move.
func (a *Answer) Line(side board.Color, move string) []board.Point {
	size, err := sgf.SizeOf(a.Record)
	if err != nil {
		return nil
	}
	first, err := size.ParseVertex(move)
	if err != nil {
		return nil
	}
	id := ".BW"[side : side+1]
	for _, n := range a.Record.Children {
		if at, err := sgf.ParsePoint(size, n.Get(id)); !n.Has(id) || err != nil || at != first {
			continue
		}
		line := []board.Point{first}
		for next := range n.MainLine() {
			for _, id := range []string{"B", "W"} {
				if at, err := sgf.ParsePoint(size, next.Get(id)); next != n && next.Has(id) && err == nil && len(line) < mostOfLine {
					line = append(line, at)
				}
			}
		}
		for len(line) > 1 && line[len(line)-1] == board.Pass {
			line = line[:len(line)-1]
		}
		return line
	}
	return nil
}
