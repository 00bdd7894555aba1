package web

import (
	"context"
	"slices"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/level"
	"kosumi/thinking"
	"kosumi/web/api"
)

// levels lists the strengths that a seat can be set to, the weakest first: the
// ranks that the network, or the one whose ladder stands in for it, really plays
// at on some size of board.
func (s *Server) levels() []api.Level {
	ladders, err := level.Ladders()
	if err != nil {
		s.log.Error("the levels cannot be read", "error", err)
		return nil
	}
	sha := s.conf.Backend.Describe().SHA256
	const firstDan = level.Rank(20)
	var all []api.Level
	for r := level.Lowest; r <= level.Highest; r++ {
		served := func(l level.Ladder) bool {
			at, err := level.Find(ladders, sha, board.Square(l.Size), r)
			return err == nil && at.Served == r
		}
		if slices.ContainsFunc(ladders, served) {
			all = append(all, api.Level{ID: r.String(), Rank: int(r - firstDan)})
		}
	}
	return all
}

func (s *Server) knownLevel(id string) bool {
	return slices.ContainsFunc(s.levels(), func(l api.Level) bool { return l.ID == id })
}

// choose finds the engine's move at the strength of its seat.
func (s *Server) choose(ctx context.Context, e *engine.Engine, c board.Color, seat api.Seat, clocked bool) (thinking.Decision, error) {
	if seat.Level == "" {
		return fullStrength(ctx, e, c, seat, clocked)
	}
	if err := e.SetParams(map[string]string{"level": seat.Level}); err != nil {
		return thinking.Decision{}, err
	}
	return e.GenMove(ctx, thinking.MoveRequest{Color: c})
}
