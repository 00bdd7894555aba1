package gtp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"kosumi/board"
)

// LifeJudge proves whether stones of a game live. It answers in several lines of text for people; the
// text of an error becomes the failure reply. When ctx ends, the answer holds the proofs so far.
type LifeJudge interface {
	// Life judges chains of one colour: whether each of them lives or, if all is true, whether the
	// opponent cannot take all of them.
	Life(ctx context.Context, g *board.Game, stones []board.Point, all bool, limit time.Duration) (string, error)
	// Unsettled lists the groups whose life depends on who moves first.
	Unsettled(ctx context.Context, g *board.Game, limit time.Duration) (string, error)
}

// lifeTime is the default time limit of a question.
const lifeTime = 10 * time.Second

func lifeCommands(judge LifeJudge, e Engine) []Handler {
	ask := func(question func(ctx context.Context, judge LifeJudge, g *board.Game, args []string) (string, error)) HandlerFunc {
		return func(ctx context.Context, c Command, r *Reply) error {
			if judge == nil {
				return errNoLife
			}
			text, err := question(ctx, judge, e.Game(), c.Args)
			if err != nil {
				return err
			}
			return r.Print(text)
		}
	}
	return []Handler{
		{Name: "kosumi-life", Run: ask(askLife), usage: usage{"STONE... [any or all] [SECONDS]", "whether stones live, for either side to move first, with proofs: every one of them (any, the default), or at least one (all)", byUs}},
		{Name: "kosumi-life_list", Run: ask(listUnsettled), usage: usage{"[SECONDS]", "the groups whose life is proved to depend on who moves first", byUs}},
	}
}

var errNoLife = errors.New("this engine does not judge life")

// askLife takes stones, the word any or all, and seconds: B2 C4 all 5.
func askLife(ctx context.Context, judge LifeJudge, g *board.Game, args []string) (string, error) {
	var stones []board.Point
	all, limit := false, lifeTime
	for _, word := range args {
		if d, err := timeLimit(word); err == nil {
			limit = d
			continue
		}
		switch word {
		case "any", "all":
			all = word == "all"
			continue
		}
		p, err := g.Size().ParseVertex(word)
		if err != nil || p == board.Pass {
			return "", fmt.Errorf("%q: want stones such as B2, then any or all, then seconds", word)
		}
		if g.At(p) == board.Empty {
			return "", fmt.Errorf("there is no stone on %s", g.Size().Vertex(p))
		}
		stones = append(stones, p)
	}
	if len(stones) == 0 {
		return "", ErrSyntax
	}
	return judge.Life(ctx, g, stones, all, limit)
}

func listUnsettled(ctx context.Context, judge LifeJudge, g *board.Game, args []string) (string, error) {
	limit := lifeTime
	if len(args) > 1 {
		return "", ErrSyntax
	}
	if len(args) == 1 {
		var err error
		if limit, err = timeLimit(args[0]); err != nil {
			return "", err
		}
	}
	return judge.Unsettled(ctx, g, limit)
}

func timeLimit(word string) (time.Duration, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || !(v > 0 && v <= 1e6) {
		return 0, fmt.Errorf("%q: want seconds, more than 0 and up to 1000000", word)
	}
	return Seconds(v), nil
}
