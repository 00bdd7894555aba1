package web

import (
	"sync"
	"time"

	"kosumi/web/api"
)

// answers keeps answers to commands in case a client sends the same command again. The zero
// value is empty.
type answers struct {
	mu    sync.Mutex
	known map[string]*answer // answers by client and command ID
}

// answer is the answer to one command.
type answer struct {
	at    time.Time
	done  chan struct{} // closed when event is set
	event api.Event
}

// remembered is how long answers are kept, maxAnswers their maximum number.
const (
	remembered = 10 * time.Minute
	maxAnswers = 4096
)

// once performs a command, or returns the first answer if the command was sent before.
func (as *answers) once(key string, perform func() api.Event) api.Event {
	a, again := as.find(key, time.Now())
	if !again {
		a.event = perform()
		if e, refused := a.event.D.(api.Error); refused && e.Retry { // nothing was done: the command may be repeated
			as.mu.Lock()
			delete(as.known, key)
			as.mu.Unlock()
		}
		close(a.done)
	}
	<-a.done
	return a.event
}

// find returns the answer to a command, and whether the command was sent before.
func (as *answers) find(key string, now time.Time) (a *answer, again bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	if len(as.known) >= maxAnswers {
		for k, a := range as.known {
			if now.Sub(a.at) > remembered || len(as.known) >= maxAnswers {
				delete(as.known, k)
			}
		}
	}
	if a, again = as.known[key]; again {
		return a, true
	}
	if as.known == nil {
		as.known = map[string]*answer{}
	}
	a = &answer{at: now, done: make(chan struct{})}
	as.known[key] = a
	return a, false
}
