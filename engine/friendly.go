package engine

import (
	"context"
	"slices"
	"time"

	"kosumi/board"
	"kosumi/search"
	"kosumi/search/thinking"
)

// friendlyPass returns a pass in place of a move where people would pass. It does so if players agree on dead stones
// after the game, the opponent has just passed, all borders are closed, the move changes nothing (see onlyFills), and
// short searches find a pass no worse. These conditions and their numbers are KataGo's (cpp/program/playutils.cpp),
// except that no chain may be in doubt: if the players disagree on dead stones, all stones count as alive. timed says
// that the preceding search had a time limit.
func (j *judge) friendlyPass(ctx context.Context, g *board.Game, result *search.Result, move board.Point, timed bool) (board.Point, error) {
	rules := g.Rules()
	last := g.LastMove(0)
	wanted := j.cfg.FriendlyPass == Always || j.cfg.FriendlyPass == ByRules && rules.FriendlyPassOk
	if move == board.Pass || !wanted || j.cfg.CleanUp == Always || rules.Scoring != board.ScoringArea || g.HasButton() ||
		last.Point != board.Pass || last.Color != g.ToMove().Opponent() || !g.PassWouldEndPhase() {
		return move, nil
	}
	closed, err := j.onlyFills(ctx, g, move)
	if err != nil || !closed {
		return move, err
	}
	limits := search.Limits{Visits: 8 + min(1000, max(result.Root.Visits, 1)/10)}
	if timed { // without a clock, results must be repeatable
		limits.Time = max(result.Stats.Elapsed/4, 20*time.Millisecond)
	}
	passed, err := j.shortSearch(ctx, g, board.Pass, limits)
	if err != nil {
		return move, err
	}
	played, err := j.shortSearch(ctx, g, move, limits)
	if err != nil {
		return move, err
	}
	// Both results are from the view of the opponent, who moves next.
	if passed.Utility < played.Utility+0.1 && passed.ScoreMean < played.ScoreMean+0.25 && passed.Lead < played.Lead+0.25 {
		return board.Pass, nil
	}
	return move, nil
}

// shortSearch searches the position after a move, on a separate tree.
func (j *judge) shortSearch(ctx context.Context, g *board.Game, move board.Point, l search.Limits) (thinking.Root, error) {
	p := j.cfg.Search
	p.Net.PlayoutDoublingAdvantage = 0
	p.Root.NoiseEnabled, p.Root.WideNoise = false, 0
	p.Pass.Conservative, p.AntiMirror = true, false
	p.Human = p.Human.Alone()
	p.Memory.MaxBytes = shortSearchBytes
	after := g.Clone()
	if err := after.Play(g.ToMove(), move); err != nil {
		return thinking.Root{}, err
	}
	result, err := j.thinker.aside(ctx, p, j.net, after, l)
	return result.Root, err
}

// shortSearchBytes is ample for a thousand visits.
const shortSearchBytes = 32 << 20

// sureOwnership is the ownership above which a point counts as surely owned. [judge.onlyFills] then
// requires that it lies within closed borders.
const sureOwnership = 0.75

// onlyFills reports whether move changes nothing: no chain is in doubt, every surely owned point
// lies within closed borders once dead stones are removed, and the move neither touches a living
// stone of the opponent nor prevents a capture.
func (j *judge) onlyFills(ctx context.Context, g *board.Game, move board.Point) (bool, error) {
	found, err := j.chains(ctx, g)
	if err != nil || len(found.open) > 0 {
		return false, err
	}
	clean, own := withoutStones(g.Board(), found.dead), found.own()
	for p, c := range clean.FullArea(nil, g.Rules().Suicide) {
		if own[p] > sureOwnership && c != board.White || own[p] < -sureOwnership && c != board.Black {
			return false, nil
		}
	}
	for _, q := range clean.Neighbors(move) {
		switch clean.At(q) {
		case g.ToMove().Opponent():
			return false, nil
		case g.ToMove():
			if clean.Liberties(q) == 1 { // after this move the opponent could capture the chain
				return false, nil
			}
		}
	}
	return true, nil
}

func withoutStones(b *board.Board, stones []board.Point) *board.Board {
	var left []board.Move
	for p := range board.Point(b.Size().Area()) {
		if c := b.At(p); c != board.Empty && !slices.Contains(stones, p) {
			left = append(left, board.Move{Color: c, Point: p})
		}
	}
	return board.PlaceStones(b.Size(), left)
}
