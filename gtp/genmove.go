package gtp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"kosumi/board"
	"kosumi/search/thinking"
)

// Mover asks the engine for moves, for every command that needs one, and sums the time spent.
type Mover struct {
	engine  Engine
	chat    *Chat
	thought time.Duration
}

// Chat shows each searched move to people who watch the game.
type Chat struct {
	// Say, if not nil, is given a line about the move. Bridges to game servers post it in the game's chat.
	Say func(line string)
	// View, if not nil, converts an analysis to the form that people see.
	View func(*thinking.Analysis) *thinking.Analysis
	// Moves is how many moves of a variation are shown; 0 means 14.
	Moves int
}

// Thought is the time spent on generating moves so far.
func (s *Mover) Thought() time.Duration { return s.thought }

// list returns the commands that ask for a move. New input ends only kata-search_cancellable.
func (s *Mover) list() []Handler {
	return []Handler{
		{Name: "genmove", Run: s.genMove(thinking.MoveRequest{}), args: 1, usage: usage{"COLOR", "chooses a move and plays it; a vertex, pass or resign", standard}},
		{Name: "reg_genmove", Run: s.genMove(thinking.MoveRequest{Keep: true, Deterministic: true}), args: 1, usage: usage{"COLOR", "chooses a move without playing it, always the best one", standard}},
		{Name: "kata-search", Run: s.genMove(thinking.MoveRequest{Keep: true}), args: 1, usage: usage{"COLOR", "chooses a move as genmove does without playing it", byKataGo}},
		{Name: "kata-search_cancellable", Run: s.genMove(thinking.MoveRequest{Keep: true}), ByInput: true, args: 1, usage: usage{"COLOR", "as kata-search; any input ends it", byKataGo}},
	}
}

// genMove is a handler for a command with a colour as its one argument and a
// move as its reply.
func (s *Mover) genMove(r thinking.MoveRequest) HandlerFunc {
	return func(ctx context.Context, c Command, reply *Reply) error {
		color, err := parseColor(c.Args[0])
		if err != nil {
			return err
		}
		r := r
		r.Color = color
		move, err := s.Think(ctx, r)
		if err != nil {
			return err
		}
		return reply.Print(move)
	}
}

// Think asks the engine for a move and returns the text of the answer:
// a vertex, "resign", or "cancelled" if input ended the search.
func (s *Mover) Think(ctx context.Context, r thinking.MoveRequest) (string, error) {
	size := s.engine.Game().Size()
	began := time.Now()
	var found *thinking.Analysis
	if s.chat.Say != nil && !r.Keep {
		found = Listen(&r)
	}
	m, err := s.engine.GenMove(ctx, r)
	s.thought += time.Since(began)
	if found != nil && found.Root.Visits > 0 && err == nil && !m.Resign {
		// gtp2ogs shows lines that begin with MALKOVICH: in the game's chat
		s.chat.Say("MALKOVICH:" + s.chat.Opinion(size, found, m.Point))
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

// Listen returns an analysis that is overwritten by each report that the search makes for r.
func Listen(r *thinking.MoveRequest) *thinking.Analysis {
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

// Opinion describes a searched move on one line, in the form that bridges to OGS parse.
func (c *Chat) Opinion(size board.Size, a *thinking.Analysis, p board.Point) string {
	pv, most := Vertices(size, []board.Point{p}), cmp.Or(c.Moves, 14)
	if c.View != nil {
		a = c.View(a)
	}
	for _, m := range a.Moves {
		if m.Move == p && len(m.PV) > 0 {
			pv = Vertices(size, m.PV[:min(len(m.PV), most)])
		}
	}
	return fmt.Sprintf("Visits %d Winrate %.2f%% ScoreLead %.1f ScoreStdev %.1f PV %s",
		a.Root.Visits, 100*a.Root.Winrate, tenths(a.Root.Lead), a.Root.ScoreStdev, pv)
}
