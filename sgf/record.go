package sgf

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kosumi/board"
)

// Player describes one player.
type Player struct {
	Name, Rank, Team string
}

// Record is one game of Go: the main line of a game tree and the properties of its root.
// RecordOf reads one, Tree converts it back.
type Record struct {
	// Size of the board; 19x19 by default.
	Size board.Size
	// Komi in points for White (KM), a multiple of 0.5. HasKomi reports whether the
	// file gives one that makes sense.
	Komi    float64
	HasKomi bool
	// Rules is the text of RU; BoardRules interprets it.
	Rules string
	// Handicap is the number of handicap stones, set up or played as Black's first moves; 0 in an
	// even game.
	Handicap int
	// Black and White are the players (PB BR BT, PW WR WT).
	Black, White Player
	// Result is the text of RE: "B+3.5", "W+R", "W+T", "0" (a draw), "Void", "?".
	Result string
	// Name, Event, Date, Application and Comment are GN, EV, DT, AP and the root's C.
	Name, Event, Date, Application, Comment string
	// Setup is the position before the first move; nil if the board is empty and the file does
	// not name the side to move.
	Setup *Setup
	Steps []Step
	// Notes describe in plain sentences what reading repaired, assumed or left out.
	Notes []string
	// Fault is the error about the first point outside the board; nil if there is none. A move
	// outside ends the record, a stone outside is left out. Fault wraps ErrPoint.
	Fault error

	remarks int    // calls of remark
	badKomi string // text of a KM that cannot be used
	placed  bool   // the reader placed the handicap stones
}

func (r *Record) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// remark adds a note about a fault that many nodes may have; after mostNotes calls it only notes that there is more.
func (r *Record) remark(format string, args ...any) {
	switch r.remarks++; {
	case r.remarks <= mostNotes:
		r.note(format, args...)
	case r.remarks == mostNotes+1:
		r.note("There is more of this further on.")
	}
}

// Setup changes a position without a move (AB, AW, AE, PL).
type Setup struct {
	// Black, White and Empty are the points that get or lose a stone. If a point is in several,
	// White takes precedence over Black, and Black over Empty.
	Black, White, Empty []board.Point
	// ToMove is the player to move; Empty if the file does not say.
	ToMove board.Color
}

// Step is one move of the main line, or a set-up in the middle of a game.
type Step struct {
	// Setup changes the position; nil for a move.
	Setup *Setup
	// Move is the move; its Color is Empty when the step is a set-up.
	Move    board.Move
	Comment string
	// Black and White are the clocks after the move.
	Black, White Clock
}

// Clock is one player's time (BL OB, WL OW).
type Clock struct {
	// Known reports whether the file gives a time.
	Known bool
	// Seconds left, never negative.
	Seconds float64
	// Stones left to play in the present overtime period, or periods left; 0
	// when the player is not in overtime.
	Stones int
}

// RecordOf reads the main line of a game tree. It leaves out properties that make no sense,
// with a note; the game ends before a move outside the board. A bad size (ErrSize) and another
// game than Go (ErrNotGo) are errors.
func RecordOf(root *Node) (*Record, error) {
	size, err := SizeOf(root)
	if err != nil {
		return nil, err
	}
	r := &Record{
		Size:   size,
		Rules:  root.SimpleText("RU"),
		Black:  Player{root.SimpleText("PB"), root.SimpleText("BR"), root.SimpleText("BT")},
		White:  Player{root.SimpleText("PW"), root.SimpleText("WR"), root.SimpleText("WT")},
		Result: strings.TrimSpace(root.SimpleText("RE")),
		Name:   root.SimpleText("GN"), Event: root.SimpleText("EV"), Date: root.SimpleText("DT"),
		Application: root.SimpleText("AP"), Comment: root.Text("C"),
	}
	r.Notes = append(r.Notes, root.Notes()...)
	r.readLine(root)
	named := r.namedHandicap(root)
	r.readKomi(root, named)
	r.settleHandicap(named)
	return r, nil
}

// StrictRecordOf is RecordOf, but returns [Record.Fault] as an error.
func StrictRecordOf(root *Node) (*Record, error) {
	r, err := RecordOf(root)
	if err == nil {
		err = r.Fault
	}
	return r, err
}

func (r *Record) readLine(root *Node) {
	start := position{size: r.Size}
	number := 0
	for n := range root.MainLine() {
		setup, err := r.setupOf(n)
		if err != nil {
			r.fail(number, err)
			r.remark("Stones to set up are left out: %s.", strings.TrimPrefix(err.Error(), ErrPoint.Error()+": "))
		}
		if err := r.readNode(n, setup, n == root, &start); err != nil {
			r.fail(number, err)
			r.note("The record ends after %s: %s.", r.movesRead(), strings.TrimPrefix(err.Error(), ErrPoint.Error()+": "))
			break
		}
		number++
	}
	r.Setup = start.setup()
}

func (r *Record) fail(node int, err error) {
	if r.Fault == nil {
		r.Fault = fmt.Errorf("node %d: %w", node, err)
	}
}

func (r *Record) movesRead() string {
	n := len(r.Moves())
	if n == 0 {
		return "its set-up"
	}
	return fmt.Sprintf("move %d", n)
}

// readNode adds one node to the record. Set-up before the first move changes the start position;
// later set-up becomes a separate step.
func (r *Record) readNode(n *Node, setup *Setup, isRoot bool, start *position) error {
	if setup != nil && len(r.Steps) == 0 {
		start.apply(setup)
		setup = nil
	}
	before := len(r.Steps)
	if setup != nil {
		r.Steps = append(r.Steps, Step{Setup: setup, Move: board.Move{Point: board.NoPoint}})
	}
	for _, p := range n.Properties {
		color := moveColor(p)
		if color == board.Empty {
			continue
		}
		at, err := ParsePoint(r.Size, p.Values[0])
		if err != nil {
			return fmt.Errorf("%w (%s)", err, p.ID)
		}
		if len(p.Values) > 1 {
			r.remark("%s has %d points in one move; the first was taken.", p.ID, len(p.Values))
		}
		r.Steps = append(r.Steps, Step{Move: board.Move{Color: color, Point: at}})
	}
	if len(r.Steps) > before {
		last := &r.Steps[len(r.Steps)-1]
		last.Black, last.White = clock(n, "BL", "OB"), clock(n, "WL", "OW")
		if !isRoot {
			last.Comment = n.Text("C")
		}
	}
	return nil
}

// moveColor returns the colour of the move in a property, Empty if it is no move.
func moveColor(p Property) board.Color {
	switch {
	case p.ID == "B" && len(p.Values) > 0:
		return board.Black
	case p.ID == "W" && len(p.Values) > 0:
		return board.White
	}
	return board.Empty
}

// setupOf reads the set-up of one node, nil if it has none. The error is about the first
// point outside the board; all points inside are set up.
func (r *Record) setupOf(n *Node) (s *Setup, fault error) {
	for _, p := range n.Properties {
		if p.ID != "AB" && p.ID != "AW" && p.ID != "AE" && p.ID != "PL" {
			continue
		}
		if s == nil {
			s = &Setup{}
		}
		if err := s.add(r.Size, p); err != nil && fault == nil {
			fault = err
		}
	}
	if s != nil && len(s.Black)+len(s.White)+len(s.Empty) == 0 && s.ToMove == board.Empty {
		return nil, fault
	}
	return s, fault
}

// add adds one set-up property; the error is about the first point outside the board. It
// ignores an unreadable PL.
func (s *Setup) add(size board.Size, p Property) (fault error) {
	list := &s.Empty
	switch p.ID {
	case "AB":
		list = &s.Black
	case "AW":
		list = &s.White
	case "PL":
		if len(p.Values) > 0 {
			s.ToMove = playerOf(p.Values[0])
		}
		return nil
	}
	// Points are marked rather than listed, since a file may name every point a million times.
	var marked [board.MaxPoints]bool
	var some []board.Point
	for _, at := range *list {
		marked[at] = true
	}
	for _, v := range p.Values {
		var err error
		if some, err = AppendPoints(some[:0], size, v); err != nil && fault == nil {
			fault = fmt.Errorf("%w (%s)", err, p.ID)
		}
		for _, at := range some {
			marked[at] = true
		}
	}
	*list = (*list)[:0]
	for at, yes := range marked {
		if yes {
			*list = append(*list, board.Point(at))
		}
	}
	return fault
}

// playerOf reads the colour in PL, also FF[3]'s 1 and 2; Empty if it is no colour.
func playerOf(value string) board.Color {
	value = strings.TrimSpace(value)
	switch value {
	case "1":
		return board.Black
	case "2":
		return board.White
	}
	c, err := board.ParseColor(value)
	if err != nil {
		return board.Empty
	}
	return c
}

func clock(n *Node, left, stones string) Clock {
	seconds, err := strconv.ParseFloat(strings.TrimSpace(n.Get(left)), 64)
	if err != nil || math.IsNaN(seconds) || math.IsInf(seconds, 0) {
		return Clock{}
	}
	c := Clock{Known: true, Seconds: max(seconds, 0)}
	if k, err := strconv.Atoi(strings.TrimSpace(n.Get(stones))); err == nil && k > 0 {
		c.Stones = k
	}
	return c
}

// position is a board as the set-up properties leave it.
type position struct {
	size   board.Size
	at     []board.Color // nil until the first set-up
	toMove board.Color
}

func (p *position) apply(s *Setup) {
	if p.at == nil {
		p.at = make([]board.Color, p.size.Area())
	}
	for i, points := range [][]board.Point{s.Empty, s.Black, s.White} {
		for _, at := range points {
			p.at[at] = board.Color(i)
		}
	}
	if s.ToMove != board.Empty {
		p.toMove = s.ToMove
	}
}

func (p *position) stones(c board.Color) []board.Point {
	var points []board.Point
	for i, at := range p.at {
		if at == c {
			points = append(points, board.Point(i))
		}
	}
	return points
}

// setup returns the set-up that makes this position from an empty board; nil if none is needed.
func (p *position) setup() *Setup {
	s := &Setup{Black: p.stones(board.Black), White: p.stones(board.White), ToMove: p.toMove}
	if s.Black == nil && s.White == nil && s.ToMove == board.Empty {
		return nil
	}
	return s
}
