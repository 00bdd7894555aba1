package gtp

import (
	"context"
	"errors"
	"time"

	"kosumi/board"
)

// moveCommands ask for a move. Input ends only the cancellable ones.
func (s *Server) moveCommands() []handler {
	return []handler{
		{name: "genmove", run: s.genMove(MoveRequest{})},
		{name: "reg_genmove", run: s.genMove(MoveRequest{Keep: true, Deterministic: true})},
		{name: "kata-search", run: s.genMove(MoveRequest{Keep: true})},
		{name: "kata-search_cancellable", run: s.genMove(MoveRequest{Keep: true}), byInput: true},
	}
}

// genMove is a handler for a command with a colour as its one argument and a
// move as its reply.
func (s *Server) genMove(r MoveRequest) HandlerFunc {
	return func(ctx context.Context, c Command, reply *Reply) error {
		if len(c.Args) != 1 {
			return errSyntax
		}
		color, err := parseColor(c.Args[0])
		if err != nil {
			return err
		}
		r := r
		r.Color = color
		move, err := s.think(ctx, r)
		if err != nil {
			return err
		}
		_, err = reply.WriteString(move)
		return err
	}
}

// think has the engine choose a move and returns the text of the answer:
// a vertex, "resign", or "cancelled" if input ended the search.
func (s *Server) think(ctx context.Context, r MoveRequest) (string, error) {
	size := s.engine.Game().Size()
	began := time.Now()
	m, err := s.engine.GenMove(ctx, r)
	s.thought += time.Since(began)
	switch {
	case r.Keep && errors.Is(context.Cause(ctx), errInput):
		return "cancelled", nil
	case err != nil:
		return "", err
	case m.Resign:
		return "resign", nil
	case m.Point != board.Pass && !size.Contains(m.Point):
		return "", errors.New("the engine found no move")
	}
	return size.Vertex(m.Point), nil
}
