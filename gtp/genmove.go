package gtp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kosumi/board"
	"kosumi/thinking"
)

// moveCommands ask for a move. Input ends only the cancellable ones.
func (s *Server) moveCommands() []handler {
	return []handler{
		{name: "genmove", run: s.genMove(thinking.MoveRequest{})},
		{name: "reg_genmove", run: s.genMove(thinking.MoveRequest{Keep: true, Deterministic: true})},
		{name: "kata-search", run: s.genMove(thinking.MoveRequest{Keep: true})},
		{name: "kata-search_cancellable", run: s.genMove(thinking.MoveRequest{Keep: true}), byInput: true},
	}
}

// genMove is a handler for a command with a colour as its one argument and a
// move as its reply.
func (s *Server) genMove(r thinking.MoveRequest) HandlerFunc {
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
func (s *Server) think(ctx context.Context, r thinking.MoveRequest) (string, error) {
	size := s.engine.Game().Size()
	began := time.Now()
	var found *thinking.Analysis
	if s.opts.Chat != nil && !r.Keep {
		found = s.listen(&r)
	}
	m, err := s.engine.GenMove(ctx, r)
	s.thought += time.Since(began)
	if found != nil && found.Root.Visits > 0 && err == nil && !m.Resign {
		s.chat(size, found, m.Point)
	}
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

// listen has the engine report what it finds, for the chat.
func (s *Server) listen(r *thinking.MoveRequest) *thinking.Analysis {
	found := &thinking.Analysis{}
	report := r.Report
	r.Report = func(a *thinking.Analysis) {
		*found = *a
		if report != nil {
			report(a)
		}
	}
	return found
}

// chat says what a search thinks of a move in the words that bridges to OGS look
// for on stderr: gtp2ogs shows lines that begin with MALKOVICH: in the game's chat.
func (s *Server) chat(size board.Size, a *thinking.Analysis, p board.Point) {
	s.opts.Chat("MALKOVICH:" + s.opinion(size, a, p))
}

// opinion is what a search thinks of a move, on one line.
func (s *Server) opinion(size board.Size, a *thinking.Analysis, p board.Point) string {
	pv, most := vertices(size, []board.Point{p}), 14
	if k := s.opts.KataGo; k != nil {
		a, most = (&kataServer{Server: s, k: k}).seen(a), k.PVLen+1
	}
	for _, m := range a.Moves {
		if m.Move == p && len(m.PV) > 0 {
			pv = vertices(size, m.PV[:min(len(m.PV), most)])
		}
	}
	return fmt.Sprintf("Visits %d Winrate %.2f%% ScoreLead %.1f ScoreStdev %.1f PV %s",
		a.Root.Visits, 100*a.Root.Winrate, tenths(a.Root.Lead), a.Root.ScoreStdev, pv)
}
