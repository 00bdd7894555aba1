package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// submit takes a task in, or answers for one that is done.
func (q *taskQueue) submit(c *call) {
	var p submission
	line, text, _ := bytes.Cut(c.data, []byte("\n"))
	if len(c.data) > maxGame || len(line) > 4*maxWord || json.Unmarshal(line, &p) != nil || p.ID == "" || len(p.ID) > maxWord {
		q.conn.reply(c.reply, outcome{Error: "this is not a task"})
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	key := taskKey(c.who, p.ID)
	e := q.tasks[key]
	if e != nil {
		e.reply, e.asked = c.reply, now
		switch {
		case e.done == nil:
		case p.Wrong && e.doneBy != "":
			q.wrong(e, now)
		default:
			q.conn.reply(c.reply, e.done)
		}
		return
	}
	size := taskCost + len(c.data)
	if !q.room(c.who, size) {
		q.conn.reply(c.reply, outcome{ID: p.ID, Later: true})
		return
	}
	e = &task{key: key, client: c.who, id: NewID(), reply: c.reply, asked: now}
	if json.Unmarshal(text, &e.task) != nil || e.task.Kind == "" {
		q.conn.reply(c.reply, outcome{ID: p.ID, Error: "this is not a task"})
		return
	}
	e.task.ID = p.ID
	q.add(e, size)
	q.offer(e, now)
}

// wrong takes an answer back that its client could not use.
func (q *taskQueue) wrong(e *task, now time.Time) {
	q.log.Warn("a worker's answer cannot be read", "worker", publicName(e.doneBy), "kind", e.task.Kind)
	failure := &outcome{ID: e.task.ID, Error: "the answer could not be read"}
	e.failed, e.failure, e.failedAt = append(e.failed, e.doneBy), failure, now
	e.done, e.doneBy = nil, ""
	q.again(e, failure, now)
}

// again gives a task at which a worker failed to another one, or ends it.
func (q *taskQueue) again(e *task, failure *outcome, now time.Time) {
	if e.worker != "" && !slices.Contains(e.failed, e.worker) {
		return // somebody else has it too
	}
	if !q.canRetry(e, time.Time{}) {
		q.settle(e, failure, "")
		return
	}
	q.lease(e, "")
	q.unqueue(e)
	q.queue(e)
	q.offer(e, now)
}

// poll gives tasks to a worker, at once or when there are some.
func (q *taskQueue) poll(c *call) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r, w, ok := read[poll](q.roster, q.conn, c)
	if !ok {
		return
	}
	if w == nil {
		q.conn.reply(c.reply, pollReply{Hello: true, Refused: q.roster.banned[c.who]})
		return
	}
	if len(r.Free) > mostKinds || len(r.Programs) > MostPrograms || len(c.data) > maxPoll {
		q.conn.reply(c.reply, pollReply{Refused: fmt.Sprintf("more than %d kinds of tasks, %d programs, or %d bytes of them", mostKinds, MostPrograms, maxPoll)})
		return
	}
	now := q.now()
	if old := q.parked[c.who]; old != nil {
		delete(q.parked, c.who)
		q.conn.reply(old.reply, pollReply{})
	}
	has := map[string]bool{}
	for _, id := range r.Held {
		has[id] = true
	}
	for e := range q.held[c.who] {
		if has[e.id] {
			e.expires = now.Add(taskLease)
			continue
		}
		q.lease(e, "") // the answer that gave it was lost
		q.queue(e)
		q.offer(e, now)
	}
	if r.Held = nil; c.reply != "" {
		q.parked[c.who] = &parked{c.reply, now, *r, has}
		if q.assign(c.who, now); q.parked[c.who] != nil {
			q.endTasks(c.who)
		}
	}
}

// endTasks tells a worker that waits which of its tasks it should end. The caller
// holds mu.
func (q *taskQueue) endTasks(id string) {
	p, w := q.parked[id], q.roster.members[id]
	if p == nil || w == nil {
		return
	}
	var gone []string
	for held := range p.held {
		e := q.byID[held]
		if e == nil || e.done != nil || slices.Contains(e.slow, id) && q.crowded(e, id, w, p) {
			gone = append(gone, held)
		}
	}
	if len(gone) > 0 {
		delete(q.parked, id)
		q.conn.reply(p.reply, pollReply{Gone: gone})
	}
}

// crowded reports whether other clients wait for what a worker's task takes.
func (q *taskQueue) crowded(e *task, id string, w *member, p *parked) bool {
	free := &parked{ask: poll{Free: map[string]int{e.task.Kind: 1}, Programs: p.ask.Programs}, held: p.held}
	for client, line := range q.waiting {
		if client != e.client && slices.ContainsFunc(line, func(other *task) bool { return q.fits(other, id, w, free) }) {
			return true
		}
	}
	return false
}

// offer gives a task to a worker that waits for one. The caller holds mu.
func (q *taskQueue) offer(e *task, now time.Time) {
	for id, p := range q.parked {
		if w := q.roster.members[id]; w != nil && q.fits(e, id, w, p) {
			q.assign(id, now)
			if e.worker != "" {
				return
			}
		}
	}
}

// fits reports whether a worker that waits can have a task.
func (q *taskQueue) fits(e *task, id string, w *member, p *parked) bool {
	return p.ask.Free[e.task.Kind] > 0 && !slices.Contains(e.failed, id) && !(p.held[e.id] && slices.Contains(e.slow, id)) &&
		(!e.task.Trusted || w.proven()) &&
		!slices.ContainsFunc(e.task.Needs, func(n []string) bool { return Allowed(p.ask.Programs, n) == nil })
}

// proven reports whether the worker's games have been found right.
func (w *member) proven() bool { return w.good.Load() >= probation || w.trusted }

// assign gives a worker that waits what it can have. The caller holds mu.
func (q *taskQueue) assign(id string, now time.Time) {
	w, p := q.roster.members[id], q.parked[id]
	if w == nil || p == nil {
		return
	}
	most := firstTasks
	if w.tasks > 0 || w.proven() {
		most = workerTasks
	}
	var t pollReply
	for size := 0; size < maxControl && len(q.held[id]) < most; {
		e := q.next(func(e *task) bool { return q.fits(e, id, w, p) })
		if e == nil {
			break
		}
		p.ask.Free[e.task.Kind]--
		q.lease(e, id)
		e.began, e.expires, e.assigned = now, now.Add(taskLease), append(e.assigned, id)
		task := e.task
		task.ID = e.id
		t.Tasks = append(t.Tasks, task)
		size += len(task.Body)
	}
	if len(t.Tasks) > 0 {
		delete(q.parked, id)
		q.conn.reply(p.reply, t)
	}
}

// expire gives tasks again whose workers are gone or slow, forgets those that nobody asks
// for, and lets workers go that have waited long. The caller holds mu.
func (q *taskQueue) expire(now time.Time) {
	since := now.Sub(q.checked)
	if since >= 0 && since < time.Second {
		return
	}
	q.checked = now
	slept := since > taskLease // this machine did, or its clock was set: it could hear nobody
	for id, p := range q.parked {
		if waits := now.Sub(p.since); waits < 0 || waits > pollWait {
			delete(q.parked, id)
			q.conn.reply(p.reply, pollReply{})
		} else {
			q.endTasks(id)
		}
	}
	for _, e := range q.tasks {
		if slept && e.failure != nil {
			e.failedAt = now
		}
		switch {
		case now.Sub(e.asked) > submitGone:
			q.remove(e)
		case e.done != nil:
		case e.worker == "":
			if e.failure != nil && now.Sub(e.failedAt) > taskLease && !q.canRetry(e, e.failedAt) {
				q.settle(e, e.failure, "")
			}
		case now.After(e.expires):
			q.lease(e, "")
			q.queue(e)
			q.offer(e, now)
		case now.Sub(e.began) > taskSlow<<e.copies && e.copies < 16:
			e.copies++
			e.slow = append(e.slow, e.worker)
			q.lease(e, "")
			q.queue(e)
			q.offer(e, now)
		}
	}
}

// done takes a worker's answer.
func (q *taskQueue) done(c *call) {
	var o outcome
	if len(c.data) > maxGame || json.Unmarshal(c.data, &o) != nil {
		q.conn.reply(c.reply, receipt{rejected, "this is not an answer"})
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	w, e := q.roster.members[c.who], q.byID[o.ID]
	switch {
	case w == nil:
		q.conn.reply(c.reply, receipt{later, needHello})
		return
	case e == nil || e.done != nil:
		q.conn.reply(c.reply, receipt{Verdict: duplicate})
		return
	case !slices.Contains(e.assigned, c.who):
		q.conn.reply(c.reply, receipt{rejected, "this task was not given to this worker"})
		return
	case slices.Contains(e.failed, c.who):
		q.conn.reply(c.reply, receipt{Verdict: duplicate})
		return
	}
	w.seen = now
	q.conn.reply(c.reply, receipt{Verdict: stored})
	answer := &outcome{ID: e.task.ID, Body: o.Body}
	if o.Error != "" {
		answer = &outcome{ID: e.task.ID, Error: o.Error}
		q.log.Warn("a task fails", "worker", publicName(c.who), "kind", e.task.Kind, "reason", o.Error)
		e.failed, e.failure, e.failedAt = append(e.failed, c.who), answer, now
		q.again(e, answer, now)
		return
	}
	w.tasks++
	q.settle(e, answer, c.who)
}

// settle ends a task. The answer is kept until its client takes the task back, or asks
// no more, as long as it has room for it. The caller holds mu.
func (q *taskQueue) settle(e *task, o *outcome, worker string) {
	q.unqueue(e)
	q.lease(e, "")
	e.done, e.doneBy = o, worker
	q.conn.reply(e.reply, o)
	q.charge(e, e.size+len(o.Body)+len(o.Error))
	if q.costs[e.client] > clientTasks || q.bytes > allTasks {
		q.remove(e)
	}
}

// canRetry reports whether a worker that was heard of since a time may still do what
// others failed at. The caller holds mu.
func (q *taskQueue) canRetry(e *task, since time.Time) bool {
	known := 0
	for _, id := range e.failed {
		if w := q.roster.members[id]; w != nil && w.proven() {
			known++
		}
	}
	if known >= taskTries || len(e.failed) >= allTries {
		return false
	}
	for id, w := range q.roster.members {
		if !slices.Contains(e.failed, id) && w.seen.After(since) {
			return true
		}
	}
	return false
}

// drop forgets what a client has put.
func (q *taskQueue) drop(c *call) {
	var r drop
	if unpack(c.data, &r) != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range r.IDs {
		if e := q.tasks[taskKey(c.who, id)]; e != nil {
			q.remove(e)
		}
	}
	if len(r.IDs) > 0 {
		return
	}
	for _, e := range q.tasks {
		if e.client == c.who {
			q.remove(e)
		}
	}
}
