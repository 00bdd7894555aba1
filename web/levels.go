package web

import (
	"context"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/web/api"
)

// levels lists the strengths that a seat can be set to.
func levels() []api.Level { return nil }

func knownLevel(string) bool { return false }

// choose finds the engine's move at the strength of its seat.
func (s *Server) choose(ctx context.Context, e *engine.Engine, c board.Color, seat api.Seat, clocked bool) (engine.Move, error) {
	return fullStrength(ctx, e, c, seat, clocked)
}
