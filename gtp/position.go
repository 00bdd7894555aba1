package gtp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"

	"kosumi/board"
)

// positionCommands set up the board, play moves and take them back, and show the board.
type positionCommands struct {
	engine Engine
	log    *slog.Logger
	ready  func() error // returns an error if the engine cannot be used
	strict bool         // moves that break a rule are refused
}

func (s *positionCommands) list() []Handler {
	return []Handler{
		{Name: "boardsize", Run: s.boardSize, usage: usage{"SIZE [HEIGHT]", "a new, empty board, 2 to 25 each way", standard}},
		{Name: "rectangular_boardsize", Run: s.boardSize, usage: usage{"WIDTH HEIGHT", "as boardsize, by width and height", byKataGo}},
		{Name: "clear_board", Run: s.clearBoard, usage: usage{"", "takes all stones off and forgets the moves", standard}},
		{Name: "komi", Run: s.komi, args: 1, usage: usage{"KOMI", "points that White gets", standard}},
		{Name: "get_komi", Run: s.getKomi, usage: usage{"", "the komi", byKataGo}},
		{Name: "play", Run: s.play, args: 2, usage: usage{"COLOR VERTEX", "plays a move; ko and superko are the server's business unless --strict-play", standard}},
		{Name: "undo", Run: s.undo, usage: usage{"", "takes the last move back, with its time on both clocks", standard}},
		{Name: "gg-undo", Run: s.undoSeveral, usage: usage{"[N]", "takes N moves back", byGNUGo}},
		{Name: "set_position", Run: s.setPosition, usage: usage{"[COLOR VERTEX]...", "puts stones on an empty board, as a position without moves", byKataGo}},
		{Name: "showboard", Run: s.showBoard, usage: usage{"", "the board as text", standard}},
		{Name: "is_legal", Run: s.isLegal, args: 2, usage: usage{"COLOR VERTEX", "1 or 0", byGNUGo}},
		{Name: "all_legal", Run: s.allLegal, args: 1, usage: usage{"COLOR", "the points where a move is legal", byGNUGo}},
		{Name: "last_move", Run: s.lastMove, usage: usage{"", "colour and vertex of the last move", byGNUGo}},
		{Name: "move_history", Run: s.moveHistory, usage: usage{"", "all moves, the last one first", byGNUGo}},
	}
}

// boardSize takes "9 13", width first; the command boardsize also takes "19" and "9:13".
func (s *positionCommands) boardSize(_ context.Context, c Command, _ *Reply) error {
	args := c.Args
	if len(args) == 1 && c.Name == "boardsize" {
		if w, h, two := strings.Cut(args[0], ":"); two {
			args = []string{w, h}
		} else {
			args = []string{args[0], args[0]}
		}
	}
	if len(args) != 2 {
		return ErrSyntax
	}
	w, errW := parseInt(args[0])
	h, errH := parseInt(args[1])
	if errW != nil || errH != nil {
		return ErrSyntax
	}
	size := board.Size{W: w, H: h}
	if err := s.ready(); err != nil {
		return err
	}
	return Because(ErrSize, s.engine.NewGame(size))
}

func (s *positionCommands) clearBoard(context.Context, Command, *Reply) error {
	if err := s.ready(); err != nil {
		return err
	}
	return s.engine.NewGame(s.engine.Game().Size())
}

// komi rounds to half points with a warning: a failure would end some clients' games.
func (s *positionCommands) komi(_ context.Context, c Command, _ *Reply) error {
	k, err := ParseNumber(c.Args[0])
	if err != nil {
		return err
	}
	rounded := math.Round(k*2) / 2
	if rounded != k {
		s.log.Warn("komi rounded to half points", "komi", k, "rounded", rounded)
	}
	return Because(ErrKomi, s.engine.SetKomi(float32(rounded)))
}

func (s *positionCommands) getKomi(_ context.Context, _ Command, r *Reply) error {
	return r.Printf("%.1f", s.engine.Game().Rules().Komi)
}

func (s *positionCommands) play(_ context.Context, c Command, _ *Reply) error {
	moves, err := parseMoves(s.engine.Game().Size(), c.Args)
	if err != nil {
		return err
	}
	m := moves[0]
	if err := s.acceptable(s.engine.Game(), m); err != nil {
		return Because(ErrIllegalMove, err)
	}
	return Because(ErrIllegalMove, s.engine.Play(m.Color, m.Point))
}

// acceptable refuses a move on a point that is not free, and with Options.Strict any move that
// breaks a rule.
func (s *positionCommands) acceptable(g *board.Game, m board.Move) error {
	err := g.Legal(m.Color, m.Point)
	if m.Point != board.Pass && (s.strict || errors.Is(err, board.ErrOccupied) || errors.Is(err, board.ErrOffBoard)) {
		return err
	}
	return nil // the engine warns of the move
}

func (s *positionCommands) undo(context.Context, Command, *Reply) error {
	return undoMoves(s.engine, 1)
}

func (s *positionCommands) undoSeveral(_ context.Context, c Command, _ *Reply) error {
	n := 1
	if len(c.Args) > 0 {
		var err error
		if n, err = parseInt(c.Args[0]); err != nil || n < 0 {
			return ErrSyntax
		}
	}
	return undoMoves(s.engine, n)
}

func undoMoves(e Engine, n int) error {
	if n == 0 {
		return nil
	}
	if n > e.Game().NumMoves() {
		return errCannotUndo
	}
	return Because(errCannotUndo, e.Undo(n))
}

func (s *positionCommands) setPosition(_ context.Context, c Command, _ *Reply) error {
	return s.setUp(c.Args, board.Black)
}

// setUp replaces the position by stones given as pairs of colour and vertex.
func (s *positionCommands) setUp(args []string, toMove board.Color) error {
	size := s.engine.Game().Size()
	stones, err := parseMoves(size, args)
	if err != nil {
		return err
	}
	var points [3][]board.Point
	for _, m := range stones {
		if m.Point == board.Pass {
			return errVertexList
		}
		points[m.Color] = append(points[m.Color], m.Point)
	}
	return Because(errVertexList, s.engine.Setup(points[board.Black], points[board.White], toMove))
}

func (s *positionCommands) isLegal(_ context.Context, c Command, r *Reply) error {
	g := s.engine.Game()
	moves, err := parseMoves(g.Size(), c.Args)
	answer := "0"
	switch {
	case errors.Is(err, ErrIllegalMove):
	case err != nil:
		return err
	case moves[0].Point == board.Pass || g.Legal(moves[0].Color, moves[0].Point) == nil:
		answer = "1"
	}
	return r.Print(answer)
}

// allLegal lists every legal point on one line, as GNU Go does; pass is not
// among them.
func (s *positionCommands) allLegal(_ context.Context, c Command, r *Reply) error {
	color, err := parseColor(c.Args[0])
	if err != nil {
		return err
	}
	g := s.engine.Game()
	var points []board.Point
	for p := range board.Point(g.Size().Area()) {
		if g.Legal(color, p) == nil {
			points = append(points, p)
		}
	}
	return r.Print(Vertices(g.Size(), points))
}

func Vertices(size board.Size, points []board.Point) string {
	words := make([]string, len(points))
	for i, p := range points {
		words[i] = size.Vertex(p)
	}
	return strings.Join(words, " ")
}

func (s *positionCommands) lastMove(_ context.Context, _ Command, r *Reply) error {
	g := s.engine.Game()
	if g.NumMoves() == 0 {
		return errors.New("no previous move known")
	}
	m := g.LastMove(0)
	return r.Printf("%s %s", m.Color, g.Size().Vertex(m.Point))
}

// moveHistory lists the moves, newest first, as Leela Zero and GNU Go do.
func (s *positionCommands) moveHistory(_ context.Context, _ Command, r *Reply) error {
	g := s.engine.Game()
	for i := range g.NumMoves() {
		m := g.LastMove(i)
		fmt.Fprintf(r, "%s %s\n", m.Color, g.Size().Vertex(m.Point))
	}
	return nil
}
