package life

import (
	"context"
	"strings"
	"time"

	"kosumi/board"
)

// Judge answers questions about the life of stones of a game in text for people, with
// what is proved within a limit of time.
type Judge struct {
	Network Network // orders moves, and says what is likely where nothing is proved; nil: none
}

// Life answers for the chains of stones, all of one colour: whether all of them live,
// or with all whether one does.
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

// Unsettled lists the groups whose life depends on who moves first, blank lines between.
func (j Judge) Unsettled(ctx context.Context, g *board.Game, limit time.Duration) (string, error) {
	list, err := Unsettled(ctx, QuestionOf(g), Options{Time: limit, Network: j.Network}, nil)
	var texts []string
	for _, a := range list {
		texts = append(texts, strings.TrimSuffix(a.Text(), "\n"))
	}
	return strings.Join(texts, "\n"), err
}
