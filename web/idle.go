package web

import "time"

// What happens where nobody is there any more.
const (
	// aloneFor is how long a game's clock runs, and its engine is kept, with no
	// page that watches it.
	aloneFor = 30 * time.Second
	// sleptFor is the gap between the wall clock and the process's own that
	// means that the machine was asleep.
	sleptFor = 5 * time.Second
)

// leaveIdle stops the clocks of games that nobody watches, or that the machine
// has slept through, and lets go of engines that nobody needs. It is called
// twice a second.
func (s *Server) leaveIdle() {
	now := time.Now()
	asleep := !s.lastLook.IsZero() && now.Round(0).Sub(s.lastLook.Round(0))-now.Sub(s.lastLook) > sleptFor
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
	s.reviews.attend(pages == 0 && now.Sub(s.lastAlone) > aloneFor)
	for _, g := range games {
		g.lookAfter(now, seen["game:"+g.head.ID], asleep)
	}
}

func (g *game) lookAfter(now time.Time, watched, asleep bool) {
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
	case running && asleep:
		why = "sleep"
		g.ran = now
	case running && !watched && now.Sub(g.alone) > aloneFor:
		why = "alone"
	}
	if why != "" {
		if err := g.halt(why); err != nil {
			g.trouble = err.Error()
		}
		g.goOn()
	}
	if !watched && g.thinks == nil && now.Sub(g.alone) > aloneFor {
		g.leaveSeat()
	}
}
