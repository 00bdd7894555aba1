package web

import (
	"time"

	"kosumi/web/wire"
)

// Signs that the machine slept or the program was stopped between two checks.
const (
	// sleptFor: the machine slept if the wall clock advanced by this much more than the monotonic
	// clock.
	sleptFor = 5 * time.Second
	// stoodFor: the program, or its virtual machine, was stopped if the monotonic clock advanced
	// by this much between two checks.
	stoodFor = 15 * time.Second
)

// slept reports whether the machine slept or the program was stopped between two checks.
func slept(last, now time.Time) bool {
	ran := now.Sub(last)
	return now.Round(0).Sub(last.Round(0))-ran > sleptFor || ran > stoodFor
}

// idleWatch notices that the machine slept, and that no page is open. Not safe for
// concurrent use.
type idleWatch struct {
	last  time.Time // when check was last called; zero: never
	alone time.Time // when the last page closed; zero: a page is open
}

// check reads the clocks. gap is the time since the last call if the machine slept or the program
// was stopped, else 0; no game's clock may count this time. alone reports that no page has been
// open for a while.
func (w *idleWatch) check(now time.Time, pages int) (gap time.Duration, alone bool) {
	if !w.last.IsZero() && slept(w.last, now) {
		gap = now.Sub(w.last)
	}
	w.last = now
	if pages > 0 {
		w.alone = time.Time{}
	} else if w.alone.IsZero() {
		w.alone = now
	}
	return gap, pages == 0 && now.Sub(w.alone) > wire.AloneFor
}

// leaveIdle stops the clocks of games that no page watches, and of all games if the machine has
// slept. It frees engines and documents that are not in use. It is called twice a second.
func (s *Server) leaveIdle(w *idleWatch) {
	now := time.Now()
	watched, pages := s.hub.Watching()
	gap, alone := w.check(now, pages)
	s.docs.Release(now, watched)
	s.reviews.Attend(alone)
	s.games.leaveIdle(now, watched, gap)
}
