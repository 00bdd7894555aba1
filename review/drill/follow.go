package drill

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/life"
)

// Limits of the play at a problem of life and death.
const (
	askNodes   = 50_000  // searched positions for one question
	replyNodes = 100_000 // searched positions for all replies
	mostPlayed = 16      // moves of both sides
)

// Turn is the judgement of a move at a problem of life and death. The line of a wrong move
// ends with its refutation.
type Turn struct {
	Answer
	Reply string // to a right move; "": the problem is solved
	Best  string // the right move after Reply, or instead of a wrong move
}

// After returns the game at a problem after moves of both sides in turn. Errors wrap board's.
func (p *Problem) After(moves []string) (*board.Game, error) {
	g, err := p.Position()
	for i := 0; i < len(moves) && err == nil; i++ {
		var at board.Point
		if at, err = g.Size().ParseVertex(moves[i]); err == nil {
			err = g.Play(g.ToMove(), at)
		}
	}
	return g, err
}

// Play judges the last of some moves at a problem of life and death, by both sides in turn, and
// replies as long as a reply exists that needs an answer. A move without a proof is right.
// Errors are board's, the checker's, and ctx's.
func (p *Problem) Play(ctx context.Context, moves []string, opts life.Options) (t Turn, err error) {
	g, err := p.After(moves)
	if err != nil {
		return t, err
	}
	f, n := p.fight(ctx, opts), len(moves)-1
	card, done, failed, err := f.ask(g, g.ToMove())
	if t.Answer = (Answer{Move: moves[n], Accepted: !failed, Line: moves[n:]}); n == 0 {
		t.Answer, t.Best = *p.Answer(moves[0]), p.Answers[0].Move
	}
	switch {
	case err != nil:
	case t.Accepted && done && n+1 < mostPlayed:
		t.Reply, t.Best, err = f.reply(g, card.Zone)
	case !t.Accepted:
		if t.Loss, t.Line = p.Loss, slices.Clone(moves[n:]); failed && len(card.Moves) > 0 && card.Moves[0] != "pass" {
			t.Line = append(t.Line, card.Moves[0])
		}
		if before, _ := p.After(moves[:n]); n > 0 {
			card, _, _, err = f.ask(before, before.ToMove())
			t.Best = append(card.Moves, "")[0]
		}
	}
	return t, err
}

// fight asks about the group of a problem in later positions.
type fight struct {
	*Problem
	ctx            context.Context
	opts           life.Options
	group, assumed []board.Point
	nodes          int64 // searched so far
}

func (p *Problem) fight(ctx context.Context, opts life.Options) *fight {
	f := &fight{Problem: p, ctx: ctx, opts: opts, group: p.vertices(p.Group), assumed: p.vertices(p.Assumed)}
	if start, err := p.Position(); err == nil && len(f.assumed) == 0 {
		q := life.QuestionOf(start)
		f.assumed = life.Surroundings(q.Size, q.Stones, f.group[:1])
	}
	f.opts.Nodes = askNodes
	return f
}

// ask asks about the group with a side to move first. done and failed report whether the
// problem's task is proved to succeed or to fail.
func (f *fight) ask(g *board.Game, first board.Color) (c life.Card, done, failed bool, err error) {
	at, kills := f.group[0], f.Task == Kill
	chain := g.Board().Chain(nil, at)
	if f.Stones[at] != ".XO"[g.At(at)] { // captured
		return c, kills, !kills, nil
	}
	if slices.ContainsFunc(f.assumed, func(p board.Point) bool { return slices.Contains(chain, p) }) {
		return c, !kills, kills, nil
	}
	q := life.QuestionOf(g)
	q.Targets, q.Assumed, f.opts.First = f.group[:1], f.assumed, first
	out, err := life.Ask(f.ctx, q, f.opts)
	if err = cmp.Or(err, f.ctx.Err()); err != nil {
		if errors.Is(err, life.ErrQuestion) { // a stone assumed alive was captured
			err = nil
		}
		return c, false, false, err
	}
	c = *cmp.Or(out.Attacks, out.Defends)
	f.nodes += c.Nodes
	if c.Proved && c.Verdict != life.Repetition {
		done = (c.Verdict == life.Dead) == kills
		failed = !done
	}
	return c, done, failed, nil
}

// reply returns the move in zone that needs an answer and leaves the fewest right answers, with
// one of these; "" if no move needs an answer.
func (f *fight) reply(g *board.Game, zone []string) (reply, answer string, err error) {
	fewest := math.MaxInt
	for _, v := range zone {
		var next board.Game
		next.CopyFrom(g)
		if at, err := g.Size().ParseVertex(v); err != nil || next.Play(g.ToMove(), at) != nil {
			continue
		}
		var c life.Card
		_, done, needed, err := f.ask(&next, g.ToMove())
		if err == nil && needed {
			c, done, _, err = f.ask(&next, next.ToMove())
		}
		if n := len(c.Moves); needed && done && n > 0 && n < fewest && c.Moves[0] != "pass" {
			reply, answer, fewest = v, c.Moves[0], n
		}
		if err != nil || f.nodes > replyNodes {
			return reply, answer, err
		}
	}
	return reply, answer, nil
}
