package life

import (
	"context"
	"strings"
	"time"

	"kosumi/board"
)

// Judge answers questions about the life of stones within a time limit; the answers are text.
type Judge struct {
	Network Network // orders moves, and estimates the chance of life if nothing is proved; nil: none
}

// Life answers whether all chains of the given stones live or, if the argument all is true, whether at least one of
// them does: the opponent must then capture all. The stones have one colour.
func (j Judge) Life(ctx context.Context, g *board.Game, stones []board.Point, all bool, limit time.Duration) (string, error) {
	q := QuestionOf(g)
	q.Targets, q.All = stones, all
	q.Assumed = EnclosedBy(ctx, q, j.Network)
	out, err := Ask(ctx, q, Options{Time: limit, Network: j.Network})
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.Text(), "\n"), nil
}

// Unsettled describes the groups whose life depends on who moves first, a paragraph each.
func (j Judge) Unsettled(ctx context.Context, g *board.Game, limit time.Duration) (string, error) {
	list, err := Unsettled(ctx, QuestionOf(g), Options{Time: limit, Network: j.Network}, nil)
	var texts []string
	for _, a := range list {
		texts = append(texts, strings.TrimSuffix(a.Text(), "\n"))
	}
	return strings.Join(texts, "\n\n"), err
}
