package cluster

import (
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// call is a request on its way to the server. The broker lets nobody but its sender
// publish to the subject that it came by.
type call struct {
	verb, who string
	reply     string // in the sender's own inbox; "" wants no answer
	data      []byte
}

// readCall reads who asks for what out of a message's subject; false where it is none
// of the cluster's. An answer goes nowhere but to the sender's own inbox: the server may
// publish anywhere, and must not do so at others' wish.
func readCall(m *nats.Msg) (*call, bool) {
	words := strings.Split(m.Subject, ".")
	if len(words) != 3 || !validID(words[2]) {
		return nil, false
	}
	c := &call{verb: words[1], who: words[2], data: m.Data}
	if strings.HasPrefix(m.Reply, inboxOf(c.who)+".") {
		c.reply = m.Reply
	}
	return c, true
}

// Bounds of what waits. A call costs its bytes and callCost.
const (
	callCost  = 512
	senderMax = 32 << 20  // bytes of one sender
	queueMax  = 256 << 20 // of all
)

// queue holds calls until they are served. Senders are served in turns, one call a
// turn, so that nobody waits for the floods of somebody else.
type queue struct {
	most int // calls of a sender that are served at a time; 0: any number

	mu     sync.Mutex
	wake   sync.Cond
	from   map[string]*sender
	ring   []*sender // those who can be served, the next one first
	count  int
	bytes  int
	closed bool
}

// sender is who has calls waiting or being served.
type sender struct {
	waiting []*call
	bytes   int
	busy    int // calls being served
}

func newQueue(most int) *queue {
	q := &queue{most: most, from: map[string]*sender{}}
	q.wake.L = &q.mu
	return q
}

// push adds a call. It returns those that found no place: this one, or the newest of
// whoever has most where all of them together are too many.
func (q *queue) push(c *call) (refused []*call) {
	cost := len(c.data) + callCost
	q.mu.Lock()
	defer q.mu.Unlock()
	from := q.from[c.who]
	if q.closed || from != nil && from.bytes+cost > senderMax {
		return []*call{c}
	}
	for q.bytes+cost > queueMax {
		most := from
		for _, s := range q.from {
			if len(s.waiting) > 0 && (most == nil || s.bytes > most.bytes) {
				most = s
			}
		}
		if most == nil || most == from || from != nil && most.bytes < from.bytes+cost {
			return append(refused, c)
		}
		refused = append(refused, q.dropNewest(most))
	}
	if from == nil {
		from = new(sender)
		q.from[c.who] = from
	}
	from.waiting = append(from.waiting, c)
	from.bytes += cost
	q.bytes += cost
	q.count++
	if len(from.waiting) == 1 && q.free(from) {
		q.ring = append(q.ring, from)
		q.wake.Signal()
	}
	return refused
}

// dropNewest takes the last call of a sender away. The caller holds mu.
func (q *queue) dropNewest(s *sender) *call {
	c := s.waiting[len(s.waiting)-1]
	s.waiting = s.waiting[:len(s.waiting)-1]
	q.forget(s, c)
	if len(s.waiting) == 0 {
		q.ring = slices.DeleteFunc(q.ring, func(r *sender) bool { return r == s })
		q.leave(c.who, s)
	}
	return c
}

// forget takes a call out of the counts. The caller holds mu.
func (q *queue) forget(s *sender, c *call) {
	cost := len(c.data) + callCost
	s.bytes -= cost
	q.bytes -= cost
	q.count--
}

// leave drops a sender of whom nothing is left. The caller holds mu.
func (q *queue) leave(who string, s *sender) {
	if len(s.waiting) == 0 && s.busy == 0 {
		delete(q.from, who)
	}
}

// pop waits for a call; done must follow. It is nil once the queue is closed and empty.
func (q *queue) pop() *call {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ring) == 0 {
		if q.closed && q.count == 0 {
			return nil
		}
		q.wake.Wait()
	}
	s := q.ring[0]
	q.ring = q.ring[1:]
	c := s.waiting[0]
	s.waiting = s.waiting[1:]
	q.forget(s, c)
	s.busy++
	if len(s.waiting) > 0 && q.free(s) {
		q.ring = append(q.ring, s)
		q.wake.Signal()
	}
	return c
}

// done says that a call has been served.
func (q *queue) done(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.from[c.who]
	full := !q.free(s)
	s.busy--
	if full && len(s.waiting) > 0 {
		q.ring = append(q.ring, s)
		q.wake.Signal()
	}
	q.leave(c.who, s)
	if q.closed {
		q.wake.Broadcast()
	}
}

// free reports whether another call of a sender can be served. The caller holds mu.
func (q *queue) free(s *sender) bool { return q.most == 0 || s.busy < q.most }

// len counts what waits.
func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count
}

// close takes no more; what waits is still served.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Broadcast()
}
