package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// submit takes a task in, or answers for one that is done.
func (s *Server) submit(c *call) {
	var p submission
	line, text, _ := bytes.Cut(c.data, []byte("\n"))
	if len(c.data) > maxGame || len(line) > 4*maxWord || json.Unmarshal(line, &p) != nil || p.ID == "" || len(p.ID) > maxWord {
		s.reply(c.reply, outcome{Error: "this is no task"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, now := s.tasks, s.conf.Now()
	key := taskKey(c.who, p.ID)
	e := d.tasks[key]
	if e != nil {
		e.reply, e.asked = c.reply, now
		switch {
		case e.done == nil:
		case p.Wrong && e.doneBy != "":
			s.wrong(e, now)
		default:
			s.reply(c.reply, e.done)
		}
		return
	}
	size := taskCost + len(c.data)
	if !d.room(c.who, size) {
		s.reply(c.reply, outcome{ID: p.ID, Later: true})
		return
	}
	e = &task{key: key, client: c.who, id: NewID(), reply: c.reply, asked: now}
	if json.Unmarshal(text, &e.task) != nil || e.task.Kind == "" {
		s.reply(c.reply, outcome{ID: p.ID, Error: "this is no task"})
		return
	}
	e.task.ID = p.ID
	d.add(e, size)
	s.offer(e, now)
}

// wrong takes an answer back that its client could not use.
func (s *Server) wrong(e *task, now time.Time) {
	s.conf.Log.Warn("a worker's answer cannot be read", "worker", publicName(e.doneBy), "kind", e.task.Kind)
	failure := &outcome{ID: e.task.ID, Error: "the answer could not be read"}
	e.failed, e.failure, e.failedAt = append(e.failed, e.doneBy), failure, now
	e.done, e.doneBy = nil, ""
	s.again(e, failure, now)
}

// again gives a task at which a worker failed to another one, or ends it.
func (s *Server) again(e *task, failure *outcome, now time.Time) {
	if e.worker != "" && !slices.Contains(e.failed, e.worker) {
		return // somebody else has it too
	}
	if !s.canRetry(e, time.Time{}) {
		s.settle(e, failure, "")
		return
	}
	s.tasks.lease(e, "")
	s.tasks.unqueue(e)
	s.tasks.queue(e)
	s.offer(e, now)
}

// poll gives tasks to a worker, at once or when there are some.
func (s *Server) poll(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, w, ok := read[poll](s, c)
	if !ok {
		return
	}
	if w == nil {
		s.reply(c.reply, pollReply{Hello: true, Refused: s.banned[c.who]})
		return
	}
	if len(r.Free) > mostKinds || len(r.Programs) > MostPrograms || len(c.data) > maxPoll {
		s.reply(c.reply, pollReply{Refused: fmt.Sprintf("more than %d kinds of tasks, %d programs, or %d bytes of them", mostKinds, MostPrograms, maxPoll)})
		return
	}
	d, now := s.tasks, s.conf.Now()
	if old := d.parked[c.who]; old != nil {
		delete(d.parked, c.who)
		s.reply(old.reply, pollReply{})
	}
	has := map[string]bool{}
	for _, id := range r.Held {
		has[id] = true
	}
	for e := range d.held[c.who] {
		if has[e.id] {
			e.expires = now.Add(taskLease)
			continue
		}
		d.lease(e, "") // the answer that gave it was lost
		d.queue(e)
		s.offer(e, now)
	}
	if r.Held = nil; c.reply != "" {
		d.parked[c.who] = &parked{c.reply, now, *r, has}
		if s.assign(c.who, now); d.parked[c.who] != nil {
			s.endTasks(c.who)
		}
	}
}

// endTasks tells a worker that waits which of its tasks it should end. The caller
// holds mu.
func (s *Server) endTasks(id string) {
	d := s.tasks
	p, w := d.parked[id], s.members[id]
	if p == nil || w == nil {
		return
	}
	var gone []string
	for held := range p.held {
		e := d.byID[held]
		if e == nil || e.done != nil || slices.Contains(e.slow, id) && s.crowded(e, id, w, p) {
			gone = append(gone, held)
		}
	}
	if len(gone) > 0 {
		delete(d.parked, id)
		s.reply(p.reply, pollReply{Gone: gone})
	}
}

// crowded reports whether other clients wait for what a worker's task takes.
func (s *Server) crowded(e *task, id string, w *member, p *parked) bool {
	free := &parked{ask: poll{Free: map[string]int{e.task.Kind: 1}, Programs: p.ask.Programs}, held: p.held}
	for client, line := range s.tasks.waiting {
		if client != e.client && slices.ContainsFunc(line, func(other *task) bool { return s.fits(other, id, w, free) }) {
			return true
		}
	}
	return false
}

// offer gives a task to a worker that waits for one. The caller holds mu.
func (s *Server) offer(e *task, now time.Time) {
	for id, p := range s.tasks.parked {
		if w := s.members[id]; w != nil && s.fits(e, id, w, p) {
			s.assign(id, now)
			if e.worker != "" {
				return
			}
		}
	}
}

// fits reports whether a worker that waits can have a task.
func (s *Server) fits(e *task, id string, w *member, p *parked) bool {
	return p.ask.Free[e.task.Kind] > 0 && !slices.Contains(e.failed, id) && !(p.held[e.id] && slices.Contains(e.slow, id)) &&
		(!e.task.Trusted || w.proven()) &&
		!slices.ContainsFunc(e.task.Needs, func(n []string) bool { return Allowed(p.ask.Programs, n) == nil })
}

// proven reports whether the worker's games have been found right.
func (w *member) proven() bool { return w.good.Load() >= probation || w.trusted }

// assign gives a worker that waits what it can have. The caller holds mu.
func (s *Server) assign(id string, now time.Time) {
	d := s.tasks
	w, p := s.members[id], d.parked[id]
	if w == nil || p == nil {
		return
	}
	most := firstTasks
	if w.tasks > 0 || w.proven() {
		most = workerTasks
	}
	var t pollReply
	for size := 0; size < maxControl && len(d.held[id]) < most; {
		e := d.next(func(e *task) bool { return s.fits(e, id, w, p) })
		if e == nil {
			break
		}
		p.ask.Free[e.task.Kind]--
		d.lease(e, id)
		e.began, e.expires, e.assigned = now, now.Add(taskLease), append(e.assigned, id)
		task := e.task
		task.ID = e.id
		t.Tasks = append(t.Tasks, task)
		size += len(task.Body)
	}
	if len(t.Tasks) > 0 {
		delete(d.parked, id)
		s.reply(p.reply, t)
	}
}

// expire gives tasks again whose workers are gone or slow, forgets those that nobody asks
// for, and lets workers go that have waited long. The caller holds mu.
func (s *Server) expire(now time.Time) {
	d := s.tasks
	since := now.Sub(d.checked)
	if since >= 0 && since < time.Second {
		return
	}
	d.checked = now
	slept := since > taskLease // this machine did, or its clock was set: it could hear nobody
	for id, p := range d.parked {
		if waits := now.Sub(p.since); waits < 0 || waits > pollWait {
			delete(d.parked, id)
			s.reply(p.reply, pollReply{})
		} else {
			s.endTasks(id)
		}
	}
	for _, e := range d.tasks {
		if slept && e.failure != nil {
			e.failedAt = now
		}
		switch {
		case now.Sub(e.asked) > submitGone:
			d.remove(e)
		case e.done != nil:
		case e.worker == "":
			if e.failure != nil && now.Sub(e.failedAt) > taskLease && !s.canRetry(e, e.failedAt) {
				s.settle(e, e.failure, "")
			}
		case now.After(e.expires):
			d.lease(e, "")
			d.queue(e)
			s.offer(e, now)
		case now.Sub(e.began) > taskSlow<<e.copies && e.copies < 16:
			e.copies++
			e.slow = append(e.slow, e.worker)
			d.lease(e, "")
			d.queue(e)
			s.offer(e, now)
		}
	}
}

// done takes a worker's answer.
func (s *Server) done(c *call) {
	var o outcome
	if len(c.data) > maxGame || json.Unmarshal(c.data, &o) != nil {
		s.reply(c.reply, receipt{rejected, "this is no answer"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, now := s.tasks, s.conf.Now()
	w, e := s.members[c.who], d.byID[o.ID]
	switch {
	case w == nil:
		s.reply(c.reply, receipt{later, needHello})
		return
	case e == nil || e.done != nil:
		s.reply(c.reply, receipt{Verdict: duplicate})
		return
	case !slices.Contains(e.assigned, c.who):
		s.reply(c.reply, receipt{rejected, "this task was not given to this worker"})
		return
	case slices.Contains(e.failed, c.who):
		s.reply(c.reply, receipt{Verdict: duplicate})
		return
	}
	w.seen = now
	s.reply(c.reply, receipt{Verdict: stored})
	answer := &outcome{ID: e.task.ID, Body: o.Body}
	if o.Error != "" {
		answer = &outcome{ID: e.task.ID, Error: o.Error}
		s.conf.Log.Warn("a task fails", "worker", publicName(c.who), "kind", e.task.Kind, "reason", o.Error)
		e.failed, e.failure, e.failedAt = append(e.failed, c.who), answer, now
		s.again(e, answer, now)
		return
	}
	w.tasks++
	s.settle(e, answer, c.who)
}

// settle ends a task. The answer is kept until its client takes the task back, or asks
// no more, as long as it has room for it. The caller holds mu.
func (s *Server) settle(e *task, o *outcome, worker string) {
	d := s.tasks
	d.unqueue(e)
	d.lease(e, "")
	e.done, e.doneBy = o, worker
	s.reply(e.reply, o)
	d.charge(e, e.size+len(o.Body)+len(o.Error))
	if d.costs[e.client] > clientTasks || d.bytes > allTasks {
		d.remove(e)
	}
}

// canRetry reports whether a worker that was heard of since a time may still do what
// others failed at. The caller holds mu.
func (s *Server) canRetry(e *task, since time.Time) bool {
	known := 0
	for _, id := range e.failed {
		if w := s.members[id]; w != nil && w.proven() {
			known++
		}
	}
	if known >= taskTries || len(e.failed) >= allTries {
		return false
	}
	for id, w := range s.members {
		if !slices.Contains(e.failed, id) && w.seen.After(since) {
			return true
		}
	}
	return false
}

// dropTasks forgets what a client has put.
func (s *Server) dropTasks(c *call) {
	var r drop
	if unpack(c.data, &r) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.tasks
	for _, id := range r.IDs {
		if e := d.tasks[taskKey(c.who, id)]; e != nil {
			d.remove(e)
		}
	}
	if len(r.IDs) > 0 {
		return
	}
	for _, e := range d.tasks {
		if e.client == c.who {
			d.remove(e)
		}
	}
}
