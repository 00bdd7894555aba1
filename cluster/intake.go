package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"kosumi/train/loop"
	"kosumi/train/selfplay"
)

// job is an upload on its way through the server.
type job struct {
	call  *call
	since time.Time
	offer *Offer
	game  *selfplay.Finished
	busy  bool // the queue is long
}

// check examines uploads until the queue is closed and empty.
func (s *Server) check() {
	for c := s.games.pop(); c != nil; c = s.games.pop() {
		j := &job{call: c, since: time.Now(), busy: s.games.len() > crowded}
		if r := s.examine(j); r != nil {
			s.answer(j, *r)
		} else {
			j.call.data = nil
			s.checked <- j
		}
		s.games.done(c)
	}
}

// answer counts a verdict and sends it to the worker.
func (s *Server) answer(j *job, r receipt) {
	s.mu.Lock()
	who := j.call.who
	w := s.roster.members[who]
	s.tally.count(who, r)
	if r.Verdict == stored {
		s.tally.lag(time.Since(j.since))
	}
	if w != nil {
		w.games.add(r.Verdict)
		if r.Verdict == rejected { // w is nil for a banned worker, so such a worker cannot fill the log
			s.conf.Log.Warn("a game is rejected", "worker", publicName(who), "reason", r.Reason)
		}
	}
	s.mu.Unlock()
	s.conn.reply(j.call.reply, r)
}

// examine unpacks and checks a game. It returns nil if the game can be filed.
func (s *Server) examine(j *job) *receipt {
	who, data := j.call.who, j.call.data
	line, packed, found := bytes.Cut(data, []byte("\n"))
	var u upload
	if !found || len(data) > maxGame {
		return &receipt{rejected, fmt.Sprintf("%d bytes that are no game", len(data))}
	}
	if err := unpack(line, &u); err != nil {
		return &receipt{rejected, err.Error()}
	}
	s.mu.Lock()
	reason, aside := s.roster.banned[who]
	o := s.leases.find(u.Offer)
	if o != nil {
		copied := *o
		j.offer = &copied
	}
	w := s.roster.members[who]
	s.mu.Unlock()
	switch {
	case aside:
		return &receipt{rejected, "set aside: " + reason}
	case o == nil:
		return &receipt{rejected, "played for work that was not offered, or was offered long ago"}
	case w == nil:
		return &receipt{later, needHello}
	}
	f, err := selfplay.Unmarshal(packed)
	if err == nil {
		err = j.offer.Recipe.Verify(f, j.offer.Seed)
	}
	if err != nil {
		s.ban(who, err)
		return &receipt{rejected, err.Error()}
	}
	j.game = f
	if r := s.known(f.ID); r != nil {
		return r
	}
	if err := s.judge(j, w); err != nil {
		s.ban(who, err)
		return &receipt{rejected, err.Error()}
	}
	return nil
}

// needHello is the reason in a receipt that makes a worker register again.
const needHello = "say hello"

// known returns the receipt for a game that is already filed or too old; nil for others.
func (s *Server) known(id selfplay.ID) *receipt {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases.stored[id] {
		return &receipt{Verdict: duplicate}
	}
	if id.Number < s.leases.disk.Closed {
		return &receipt{rejected, "too late: games of its time have left the window"}
	}
	return nil
}

// file stores checked games in batches and answers the uploads of a batch when its games are synced.
func (s *Server) file() {
	var batch []*job
	var timer <-chan time.Time
	flush := func() {
		s.fileBatch(batch)
		batch, timer = batch[:0], nil
	}
	for {
		select {
		case j, open := <-s.checked:
			if !open {
				flush()
				return
			}
			if batch = append(batch, j); len(batch) == 1 {
				timer = time.After(s.conf.Linger)
			}
			if len(batch) >= fileGames {
				flush()
			}
		case <-timer:
			flush()
		}
	}
}

// fileBatch files the games of each offer together.
func (s *Server) fileBatch(batch []*job) {
	byOffer := map[string][]*job{}
	seen := map[selfplay.ID]bool{}
	for _, j := range batch {
		if r := s.known(j.game.ID); r != nil {
			s.answer(j, *r)
			continue
		}
		if seen[j.game.ID] {
			s.answer(j, receipt{later, "the same game is being filed"})
			continue
		}
		seen[j.game.ID] = true
		byOffer[j.offer.ID] = append(byOffer[j.offer.ID], j)
	}
	for _, jobs := range byOffer {
		s.fileOffer(jobs)
	}
}

func (s *Server) fileOffer(jobs []*job) {
	o := jobs[0].offer
	games := make([]*selfplay.Finished, len(jobs))
	for i, j := range jobs {
		games[i] = j.game
	}
	faults, err := s.conf.Host.File(loop.Work{Network: o.Network, SHA256: o.SHA256, Seed: o.Seed, Recipe: o.Recipe}, games)
	if err != nil {
		s.conf.Log.Error("games cannot be filed; their workers keep them", "games", len(games), "error", err)
		for _, j := range jobs {
			s.answer(j, receipt{later, "the server cannot write: " + err.Error()})
		}
		return
	}
	for i, j := range jobs {
		if faults[i] != nil {
			s.answer(j, receipt{rejected, faults[i].Error()})
			continue
		}
		s.mu.Lock()
		s.leases.settle(selfplay.Filed{ID: j.game.ID, More: j.game.More})
		s.mu.Unlock()
		s.answer(j, receipt{Verdict: stored})
	}
}

// judge evaluates three positions of a game again. Games of random moves are derived again from
// their numbers: a worker's first eight, then one in eight. While the queue is long, only one
// game in eight is checked.
func (s *Server) judge(j *job, w *member) error {
	random := j.offer.Recipe.Search.Method == selfplay.Random
	if n := w.judged.Add(1); n%8 != 0 && (j.busy || random && n > 8) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if random {
		same, err := j.offer.Recipe.Derive(ctx, j.game, j.offer.Seed)
		switch {
		case err != nil:
			s.conf.Log.Error("a game cannot be checked", "error", err)
		case !same:
			return errors.New("a game of random moves is not the one that its number makes")
		}
		return nil
	}
	judge := s.judges.of(j.offer.SHA256)
	if judge == nil {
		return nil // the network is no longer open
	}
	defer judge.users.Done()
	n, off, err := j.offer.Recipe.Recheck(ctx, j.game, j.offer.Seed, judge.eval, 3)
	if err != nil {
		s.conf.Log.Error("a game cannot be checked", "error", err)
		return nil
	}
	return w.assess(n, off, s.tolerance(w))
}
