package engines

import (
	"context"
	"math"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/engine/level"
	"kosumi/search"
	"kosumi/search/thinking"
)

// strictness has the loss from which a teaching game asks the learner to think again, as a multiple
// of the average loss of a move at the opponent's level. A player of that level loses so much once
// in 30, 12 or 5 moves (gentle, usual, strict): losses have a stretched exponential distribution of
// exponent 0.62, as in games of amateurs.
var strictness = map[string]float64{"gentle": 5, "usual": 3, "strict": 1.5}

// KnownStrictness reports whether a strictness exists; the empty one means no teaching.
func KnownStrictness(strict string) bool { return strict == "" || strictness[strict] > 0 }

// leastLoss is the minimum loss, in points, that the learner is warned of.
const leastLoss = 1.5

// Due returns how many points a move may lose before the learner is warned, against an opponent of
// the given level. network is the network's sha256. If the opponent plays at full strength, or no
// losses were measured, Due is leastLoss.
func Due(ladders []level.Ladder, network string, size board.Size, opponent, strict string) float64 {
	rank, err := level.ParseRank(opponent)
	if err != nil {
		return leastLoss
	}
	return max(leastLoss, strictness[strict]*level.PointsLost(ladders, network, size, rank))
}

// Finding is the judgement of a move.
type Finding struct {
	Loss  float64       // points lost, 0 or more
	Error float64       // standard deviation of Loss
	Line  []board.Point // the best continuation after the move
	Best  board.Point   // the best move in the position before the move; NoPoint: not known
}

// Large reports whether the loss exceeds due by more than one standard deviation.
func (f *Finding) Large(due float64) bool { return f.Loss-f.Error > due }

// Bounds of a judgement: visits of its first and second searches, and the time of each.
const (
	firstVisits  = 60
	secondVisits = 240
	searchTime   = 1500 * time.Millisecond
)

// The error of a search's lead is errorScale times the standard deviation of the score, divided by
// the cube root of the visits, as in package review.
const errorScale = 0.35

// Examine compares the positions before and after a move by searches. If the loss may exceed due,
// it searches longer. It leaves the engine at the position after the move.
func Examine(ctx context.Context, e *engine.Engine, before, after *board.Game, handicap int, due float64) (*Finding, error) {
	f, err := compare(ctx, e, before, after, handicap, firstVisits)
	if err != nil || f.Loss <= due/2 {
		return f, err
	}
	return compare(ctx, e, before, after, handicap, secondVisits)
}

// Sound examines the three best moves of a search and returns those whose loss is not large (see
// [Finding.Large]), at most the given number. If there are none, it returns the best move that the
// searches of Examine found.
func Sound(ctx context.Context, e *engine.Engine, g *board.Game, handicap int, found *search.Result, most int, due float64) (sound []board.Point, err error) {
	best := found.Moves[0].Move
	for _, m := range found.Moves[:min(3, len(found.Moves))] {
		after := g.Clone()
		if err := after.Play(g.ToMove(), m.Move); err != nil {
			return nil, err
		}
		f, err := Examine(ctx, e, g, after, handicap, due)
		if err != nil {
			return nil, err
		}
		if f.Large(due) {
			best = f.Best
		} else if sound = append(sound, m.Move); len(sound) == most {
			break
		}
	}
	if len(sound) == 0 {
		sound = append(sound, best)
	}
	return sound, nil
}

func compare(ctx context.Context, e *engine.Engine, before, after *board.Game, handicap int, visits int64) (*Finding, error) {
	was, err := searchPosition(ctx, e, before, handicap, visits)
	if err != nil {
		return nil, err
	}
	is, err := searchPosition(ctx, e, after, handicap, visits)
	if err != nil {
		return nil, err
	}
	f := &Finding{Best: board.NoPoint}
	if len(was.Moves) > 0 {
		f.Best = was.Moves[0].Move
	}
	if len(was.Moves) == 0 || was.Moves[0].Move == after.LastMove(0).Point {
		return f, nil
	}
	f.Loss = max(0, was.Moves[0].Lead+is.Root.Lead) // each lead is that of the side to move
	f.Error = math.Hypot(spread(was), spread(is))
	if len(is.Moves) > 0 {
		f.Line = is.Moves[0].PV
	}
	return f, nil
}

func spread(r *search.Result) float64 {
	return errorScale * r.Root.ScoreStdev / math.Cbrt(float64(max(r.Root.Visits, 1)))
}

// searchPosition searches a position.
func searchPosition(ctx context.Context, e *engine.Engine, g *board.Game, handicap int, visits int64) (*search.Result, error) {
	if err := e.Follow(g, handicap); err != nil {
		return nil, err
	}
	var last *search.Result
	err := e.AnalyzeWithin(ctx, thinking.Request{Color: g.ToMove()}, search.Limits{Visits: visits, Time: searchTime}, func(r *search.Result) { last = r })
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && last == nil {
		last = new(search.Result)
	}
	return last, err
}
