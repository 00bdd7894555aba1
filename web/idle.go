package web

import (
	"time"
)

// Times after which nobody is there any more.
const (
	// aloneFor is how long a game's clock runs, and its engine is kept, with no
	// page that watches it.
	aloneFor = 30 * time.Second
	// sleptFor is the gap between the wall clock and the process's own that
	// means that the machine was asleep.
	sleptFor = 5 * time.Second
	// stoodFor is for how long the program has not run, though its clock has, if it
	// was stopped, or the virtual machine around it was.
	stoodFor = 15 * time.Second
)

// slept reports whether the machine, or the program, stood still between two looks.
func slept(last, now time.Time) bool {
	ran := now.Sub(last)
	return now.Round(0).Sub(last.Round(0))-ran > sleptFor || ran > stoodFor
}

// leaveIdle stops the clocks of games that nobody watches, or that the machine
// has slept through, and lets go of engines and documents that nobody needs. It is called
// twice a second.
func (s *Server) leaveIdle() {
	now := time.Now()
	var gap time.Duration // that nobody is to pay for
	if !s.lastLook.IsZero() && slept(s.lastLook, now) {
		gap = now.Sub(s.lastLook)
	}
	s.lastLook = now
	s.mu.Lock()
	seen := map[string]bool{}
	for c := range s.conns {
		c.mu.Lock()
		for _, t := range c.topics {
			seen[t] = true
		}
		c.mu.Unlock()
	}
	pages := len(s.conns)
	games := make([]*game, 0, len(s.games))
	for _, g := range s.games {
		games = append(games, g)
	}
	s.mu.Unlock()
	if pages > 0 {
		s.lastAlone = time.Time{}
	} else if s.lastAlone.IsZero() {
		s.lastAlone = now
	}
	s.leaveDocs(now, seen)
	s.reviews.attend(pages == 0 && now.Sub(s.lastAlone) > aloneFor)
	for _, g := range games {
		g.lookAfter(now, seen["game:"+g.head.ID], gap)
	}
}

// lookAfter stops the clock of a game that nobody watches, or that stood still for a
// gap, which does not count.
func (g *game) lookAfter(now time.Time, watched bool, gap time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if watched {
		g.alone = time.Time{}
	} else if g.alone.IsZero() {
		g.alone = now
	}
	running := g.phase == phasePlay && !g.ran.IsZero() && !g.removed
	why := ""
	switch {
	case running && gap > 0:
		why = "sleep"
		g.ran = g.ran.Add(min(gap, now.Sub(g.ran)))
	case running && !watched && now.Sub(g.alone) > aloneFor:
		why = "alone"
	}
	if why != "" {
		g.owe(func() error { return g.halt(why) })
		g.goOn()
	}
	if !watched && g.thinks == nil && now.Sub(g.alone) > aloneFor {
		g.leaveSeat()
	}
}
