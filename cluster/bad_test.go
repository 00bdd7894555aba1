package cluster

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/train/selfplay"
)

// TestBadWorkers runs broken and hostile workers: each is banned with a reason, and none of its
// games is filed.
func TestBadWorkers(t *testing.T) {
	t.Parallel()
	type spoil func(f *selfplay.Finished)
	by := func(e nn.Evaluator) func(c *WorkerConfig) { return opens(func(string) nn.Evaluator { return e }) }
	for name, bad := range map[string]struct {
		change func(c *WorkerConfig)
		spoil  spoil
		reason string
	}{
		"another network":                 {change: by(stub(t, 4)), reason: "in the exam"},
		"another network behind the exam": {change: by(twoFaced(stub(t, 3), stub(t, 4))), reason: "off by"},
		"protocol to come":                {reason: "update the older"},
		"old protocol":                    {change: func(c *WorkerConfig) { c.Card.Version = "old" }, reason: "update the older"},
		"flipped values": {spoil: func(f *selfplay.Finished) {
			for i := range f.Game.Turns {
				f.Game.Turns[i].RawWinLoss *= -1
			}
		}, reason: "off by"},
		"wrong komi": {change: by(seesKomi(t)), spoil: func(f *selfplay.Finished) {
			f.Game.Start = underRules(t, f, func(r *board.Rules) { r.Komi += 40 })
		}, reason: "game"},
		"wrong rules": {spoil: func(f *selfplay.Finished) {
			f.Game.Start = underRules(t, f, func(r *board.Rules) { r.Scoring = board.ScoringTerritory })
		}, reason: "game"}, // either the game's number gives other rules, or the new rules end the game at another move
		"another seed": {spoil: func(f *selfplay.Finished) { f.Game.Hash[0]++ }, reason: "hash"},
		"an illegal move": {spoil: func(f *selfplay.Finished) {
			for i := range f.Game.Turns {
				f.Game.Turns[i].Move = f.Game.Turns[0].Move
			}
		}, reason: "move"},
		"another number": {spoil: func(f *selfplay.Finished) { f.ID.Number += 1 << 20 }, reason: "hash"},
		"many visits":    {spoil: func(f *selfplay.Finished) { f.Game.Turns[0].Visits = 5000 }, reason: "visits"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, newFolder(1<<40))
			w := s.worker(t.TempDir(), bad.change)
			switch name {
			case "old protocol":
				w.conf.Card.Protocol = [2]int{0, 0}
			case "protocol to come":
				w.conf.Card.Protocol = [2]int{Protocol + 1, Protocol + 3}
			case "wrong komi":
				s.server.judges.list[0].eval = seesKomi(t)
			}
			w.spoil = bad.spoil
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := w.Run(ctx)
			require.ErrorIs(t, err, ErrRefused)
			require.ErrorContains(t, err, bad.reason)
			most := 0
			if name == "flipped values" || name == "wrong komi" {
				most = 9 // a game with fewer than three comparisons is judged only together with nine others
			}
			require.LessOrEqual(t, s.host.count(), most)
			if !strings.Contains(name, "protocol") {
				again, err := NewWorker(WorkerConfig{Conn: w.conf.Conn, Dir: t.TempDir()})
				require.NoError(t, err)
				require.ErrorIs(t, again.Run(ctx), ErrRefused, "it stays out")
				require.Len(t, s.server.Status().Aside, 1)
			}
		})
	}
}

// underRules replays the beginning of a game under changed rules.
func underRules(t testing.TB, f *selfplay.Finished, change func(r *board.Rules)) *board.Game {
	r := f.Game.Start.Rules()
	change(&r)
	g, err := board.NewGame(f.Game.Start.Size(), r)
	require.NoError(t, err)
	for _, m := range f.Game.Start.Moves() {
		require.NoError(t, g.Play(m.Color, m.Point))
	}
	return g
}

// chosen answers each query with the network that a function chooses for it.
type chosen func(q *nn.Query) nn.Evaluator

func (c chosen) Evaluate(ctx context.Context, q *nn.Query, out *nn.Output) error {
	return c(q).Evaluate(ctx, q, out)
}

// twoFaced answers the eight queries of the exam with one network and plays with another.
func twoFaced(first, then nn.Evaluator) nn.Evaluator {
	var n atomic.Int64
	return chosen(func(*nn.Query) nn.Evaluator {
		if n.Add(1) <= 8 {
			return first
		}
		return then
	})
}

// seesKomi uses another network if the komi is extreme.
func seesKomi(t testing.TB) nn.Evaluator {
	near, far := stub(t, 3), stub(t, 4)
	return chosen(func(q *nn.Query) nn.Evaluator {
		if q.Game.Rules().Komi > 25 {
			return far
		}
		return near
	})
}

func TestHostileMessages(t *testing.T) {
	s := newSite(t, newFolder(1<<40))
	conn := s.dial(newKey(t))
	for _, verb := range []string{verbHello, verbLease, verbExam, verbGame, verbNet, verbStatus, verbBeat, verbRelease, verbGate, verbOutcome, "nosuch"} {
		for _, data := range []string{"", "{", "null", "[]", `{"want":-7}`, `{"want":"x"}`, `{"held":[1,-1]}`, `{"id":"1","outcome":{"moves":[-1]}}`, strings.Repeat("x", 300_000)} {
			conn.nats.Request(conn.subject(verb), []byte(data), 5*time.Millisecond)
		}
	}
	require.ErrorIs(t, conn.nats.Publish(conn.subject(verbGame), make([]byte, 1<<30)), nats.ErrMaxPayload)
	_, err := conn.nats.SubscribeSync("kosumi.>")
	require.NoError(t, err)
	require.NoError(t, conn.nats.Flush())
	require.ErrorIs(t, conn.nats.LastError(), nats.ErrPermissionViolation)
	require.Zero(t, s.host.count())
	s.runUntil([]*Worker{s.worker(t.TempDir(), nil)}, func() bool { return s.host.count() >= 4 })

	k := newKey(t)
	wrong, err := nats.Connect("nats://"+s.addr, nats.Token("wrong"), nats.Nkey(k.id, k.pair.Sign))
	require.ErrorIs(t, err, nats.ErrAuthorization)
	require.Nil(t, wrong)
}

// TestRandomGames plays without a network; a worker is banned if its games differ from those that
// their numbers determine.
func TestRandomGames(t *testing.T) {
	s := newSite(t, newFolder(100))
	s.work.Network, s.work.SHA256, s.work.Path = "random", "", ""
	s.work.Recipe.Search.Method = selfplay.Random
	require.NoError(t, s.server.Offer(s.work))
	s.runUntil([]*Worker{s.worker(t.TempDir(), nil)}, func() bool { return s.host.count() >= 100 })
	require.Empty(t, s.server.Status().Aside)

	liar := s.worker(t.TempDir(), nil)
	liar.spoil = func(f *selfplay.Finished) { f.Game.Turns[0].Weight = 3 }
	s.host.most.Store(1 << 40)
	require.ErrorIs(t, liar.Run(t.Context()), ErrRefused)
	require.Contains(t, s.server.Status().Aside[liar.conf.Conn.ID], "its number makes")
}
