package cluster

import (
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// call is a request to the server. The broker has verified who sent it.
type call struct {
	verb, who string
	reply     string // subject in the sender's inbox; "": no reply is wanted
	data      []byte
}

// readCall reads sender and verb from a message's subject; false if the subject is malformed. It
// ignores a reply subject outside the sender's inbox, because the server, unlike the sender, may
// publish on any subject.
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

// Bounds of the queue. A call costs its length in bytes plus callCost.
const (
	callCost  = 512
	senderMax = 32 << 20  // limit on the cost of one sender's calls
	queueMax  = 256 << 20 // limit on the cost of all waiting calls
)

// queue holds calls until they are served. Senders take turns, one call a turn, so that a flood
// from one does not delay the others.
type queue struct {
	most int // limit on calls of one sender served at once; 0: none

	mu     sync.Mutex
	wake   sync.Cond
	from   map[string]*sender
	ring   []*sender // senders with a call that can be served, the next one first
	count  int
	bytes  int
	closed bool
}

// sender has calls waiting or being served.
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

// push adds a call. It returns the calls that found no room. When the whole queue is full, these
// are the newest calls of the senders with the most bytes, or only c if its sender would have the
// most.
func (q *queue) push(c *call) (refused []*call) {
	cost := len(c.data) + callCost
	q.mu.Lock()
	defer q.mu.Unlock()
	from := q.from[c.who]
	if from == nil {
		from = new(sender)
	}
	own, over := from.bytes+cost, q.bytes+cost-queueMax
	for _, s := range q.from {
		if s != from {
			over -= max(0, s.bytes-own)
		}
	}
	if q.closed || own > senderMax || over > 0 {
		return []*call{c}
	}
	for q.bytes+cost > queueMax {
		most := from
		for _, s := range q.from {
			if s.bytes > most.bytes {
				most = s
			}
		}
		refused = append(refused, q.dropNewest(most))
	}
	q.from[c.who] = from
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

// dropNewest removes the last call of a sender. The caller holds mu.
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

// forget subtracts a call from the counts. The caller holds mu.
func (q *queue) forget(s *sender, c *call) {
	cost := len(c.data) + callCost
	s.bytes -= cost
	q.bytes -= cost
	q.count--
}

// leave removes a sender if it has no calls left. The caller holds mu.
func (q *queue) leave(who string, s *sender) {
	if len(s.waiting) == 0 && s.busy == 0 {
		delete(q.from, who)
	}
}

// pop waits for the next call, and returns nil when the queue is closed and empty. The caller must call done later.
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

// done notes that a call has been served.
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

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count
}

// close refuses further calls. Waiting ones are still served.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Broadcast()
}
