package engine

import (
	"context"
	"slices"

	"kosumi/board"
	"kosumi/search"
)

// beforePass returns a move to play before passing, or the pass. If cleansUp says so, it captures
// dead stones in sure territory. With cleanup it captures every dead stone.
func (j *judge) beforePass(ctx context.Context, g *board.Game, result *search.Result, cleanup, hurried bool) board.Point {
	if !cleanup && !j.cleansUp(ctx, g, hurried) {
		return board.Pass
	}
	us := g.ToMove()
	if p := bestOf(g, result, sureCaptures(g, us)); p != board.NoPoint {
		return p
	}
	if !cleanup {
		return board.Pass
	}
	found, err := j.chains(ctx, g)
	if err != nil {
		j.log.Warn("dead stones could not be judged before passing", "error", err)
		return board.Pass
	}
	if p := bestOf(g, result, libertiesOf(g, found.dead, us.Opponent())); p != board.NoPoint {
		return p
	}
	return board.Pass
}

// cleansUp reports whether dead stones must be captured before a pass. Unless settings decide, that
// is so under area scoring if the players will not agree on dead stones, a chain is in doubt, or the
// clock leaves no time to judge chains (hurried).
func (j *judge) cleansUp(ctx context.Context, g *board.Game, hurried bool) bool {
	switch {
	case j.cfg.CleanUp == Always:
		return !g.HasButton()
	case j.cfg.CleanUp == Never || j.cfg.FriendlyPass == Always:
		return false
	}
	return g.Rules().Scoring == board.ScoringArea && (hurried || !j.agreed(ctx, g))
}

// agreed reports whether both players will agree on the dead stones after the game: the rules
// allow it, and no chain is in doubt.
func (j *judge) agreed(ctx context.Context, g *board.Game) bool {
	if !g.Rules().FriendlyPassOk {
		return false
	}
	found, err := j.chains(ctx, g)
	if err != nil && ctx.Err() != nil {
		return false // no time is left, so cleansUp reports the same as if hurried
	}
	if err != nil {
		j.log.Warn("dead stones could not be judged before passing", "error", err)
	}
	return err != nil || len(found.open) == 0
}

// sureCaptures returns the empty points in the pass-alive area of side us that touch the opponent's
// stones.
func sureCaptures(g *board.Game, us board.Color) []board.Point {
	b := g.Board()
	alive := b.PassAlive(nil, g.Rules().Suicide)
	var points []board.Point
	for p := range board.Point(b.Size().Area()) {
		if b.At(p) == board.Empty && alive[p] == us && slices.ContainsFunc(b.Neighbors(p), func(q board.Point) bool { return b.At(q) == us.Opponent() }) {
			points = append(points, p)
		}
	}
	return points
}

// libertiesOf returns the liberties of the given stones of colour c, each once.
func libertiesOf(g *board.Game, stones []board.Point, c board.Color) []board.Point {
	b := g.Board()
	var points []board.Point
	for _, s := range stones {
		for _, q := range b.Neighbors(s) {
			if b.At(s) == c && b.At(q) == board.Empty && !slices.Contains(points, q) {
				points = append(points, q)
			}
		}
	}
	return points
}

// bestOf returns the legal point with the most visits in the search or, among equals, the highest
// prior; NoPoint if none is legal. Moves that lose stones without a capture come last.
func bestOf(g *board.Game, result *search.Result, points []board.Point) board.Point {
	best, bestScore := board.NoPoint, -1.0
	for _, p := range points {
		if g.Legal(g.ToMove(), p) != nil {
			continue
		}
		score := 0.0
		if i := g.Size().Index(p); i < len(result.Policy) {
			score = max(float64(result.Policy[i]), 0)
		}
		if m := result.Move(p); m != nil {
			score += float64(m.EdgeVisits)
		}
		if !givesAway(g.Board(), g.ToMove(), p) {
			score += 1e12
		}
		if score > bestScore {
			best, bestScore = p, score
		}
	}
	return best
}

// givesAway reports whether a stone of c at p captures nothing and can be
// captured at once.
func givesAway(b *board.Board, c board.Color, p board.Point) bool {
	work := board.NewBoard(b.Size())
	work.CopyFrom(b)
	return work.Play(c, p) == 0 && (work.At(p) != c || work.Liberties(p) == 1)
}
