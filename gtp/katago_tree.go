package gtp

import (
	"fmt"
	"strings"

	"kosumi/board"
)

// log is what KataGo writes about a search that would play a move: the board, the
// effort and the first moves.
func (k *kataServer) log(g *board.Game, at board.Point, took float64) string {
	b := kataBoard(g, at) + "\n" + g.Rules().Text() + "komi" + general(float64(g.Rules().Komi)) + "\nTime taken: " + general(took) + "\n"
	l, ok := k.k.Engine.Line([]board.Point{at})
	if !ok {
		return b
	}
	b += fmt.Sprintf("Root visits: %d\nNew playouts: %d\nPV: %s\nTree:\n", l.Root.Visits, l.Playouts, vertices(g.Size(), l.Root.PV))
	t := treeWriter{size: g.Size(), line: &l, most: 10}
	t.view(k.k.Perspective)
	t.node(&l.Root)
	t.side()
	chosen := board.NoPoint
	if k.k.LogChosen {
		chosen = at
	}
	t.moves(0, chosen)
	return b + strings.TrimRight(t.String(), "\n")
}

// tree writes what is kept of the last search: the position, the moves of a line one
// after the other, and all moves at its end. Without a search it is empty.
func (k *kataServer) tree(branch []board.Point) string {
	l, ok := k.k.Engine.Line(branch)
	if !ok {
		return ""
	}
	t := treeWriter{size: k.engine.Game().Size(), line: &l, most: board.MaxMoves}
	t.view(k.k.Perspective)
	t.node(&l.Root)
	for depth, p := range branch {
		m := l.find(depth, p)
		if m == nil {
			return t.String()
		}
		t.descend(p)
		t.node(m)
	}
	t.side()
	t.moves(len(branch), board.NoPoint)
	return t.String()
}

// find returns a move after the first depth moves of the line, nil if it is not known.
func (l *Line) find(depth int, p board.Point) *MoveAnalysis {
	if depth >= len(l.Moves) {
		return nil
	}
	for i := range l.Moves[depth] {
		if m := &l.Moves[depth][i]; m.Move == p {
			return m
		}
	}
	return nil
}

// treeWriter writes a tree as KataGo does.
type treeWriter struct {
	strings.Builder
	size   board.Size
	line   *Line
	most   int // moves of a position to write
	sign   float64
	seenBy board.Color
	path   []board.Point
}

// view has numbers written from the view of a colour; Empty: of the side to move.
func (t *treeWriter) view(c board.Color) {
	t.sign, t.seenBy = 1, t.line.Color
	if c != board.Empty && c != t.line.Color {
		t.sign, t.seenBy = -1, c
	}
}

func (t *treeWriter) descend(p board.Point) { t.path = append(t.path, p) }

// side names who is to move after the path.
func (t *treeWriter) side() {
	color, mark := t.line.Color, "v"
	if len(t.path)%2 == 1 {
		color = color.Opponent()
	}
	if color == t.seenBy {
		mark = "^"
	}
	fmt.Fprintf(t, "---%s(%s)---\n", colorName(color), mark)
}

// node writes the position after the path.
func (t *treeWriter) node(m *MoveAnalysis) {
	for _, p := range t.path {
		name := t.size.Vertex(p)
		if p == board.Pass {
			name = "pss"
		}
		fmt.Fprintf(t, "%-4s", name+" ")
	}
	s := t.sign
	fmt.Fprintf(t, ": T %6.2fc W %6.2fc S %6.2fc (%+5.1f L %+5.1f) ", 100*s*m.Utility, 100*s*(2*m.Winrate-1), 100*s*m.ScoreUtility, s*m.ScoreSelfplay, s*m.ScoreLead)
	if len(t.path) > 0 {
		fmt.Fprintf(t, "LCB %7.2fc P %5.2f%% WF %5.1f PSV %7.0f ", 100*s*m.UtilityLCB, 100*m.Prior, m.Share, m.Selection)
	}
	fmt.Fprintf(t, "N %7d  --  %s\n", m.Visits, vertices(t.size, m.PV))
}

// moves writes the moves after the first depth moves of the line, the best ones and
// the one that is to be followed, with those after it.
func (t *treeWriter) moves(depth int, follow board.Point) {
	if depth >= len(t.line.Moves) {
		return
	}
	for i := range t.line.Moves[depth] {
		m := &t.line.Moves[depth][i]
		if i >= t.most && m.Move != follow {
			continue
		}
		t.descend(m.Move)
		t.node(m)
		if m.Move == follow && m.EdgeVisits > 0 {
			t.moves(depth+1, board.NoPoint)
		}
		t.path = t.path[:len(t.path)-1]
	}
}
