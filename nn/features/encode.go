package features

import "kosumi/board"

// Scratch holds the buffers that encoding needs. One per goroutine.
type Scratch struct {
	past   board.Board
	owners [board.MaxPoints]board.Color
	legal  [board.MaxMoves]bool
	search board.LadderScratch
	memory *Memory
}

// NewScratch returns buffers for boards of any size, with a new Memory.
func NewScratch() *Scratch { return new(Memory).NewScratch() }

// NewScratch returns buffers for boards of any size. Scratches of one Memory share it.
func (m *Memory) NewScratch() *Scratch { return &Scratch{memory: m} }

// Encode writes the planes of g for the side to move into spatial and the global values into
// global: e.Planes()*W*H and e.Globals() values, all of them overwritten. It allocates nothing once
// s has been used, and does not change g.
func Encode(e Encoding, spatial, global []float32, g *board.Game, o Options, s *Scratch) {
	EncodeTurned(e, spatial, global, g, 0, o, s)
}

// EncodeTurned is Encode for the board turned by symmetry k.
func EncodeTurned(e Encoding, spatial, global []float32, g *board.Game, k board.Symmetry, o Options, s *Scratch) {
	area := g.Size().Area()
	w := writer{g: g, b: g.Board(), o: o, s: s, area: area, own: g.ToMove(), opp: g.ToMove().Opponent(),
		turn: board.SymTable(g.Size(), k), spatial: spatial[:e.Planes()*area], global: global[:e.Globals()]}
	clear(w.spatial)
	clear(w.global)
	switch e {
	case V7:
		w.v7()
	case V6:
		w.v6()
	case V3, V4:
		w.v3(e == V4)
	case V5:
		w.v5()
	case Seed22:
		w.seed22()
	case Mini7:
		w.mini7()
	case AGZ17, AGZ17Split:
		w.agz17(e)
	}
}

// writer is the state of one call of Encode or EncodeTurned.
type writer struct {
	g               *board.Game
	b               *board.Board
	o               Options
	s               *Scratch
	area            int
	own, opp        board.Color
	turn            []board.Point // index in the planes, by point of the board
	spatial, global []float32
}

// plane returns one plane of the row.
func (w *writer) plane(i int) []float32 { return w.spatial[i*w.area : (i+1)*w.area : (i+1)*w.area] }

func (w *writer) fill(i int, v float32) {
	for p := range w.plane(i) {
		w.spatial[i*w.area+p] = v
	}
}

// set marks a point of a plane; passes and points off the board are left out.
func (w *writer) set(i int, p board.Point) {
	if p >= 0 && int(p) < w.area {
		w.spatial[i*w.area+int(w.turn[p])] = 1
	}
}

// stones marks the stones of the side to move and of the opponent in two planes.
func (w *writer) stones(own, opp int) {
	a, b := w.plane(own), w.plane(opp)
	for p, q := range w.turn {
		switch w.b.At(board.Point(p)) {
		case w.own:
			a[q] = 1
		case w.opp:
			b[q] = 1
		}
	}
}

// colors marks the points of the side to move and of the opponent in two planes, given the colour
// of each point.
func (w *writer) colors(own, opp int, colors []board.Color) {
	a, b := w.plane(own), w.plane(opp)
	for p, q := range w.turn {
		switch colors[p] {
		case w.own:
			a[q] = 1
		case w.opp:
			b[q] = 1
		}
	}
}

// mini7 writes the seven planes of the smallest networks.
func (w *writer) mini7() {
	w.stones(0, 1)
	w.empty(2)
	w.set(3, w.g.LastMove(0).Point)
	w.set(4, w.g.LastMove(1).Point)
	for p, ok := range w.g.LegalMoves(w.s.legal[:0])[:w.area] {
		if ok {
			w.set(5, board.Point(p))
		}
	}
	if w.own == board.Black {
		w.fill(6, 1)
	}
}

// empty marks the empty points.
func (w *writer) empty(i int) {
	a := w.plane(i)
	for p, q := range w.turn {
		if w.b.At(board.Point(p)) == board.Empty {
			a[q] = 1
		}
	}
}

const (
	agzBoards = 8
	agzBlack  = 2 * agzBoards
)

// agzPlanes returns the indices of the planes that show both sides' stones as of some moves ago.
func agzPlanes(e Encoding, ago int) (own, opp int) {
	if e == AGZ17Split {
		return ago, agzBoards + ago
	}
	return 2 * ago, 2*ago + 1
}

// agz17 writes the last eight boards and the side to move, as in "Mastering the game of Go
// without human knowledge" (Silver et al. 2017, Methods). Planes from before the game are
// empty; a pass repeats the board.
func (w *writer) agz17(e Encoding) {
	if w.own == board.Black {
		w.fill(agzBlack, 1)
	}
	past := &w.s.past
	w.g.PastBoard(past, 0)
	w.b = past
	for ago := range agzBoards {
		w.stones(agzPlanes(e, ago))
		if past.CanUndo() == 0 {
			return
		}
		past.Undo()
	}
}

// Planes of Seed22.
const (
	seedHistory   = 3 // 8 planes, newest first
	seedTurns     = 8
	seedKo        = 11
	seedLiberties = 12 // 6 planes: 1 to 5, and 6 or more
	seedArea      = 18
	seedTerritory = 19
	seedKomi      = 20
	seedBlack     = 21
)

// seed22 writes stones, the changes that the last eight moves made, ko,
// liberties, and the rules.
func (w *writer) seed22() {
	w.stones(0, 1)
	w.empty(2)
	w.seedChanges()
	w.set(seedKo, w.b.KoPoint())
	for p := range w.area {
		if n := w.b.Liberties(board.Point(p)); n > 0 {
			w.set(seedLiberties+min(n, 6)-1, board.Point(p))
		}
	}
	rules := w.g.Rules()
	if rules.Scoring == board.ScoringArea {
		w.fill(seedArea, 1)
	} else {
		w.fill(seedTerritory, 1)
	}
	w.fill(seedKomi, rules.Komi/15)
	if w.own == board.Black {
		w.fill(seedBlack, 1)
	}
}

// seedChanges marks for each of the last moves its point and the stones that it captured.
func (w *writer) seedChanges() {
	n := 0
	for n < seedTurns && w.g.LastMove(n).Point != board.NoPoint {
		n++
	}
	if n == 0 {
		return
	}
	past := &w.s.past
	w.g.PastBoard(past, 0)
	var after [board.MaxPoints]board.Color
	for p := range w.area {
		after[p] = past.At(board.Point(p))
	}
	for i := range n {
		w.set(seedHistory+i, w.g.LastMove(i).Point)
		if past.CanUndo() == 0 {
			return
		}
		captured := past.Captured(board.Black) + past.Captured(board.White)
		past.Undo()
		p := w.g.LastMove(i).Point
		if past.Captured(board.Black)+past.Captured(board.White) == captured {
			if p >= 0 {
				after[p] = past.At(p)
			}
			continue
		}
		plane := w.plane(seedHistory + i)
		for p, q := range w.turn {
			if c := past.At(board.Point(p)); c != after[p] {
				plane[q], after[p] = 1, c
			}
		}
	}
}
