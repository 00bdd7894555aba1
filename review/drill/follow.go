package drill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"kosumi/board"
	"kosumi/life"
	"kosumi/review"
)

// Limits for playing through a problem of life and death.
const (
	askNodes   = 50_000  // maximum number of positions searched for one question to the solver
	replyNodes = 100_000 // maximum number of positions searched to find a reply
	mostPlayed = 16      // maximum number of moves of both sides together
)

// Judge judges moves that a problem does not list.
type Judge struct {
	Life   life.Options
	Search func(context.Context, *board.Game) (*review.Eval, error)
}

// Turn is the judgement of a move. The line of a wrong move continues with its refutation.
type Turn struct {
	Answer
	Reply string // the reply to a right move; "": the problem is solved
	Best  Answer // the right answer to Reply, or the right move if the move was wrong; its Move is "" if unknown
	Text  string // the author's comment on the move
}

// After returns the position of a problem after moves by both sides in turn. Its errors wrap those
// of package board.
func (p *Problem) After(moves []string) (*board.Game, error) {
	g, err := p.Position()
	for i := 0; i < len(moves) && err == nil; i++ {
		g, err = after(g, moves[i])
	}
	return g, err
}

func after(g *board.Game, move string) (*board.Game, error) {
	next := new(board.Game)
	next.CopyFrom(g)
	at, err := g.Size().ParseVertex(move)
	if err == nil {
		err = next.Play(g.ToMove(), at)
	}
	return next, err
}

// Continues reports whether a problem may ask for more than one move.
func (p *Problem) Continues() bool { return p.Task != "" || p.answers != nil }

// Play judges the last of some moves, played by both sides in turn, and replies as long as the
// solution has more moves. After the first move of a problem of life and death, a move is right
// unless it is proved to fail. Errors are those of package board, the judge and ctx.
func (p *Problem) Play(ctx context.Context, moves []string, j Judge) (t Turn, err error) {
	before, err := p.After(moves[:len(moves)-1])
	if err != nil {
		return t, err
	}
	switch {
	case p.answers != nil:
		t, err = p.playTree(ctx, moves, before, j)
	case p.Task != "":
		return p.playLife(ctx, moves, j.Life)
	case len(moves) > 1:
		return t, fmt.Errorf("problem %s asks for one move", p.ID)
	default:
		t.Best = p.Answers[0]
		if a := p.Answer(moves[0]); a != nil {
			t.Answer = *a
		} else {
			t.Answer, err = j.compare(ctx, before, t.Best.Move, moves[0], p.Loss)
		}
	}
	if err == nil && !t.Accepted && len(t.Line) < 2 {
		j.refute(ctx, before, &t.Answer)
	}
	return t, cmp.Or(err, ctx.Err())
}

// playLife does the work of Play for a problem of life and death.
func (p *Problem) playLife(ctx context.Context, moves []string, opts life.Options) (t Turn, err error) {
	g, err := p.After(moves)
	if err != nil {
		return t, err
	}
	f, n := p.fight(ctx, opts), len(moves)-1
	found, done, failed, err := f.ask(g, g.ToMove())
	if t.Answer = (Answer{Move: moves[n], Accepted: !failed, Line: moves[n:]}); n == 0 {
		t.Answer, t.Best = *p.Answer(moves[0]), p.Answers[0]
	}
	switch {
	case err != nil:
	case t.Accepted && done && n+1 < mostPlayed:
		t.Reply, t.Best, err = f.reply(g, found.Zone)
	case !t.Accepted:
		t.Loss = p.Loss
		if t.Line = moves[n:]; failed {
			t.Line = append(slices.Clone(moves[n:]), found.line(g.Size(), g.ToMove())...)
		}
		if before, _ := p.After(moves[:n]); n > 0 {
			found, _, _, err = f.ask(before, before.ToMove())
			if t.Best = (Answer{Accepted: true, Line: found.line(g.Size(), before.ToMove())}); len(t.Best.Line) > 0 {
				t.Best.Move = t.Best.Line[0]
			}
		}
	}
	return t, err
}

// compare judges a move by searches of the positions after it and after the best move. lost is the
// loss of the problem's mistake, in points; 0: the problem has no mistake.
func (j Judge) compare(ctx context.Context, start *board.Game, best, move string, lost float64) (a Answer, err error) {
	var evals [2]*review.Eval
	for i, v := range []string{best, move} {
		g, err := after(start, v)
		if err == nil {
			evals[i], err = j.Search(ctx, g)
		}
		if err != nil {
			return a, err
		}
	}
	sign := review.Sign(start.ToMove().String()[:1])
	a = Answer{Move: move, Loss: review.Round(max(0, sign*(evals[0].Lead-evals[1].Lead)), 2), WinrateLoss: review.Round(max(0, sign*(evals[0].Winrate-evals[1].Winrate)), 4), Line: []string{move}}
	a.Accepted = Accepts(a.Loss, a.WinrateLoss, lost)
	if len(evals[1].Moves) > 0 {
		a.Line = append(a.Line, evals[1].Moves[0].Line...)
	}
	return a, nil
}

// refute continues the line of a wrong move with the best answer to it, if a search finds one.
func (j Judge) refute(ctx context.Context, start *board.Game, a *Answer) {
	a.Line = []string{a.Move}
	g, err := after(start, a.Move)
	if err != nil || j.Search == nil {
		return
	}
	if e, err := j.Search(ctx, g); err == nil && len(e.Moves) > 0 {
		a.Line = append(a.Line, e.Moves[0].Line...)
	}
}

// fight asks the solver about the group of a problem in later positions.
type fight struct {
	*Problem
	ctx            context.Context
	opts           life.Options
	group, assumed []board.Point
	nodes          int64 // positions searched so far
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

// found is the solver's answer about a group, given which side moves first.
type found struct {
	life.Card
	answer *life.Answer
}

// line returns the best move of the side that moves first and the longest resistance to it,
// without passes at the end; nil if no move is needed or none is known.
func (c *found) line(size board.Size, first board.Color) (line []string) {
	if c.answer == nil || len(c.Moves) == 0 || c.Moves[0] == "pass" {
		return nil
	}
	for _, at := range c.answer.Line(first, c.Moves[0]) {
		line = append(line, size.Vertex(at))
	}
	if line == nil {
		return c.Moves[:1]
	}
	return line
}

// ask asks the solver what happens to the group if a given side moves first. done and failed report
// whether the problem's task is proved to succeed or to fail.
func (f *fight) ask(g *board.Game, first board.Color) (c found, done, failed bool, err error) {
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
	c = found{*cmp.Or(out.Attacks, out.Defends), out}
	f.nodes += c.Nodes
	if c.Proved && c.Verdict != life.Repetition {
		done = (c.Verdict == life.Dead) == kills
		failed = !done
	}
	return c, done, failed, nil
}

// reply returns the move in zone after which the fewest answers are right, and one of these
// answers; "" if no move in zone needs an answer.
func (f *fight) reply(g *board.Game, zone []string) (reply string, answer Answer, err error) {
	fewest := math.MaxInt
	for _, v := range zone {
		next, err := after(g, v)
		if err != nil {
			continue
		}
		var c found
		_, done, needed, err := f.ask(next, g.ToMove())
		if err == nil && needed {
			c, done, _, err = f.ask(next, next.ToMove())
		}
		if n := len(c.Moves); needed && done && n > 0 && n < fewest && c.Moves[0] != "pass" {
			reply, answer, fewest = v, Answer{Move: c.Moves[0], Accepted: true, Line: c.line(g.Size(), next.ToMove())}, n
		}
		if err != nil || f.nodes > replyNodes {
			return reply, answer, err
		}
	}
	return reply, answer, nil
}
