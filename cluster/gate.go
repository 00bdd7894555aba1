package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// gate holds the games of gating matches whose results the loop waits for. Nothing is on disk: after
// a restart the loop plays the match again. The server's lock guards it.
type gate struct {
	games []*gateGame // oldest first
}

// gateGame is a game of a gating match.
type gateGame struct {
	offer   gateOffer
	players map[string]*gateLease // lease of each worker
	failed  map[string]string     // reason of each worker that failed at the game
	alone   int                   // seconds since all workers present had failed at the game; 0 if one may still play it
	done    chan gateOutcome      // capacity 1
}

// gateLease notes when a worker got a game, and when it last reported that it plays the game.
type gateLease struct{ began, seen time.Time }

const (
	gateSilent = 30 * time.Second // silence of a worker after which others get its games
	gateSlow   = 5 * time.Minute  // time after which a second worker gets the game too
)

// Game implements loop.Matches: workers play the game.
func (s *Server) Game(ctx context.Context, g loop.GateGame, a, b string) (loop.GateOutcome, error) {
	e := &gateGame{offer: gateOffer{ID: NewID(), Game: g}, players: map[string]*gateLease{}, failed: map[string]string{}, done: make(chan gateOutcome, 1)}
	boards := []selfplay.BoardShare{g.Board}
	s.mu.Lock()
	if o := s.leases.present(); o != nil {
		boards = o.Recipe.Boards
	}
	s.mu.Unlock()
	var err error
	if e.offer.A, err = s.judges.offer(a, boards); err != nil {
		return loop.GateOutcome{}, err
	}
	if e.offer.B, err = s.judges.offer(b, boards); err != nil {
		return loop.GateOutcome{}, err
	}
	s.mu.Lock()
	s.gate.games = append(s.gate.games, e)
	s.mu.Unlock()
	select {
	case o := <-e.done:
		if o.Error != "" {
			return o.Outcome, errors.New(o.Error)
		}
		return o.Outcome, nil
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate.remove(e)
	return loop.GateOutcome{}, errors.Join(context.Cause(ctx), s.ctx.Err())
}

func (t *gate) remove(e *gateGame) {
	t.games = slices.DeleteFunc(t.games, func(g *gateGame) bool { return g == e })
}

func (t *gate) find(id string) *gateGame {
	for _, e := range t.games {
		if e.offer.ID == id {
			return e
		}
	}
	return nil
}

// handGames gives games of a gating match to a worker.
func (s *Server) handGames(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, w := read[gateRequest](s, c, gateReply{Hello: true, Refused: s.roster.banned[c.who]}); w != nil {
		s.conn.reply(c.reply, s.gate.hand(c.who, r, s.roster, &s.judges, s.conf.Now()))
	}
}

// hand renews the leases of the games that a worker plays and gives it more games, up to an equal
// share of all.
func (t *gate) hand(id string, r *gateRequest, all *roster, js *judges, now time.Time) (reply gateReply) {
	for _, held := range r.Held {
		if t.find(held) == nil {
			reply.Gone = append(reply.Gone, held)
		}
	}
	mine := 0
	for _, e := range t.games {
		p := e.players[id]
		switch {
		case p == nil:
		case slices.Contains(r.Held, e.offer.ID):
			p.seen = now
			mine++
		default: // the reply with the game was lost, or the worker was restarted
			delete(e.players, id)
		}
	}
	workers := max(1, all.heardOf(now.Add(-gateSilent)))
	room := min(r.Want, (len(t.games)+workers-1)/workers-mine)
	for _, e := range t.games {
		if len(reply.Games) >= room || !e.free(id, now) {
			continue
		}
		e.players[id] = &gateLease{now, now}
		reply.Games = append(reply.Games, e.offer)
		for _, f := range []File{e.offer.A, e.offer.B} {
			asked := slices.ContainsFunc(reply.Exams, func(x Exam) bool { return x.SHA256 == f.SHA256 })
			if x := js.exam(f.SHA256); x != nil && !asked && !all.members[id].passed[f.SHA256] {
				reply.Exams = append(reply.Exams, *x)
			}
		}
	}
	return reply
}

// free reports whether a worker may get the game: the worker neither plays it nor has failed at it,
// and all others that play it are silent or slow.
func (e *gateGame) free(id string, now time.Time) bool {
	if e.players[id] != nil || e.failed[id] != "" {
		return false
	}
	for _, p := range e.players {
		if now.Sub(p.seen) < gateSilent && now.Sub(p.began) < gateSlow<<min(len(e.players)-1, 8) {
			return false
		}
	}
	return true
}

// tend ends a game when, for gateSilent, no worker present could play it. It is called once a second.
func (t *gate) tend(all *roster, now time.Time) {
	for _, e := range slices.Clone(t.games) {
		able, why := false, ""
		for id, w := range all.members {
			able = able || e.failed[id] == "" && now.Sub(w.seen) < gateSilent
		}
		for _, why = range e.failed {
			break
		}
		if able || why == "" {
			e.alone = 0
			continue
		}
		if e.alone++; e.alone > int(gateSilent/time.Second) {
			e.done <- gateOutcome{Error: "no worker can play the gating match: " + why}
			t.remove(e)
		}
	}
}

// takeOutcome takes the result of a game of a gating match, or a worker's failure at it.
func (s *Server) takeOutcome(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, w := read[gateOutcome](s, c, receipt{later, needHello}); w != nil {
		s.conn.reply(c.reply, s.outcome(c.who, w, o))
	}
}

// outcome checks what a worker sends for a game. The caller holds mu.
func (s *Server) outcome(who string, w *member, o *gateOutcome) receipt {
	e := s.gate.find(o.ID)
	switch {
	case e == nil:
		return receipt{Verdict: duplicate}
	case e.players[who] == nil:
		return receipt{rejected, "this game was not given to this worker"}
	case o.Error == "" && !(w.passed[e.offer.A.SHA256] && w.passed[e.offer.B.SHA256]):
		delete(e.players, who) // the worker may get the game again, with the exam
		return receipt{rejected, "the exam of a network is missing"}
	case o.Error != "":
		s.conf.Log.Warn("a worker cannot play a game of the gating match", "worker", publicName(who), "reason", o.Error)
		delete(e.players, who)
		e.failed[who] = o.Error
		return receipt{Verdict: stored}
	}
	if err := e.offer.Game.Check(&o.Outcome); err != nil {
		r := receipt{rejected, err.Error()}
		s.tally.count(who, r)
		s.roster.ban(who, fmt.Sprintf("a game of the gating match: %v", err))
		delete(e.players, who)
		return r
	}
	w.games.Gating++
	e.done <- *o
	s.gate.remove(e)
	return receipt{Verdict: stored}
}
