package cluster

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// Task is work other than self-play: a game of a match, a position of a review. A
// client puts it, whoever has time does it, the answer goes back. It is given out
// again where a worker is lost, and nothing of it is on the server's disk: a
// client asks until it has the answer.
type Task struct {
	ID   string          `json:"id"` // the client's; the same one again is the same task
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
	// Files are networks that the task needs.
	Files []File `json:"files,omitempty"`
	// Trusted tasks go to workers only whose games have been found right.
	Trusted bool `json:"trusted,omitempty"`
	// Needs is a program that the worker's owner must have allowed; "" is none.
	Needs []string `json:"needs,omitempty"`
}

// File is a file that travels by its sha256.
type File struct {
	Name   string `json:"name"` // base name, which tells the format
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// put asks for a task to be done; it is repeated until there is an answer.
type put struct {
	Client string `json:"client"`
	Task   Task   `json:"task"`
}

// outcome answers a put, and is what a worker sends.
type outcome struct {
	Worker string          `json:"worker"`
	Client string          `json:"client"`
	ID     string          `json:"id"`
	Body   json.RawMessage `json:"body,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// take asks for tasks; Held are those under way.
type take struct {
	Worker   string         `json:"worker"`
	Free     map[string]int `json:"free"` // by kind
	Programs []string       `json:"programs,omitempty"`
	Held     []string       `json:"held,omitempty"` // client/id
}

// taken answers a take.
type taken struct {
	Tasks   []given `json:"tasks,omitempty"`
	Hello   bool    `json:"hello,omitempty"`
	Refused string  `json:"refused,omitempty"`
}

type given struct {
	Client string `json:"client"`
	Task
}

// drop takes tasks of a client back.
type drop struct {
	Client string `json:"client"`
}

const (
	putAgain  = 15 * time.Second // a client's tasks are asked for again
	putGone   = time.Minute      // and dropped if they are not
	takeWait  = 10 * time.Second // a worker's question waits for work
	taskLease = 30 * time.Second // without a sign of life of the worker
	taskTries = 3                // workers that may fail at a task
	maxTasks  = 1 << 16
)

// errand is a task that the server knows.
type errand struct {
	key, client string
	task        Task
	reply       *nats.Msg // of the newest question
	asked       time.Time
	worker      string // who has it; "" is nobody
	given       []string
	expires     time.Time
	failed      []string // workers
	failure     *outcome // the last one, and when
	failedAt    time.Time
	done        *outcome
}

// desk is where clients put tasks and workers take them. The server's lock guards
// it.
type desk struct {
	tasks   map[string]*errand
	waiting map[string][]*errand // by client, oldest first
	ring    []string             // clients that wait, the next one first
	parked  map[string]*parked   // questions of workers that wait for work
	looked  time.Time
}

type parked struct {
	msg *nats.Msg
	ask take
}

func newDesk() *desk {
	return &desk{tasks: map[string]*errand{}, waiting: map[string][]*errand{}, parked: map[string]*parked{}}
}

func taskKey(client, id string) string { return client + "/" + id }

// queue puts an errand where workers find it.
func (d *desk) queue(e *errand) {
	if len(d.waiting[e.client]) == 0 {
		d.ring = append(d.ring, e.client)
	}
	d.waiting[e.client] = append(d.waiting[e.client], e)
}

// next takes the oldest errand that fits out, clients in turns.
func (d *desk) next(fits func(e *errand) bool) *errand {
	for i, client := range d.ring {
		line := d.waiting[client]
		k := slices.IndexFunc(line, fits)
		if k < 0 {
			continue
		}
		e := line[k]
		d.ring = slices.Delete(d.ring, i, i+1)
		if line = slices.Delete(line, k, k+1); len(line) > 0 {
			d.waiting[client] = line
			d.ring = append(d.ring, client)
		} else {
			delete(d.waiting, client)
		}
		return e
	}
	return nil
}

// remove forgets an errand.
func (d *desk) remove(e *errand) {
	delete(d.tasks, e.key)
	d.unqueue(e)
}

// unqueue takes an errand away from where workers find it.
func (d *desk) unqueue(e *errand) {
	line := d.waiting[e.client]
	if k := slices.Index(line, e); k >= 0 {
		if line = slices.Delete(line, k, k+1); len(line) > 0 {
			d.waiting[e.client] = line
			return
		}
		delete(d.waiting, e.client)
		d.ring = slices.DeleteFunc(d.ring, func(c string) bool { return c == e.client })
	}
}

// put takes a task in, or answers for one that is done.
func (s *Server) put(m *nats.Msg) {
	var p put
	if len(m.Data) > maxGame || json.Unmarshal(m.Data, &p) != nil || !inboxName.MatchString(p.Client) || p.Task.ID == "" || p.Task.Kind == "" {
		reply(m, outcome{Error: "this is no task"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, now := s.desk, s.conf.Now()
	key := taskKey(p.Client, p.Task.ID)
	e := d.tasks[key]
	switch {
	case e != nil && e.done != nil:
		reply(m, e.done)
		e.asked = now
		return
	case e != nil:
		e.reply, e.asked = m, now
		return
	case len(d.tasks) >= maxTasks:
		reply(m, outcome{ID: p.Task.ID, Error: "the server has too many tasks"})
		return
	}
	e = &errand{key: key, client: p.Client, task: p.Task, reply: m, asked: now}
	d.tasks[key] = e
	d.queue(e)
	s.hand(now)
}

// take gives tasks to a worker, at once or when there are some.
func (s *Server) take(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, w, ok := read(s, m, func(r *take) string { return r.Worker })
	if !ok {
		return
	}
	if w == nil {
		reply(m, taken{Hello: true, Refused: s.aside[r.Worker]})
		return
	}
	d, now := s.desk, s.conf.Now()
	for key, e := range d.tasks {
		switch {
		case e.worker != r.Worker || e.done != nil:
		case slices.Contains(r.Held, key):
			e.expires = now.Add(taskLease)
		default: // the answer that gave it was lost
			e.worker = ""
			d.queue(e)
		}
	}
	if old := d.parked[r.Worker]; old != nil {
		reply(old.msg, taken{})
	}
	d.parked[r.Worker] = &parked{m, *r}
	s.hand(now)
	if p := d.parked[r.Worker]; p != nil && p.msg == m {
		time.AfterFunc(takeWait, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if p := d.parked[r.Worker]; p != nil && p.msg == m {
				delete(d.parked, r.Worker)
				reply(m, taken{})
			}
		})
	}
}

// hand gives what waits to those who wait. The caller holds mu.
func (s *Server) hand(now time.Time) {
	d := s.desk
	s.tidy(now)
	for id, p := range d.parked {
		if len(d.ring) == 0 {
			return
		}
		w := s.members[id]
		if w == nil {
			continue
		}
		var t taken
		size := 0
		for size < maxControl {
			e := d.next(func(e *errand) bool {
				return p.ask.Free[e.task.Kind] > 0 && !slices.Contains(e.failed, id) && (!e.task.Trusted || w.good.Load() >= probation || w.vouched) &&
					!slices.ContainsFunc(e.task.Needs, func(n string) bool { return !slices.Contains(p.ask.Programs, n) })
			})
			if e == nil {
				break
			}
			p.ask.Free[e.task.Kind]--
			e.worker, e.expires, e.given = id, now.Add(taskLease), append(e.given, id)
			t.Tasks = append(t.Tasks, given{e.client, e.task})
			size += len(e.task.Body)
		}
		if len(t.Tasks) > 0 {
			delete(d.parked, id)
			reply(p.msg, t)
		}
	}
}

// tidy gives tasks again whose workers are gone, and forgets those that nobody
// asks for. The caller holds mu.
func (s *Server) tidy(now time.Time) {
	d := s.desk
	since := now.Sub(d.looked)
	if since >= 0 && since < time.Second {
		return
	}
	d.looked = now
	slept := since > taskLease // this machine did, or its clock was set: it could hear nobody
	for _, e := range d.tasks {
		if slept && e.failure != nil {
			e.failedAt = now
		}
		switch {
		case now.Sub(e.asked) > putGone:
			d.remove(e)
		case e.done == nil && e.worker != "" && now.After(e.expires):
			e.worker = ""
			d.queue(e)
		case e.done == nil && e.worker == "" && now.Sub(e.failedAt) > taskLease && e.failure != nil && !s.hopeful(e, e.failedAt):
			d.settle(e, e.failure)
		}
	}
}

// done takes a worker's answer.
func (s *Server) done(m *nats.Msg) {
	var o outcome
	if len(m.Data) > maxGame || json.Unmarshal(m.Data, &o) != nil {
		reply(m, receipt{rejected, "this is no answer"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, now := s.desk, s.conf.Now()
	w, e := s.members[o.Worker], d.tasks[taskKey(o.Client, o.ID)]
	switch {
	case w == nil:
		reply(m, receipt{later, needHello})
		return
	case e == nil || e.done != nil:
		reply(m, receipt{Verdict: duplicate})
		return
	case !slices.Contains(e.given, o.Worker):
		reply(m, receipt{rejected, "this task was not given to this worker"})
		return
	}
	w.seen = now
	reply(m, receipt{Verdict: stored})
	if o.Error != "" {
		s.conf.Log.Warn("a task fails", "worker", short(o.Worker), "kind", e.task.Kind, "reason", o.Error)
		e.worker, e.failure, e.failedAt = "", &o, now
		if e.failed = append(e.failed, o.Worker); s.hopeful(e, time.Time{}) {
			d.unqueue(e)
			d.queue(e)
			s.hand(now)
			return
		}
	}
	w.tasks++
	d.settle(e, &o)
}

// settle ends a task.
func (d *desk) settle(e *errand, o *outcome) {
	d.unqueue(e)
	e.done = o
	reply(e.reply, o)
}

// hopeful tells whether a worker that was heard of since a time may still do what
// others failed at. The caller holds mu.
func (s *Server) hopeful(e *errand, since time.Time) bool {
	if len(e.failed) >= taskTries {
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
func (s *Server) dropTasks(m *nats.Msg) {
	var r drop
	if unpack(m.Data, &r) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.desk.tasks {
		if e.client == r.Client {
			s.desk.remove(e)
		}
	}
}

// source is the client that has a file of a task; "" where there is none. The
// caller holds mu.
func (s *Server) source(sha string) string {
	for _, e := range s.desk.tasks {
		for _, f := range e.task.Files {
			if f.SHA256 == sha {
				return e.client
			}
		}
	}
	return ""
}

// filesOf is where a client is asked for pieces of its files.
func filesOf(client string) string { return inboxOf(client) + ".files" }
