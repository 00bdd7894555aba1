package main

import (
	"context"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/gtp"
	"kosumi/life"
)

var _ gtp.LifeJudge = (*seat)(nil)

// Life answers for the chains of stones with what is proved.
func (s *seat) Life(ctx context.Context, stones []board.Point, all bool, limit time.Duration) (string, error) {
	q := life.QuestionOf(s.Game())
	q.Targets, q.All = stones, all
	q.Assumed = life.Surroundings(q.Size, q.Stones, q.Targets)
	out, err := life.Ask(ctx, q, life.Options{Time: limit})
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.Text(), "\n"), nil
}

// Unsettled lists groups whose life depends on who moves first, blank lines between.
func (s *seat) Unsettled(ctx context.Context, limit time.Duration) (string, error) {
	list, err := life.Unsettled(ctx, life.QuestionOf(s.Game()), life.Options{Time: limit}, nil)
	var texts []string
	for _, a := range list {
		texts = append(texts, strings.TrimSuffix(a.Text(), "\n"))
	}
	return strings.Join(texts, "\n"), err
}
