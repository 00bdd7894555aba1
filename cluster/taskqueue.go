package cluster

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Task is work other than self-play: a game of a match, a position of a review. A
// client puts it, whoever has time does it, the answer goes back. It is given out
// again where a worker is lost, and nothing of it is on the server's disk: a
// client asks until it has the answer. Client and worker know nothing of each other:
// both speak with the server only.
type Task struct {
	ID   string          `json:"id"` // the client's; the same one again is the same task. A worker knows the server's
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
	// Files are networks that the task needs.
	Files []File `json:"files,omitempty"`
	// Trusted tasks go to workers only whose games have been found right.
	Trusted bool `json:"trusted,omitempty"`
	// Needs are command lines, in words, that the worker's owner must have allowed.
	Needs [][]string `json:"needs,omitempty"`
}

// File is a file that travels by its sha256.
type File struct {
	Name   string `json:"name"` // base name, which tells the format
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Allowed returns the first of the command lines that an owner allows which a
// command, in words, is one of; nil where there is none. Each word must be the same;
// * in an allowed word stands for any characters, and a word that is * alone for any
// word that is not a flag. The program may be named with its folder on the owner's side.
func Allowed(allowed [][]string, command []string) []string {
	for _, line := range allowed {
		if len(line) != len(command) || len(line) == 0 || !programWord(line[0], command[0]) {
			continue
		}
		same := true
		for i := 1; i < len(line) && same; i++ {
			same = wordMatches(line[i], command[i])
		}
		if same {
			return line
		}
	}
	return nil
}

func programWord(allowed, word string) bool {
	return word == allowed || word == strings.TrimSuffix(filepath.Base(allowed), ".exe")
}

// wordMatches reports whether a word is one that an allowed word stands for.
func wordMatches(allowed, word string) bool {
	parts := strings.Split(allowed, "*")
	if len(parts) == 1 {
		return allowed == word
	}
	if allowed == "*" && strings.HasPrefix(word, "-") || !strings.HasPrefix(word, parts[0]) {
		return false
	}
	word = word[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(word, part)
		if !found {
			return false
		}
		word = after
	}
	return len(word) >= len(last) && strings.HasSuffix(word, last)
}

// submission asks for a task to be done; it is repeated until there is an answer. The task
// follows its line, so that a known one, or one for which there is no room, need not be
// read.
type submission struct {
	ID string `json:"id"`
	// Wrong says that the answer which came was none: another worker may try.
	Wrong bool `json:"wrong,omitempty"`
}

// outcome answers a put, and is what a worker sends.
type outcome struct {
	ID    string          `json:"id"`
	Body  json.RawMessage `json:"body,omitempty"`
	Error string          `json:"error,omitempty"`
	Later bool            `json:"later,omitempty"` // put it again: now there is no room for it
}

// poll asks for tasks; Held are those under way.
type poll struct {
	Free     map[string]int `json:"free"` // by kind
	Programs [][]string     `json:"programs,omitempty"`
	Held     []string       `json:"held,omitempty"`
}

// pollReply answers a poll.
type pollReply struct {
	Tasks []Task `json:"tasks,omitempty"`
	// Gone are those of the worker's tasks that it should end: nobody wants them any
	// more, or they take long while others wait.
	Gone    []string `json:"gone,omitempty"`
	Hello   bool     `json:"hello,omitempty"`
	Refused string   `json:"refused,omitempty"`
}

// drop takes tasks of a client back.
type drop struct {
	IDs []string `json:"ids,omitempty"` // none: all of them
}

const (
	submitAgain = 15 * time.Second // a client's tasks are asked for again
	submitGone  = time.Minute      // and dropped if they are not
	pollWait    = 10 * time.Second // a worker's question waits for work
	taskLease   = 30 * time.Second // without a sign of life of the worker
	taskSlow    = 5 * time.Minute  // after which another worker gets it too; the third after twice as long, and so on
	taskTries   = 3                // workers that may fail at a task, if their games have been found right
	allTries    = 8                // of any kind
)

// Bounds of what the server keeps of tasks. A task costs its bytes and taskCost.
const (
	taskCost     = 1 << 10
	clientTasks  = 32 << 20  // bytes of one client
	allTasks     = 256 << 20 // of all
	firstTasks   = 32        // at a time for a worker that has answered none
	workerTasks  = 1024      // for others
	mostKinds    = 16        // in a worker's question
	MostPrograms = 64        // that a worker allows
	maxPoll      = 64 << 10  // bytes of the question
	mostFiles    = 8         // of a task
	maxPieces    = 64        // pieces of files on their way at a time
	ownPieces    = 4         // of one client's files
	workerPieces = 16        // that a worker may wait for
)

// task is a Task that the server knows.
type task struct {
	key, client string
	id          string // by which workers know it; nobody can guess it
	task        Task
	size        int       // that counts for the client
	reply       string    // where the newest question is answered
	asked       time.Time // when it came
	worker      string    // who has it; "" is nobody
	began       time.Time // when the worker got it
	copies      int       // times that it was given to one more, because it took long
	slow        []string  // workers that have it still, but for too long
	assigned    []string
	expires     time.Time
	failed      []string // workers
	failure     *outcome // the last one, and when
	failedAt    time.Time
	done        *outcome
	doneBy      string
}

// taskQueue is where clients submit tasks and workers poll for them.
type taskQueue struct {
	mu     *sync.Mutex // the server's: it guards the queue and the roster
	roster *roster
	conn   *Conn
	log    *slog.Logger
	now    func() time.Time

	tasks   map[string]*task
	byID    map[string]*task
	held    map[string]map[*task]bool // by worker
	waiting map[string][]*task        // by client, oldest first
	ring    []string                  // clients that wait, the next one first
	parked  map[string]*parked        // questions of workers that wait for work
	costs   map[string]int            // bytes, by client
	bytes   int                       // of all
	checked time.Time

	fetching map[string]int // pieces of clients' files that workers wait for
}

// parked is a worker's question.
type parked struct {
	reply string
	since time.Time
	ask   poll
	held  map[string]bool // tasks that it has
}

func newTaskQueue(mu *sync.Mutex, r *roster) *taskQueue {
	return &taskQueue{mu: mu, roster: r, log: r.log, now: r.now, tasks: map[string]*task{}, byID: map[string]*task{}, held: map[string]map[*task]bool{}, waiting: map[string][]*task{},
		parked: map[string]*parked{}, costs: map[string]int{}, fetching: map[string]int{}}
}

func taskKey(client, id string) string { return client + "/" + id }

// add takes a task in.
func (q *taskQueue) add(e *task, size int) {
	q.tasks[e.key], q.byID[e.id] = e, e
	q.charge(e, size)
	q.queue(e)
}

// charge sets what a task costs its client.
func (q *taskQueue) charge(e *task, size int) {
	q.bytes += size - e.size
	if q.costs[e.client] += size - e.size; q.costs[e.client] == 0 {
		delete(q.costs, e.client)
	}
	e.size = size
}

// room makes room for a client's bytes and reports whether there is any. If all
// clients together have too much, the newest task that waits of the one with most goes:
// that client asks for it again.
func (q *taskQueue) room(client string, size int) bool {
	if q.costs[client]+size > clientTasks {
		return false
	}
	for q.bytes+size > allTasks {
		most, cost := "", q.costs[client]+size
		for who, n := range q.costs {
			if n > cost && len(q.waiting[who]) > 0 {
				most, cost = who, n
			}
		}
		if most == "" {
			return false
		}
		q.remove(q.waiting[most][len(q.waiting[most])-1])
	}
	return true
}

// queue puts a task where workers find it.
func (q *taskQueue) queue(e *task) {
	if len(q.waiting[e.client]) == 0 {
		q.ring = append(q.ring, e.client)
	}
	q.waiting[e.client] = append(q.waiting[e.client], e)
}

// lease notes that a worker has a task, or "" that nobody has.
func (q *taskQueue) lease(e *task, worker string) {
	if of := q.held[e.worker]; of != nil {
		if delete(of, e); len(of) == 0 {
			delete(q.held, e.worker)
		}
	}
	if e.worker = worker; worker == "" {
		return
	}
	if q.held[worker] == nil {
		q.held[worker] = map[*task]bool{}
	}
	q.held[worker][e] = true
}

// next takes the oldest task that fits out, clients in turns.
func (q *taskQueue) next(fits func(e *task) bool) *task {
	for _, client := range q.ring {
		if k := slices.IndexFunc(q.waiting[client], fits); k >= 0 {
			e := q.waiting[client][k]
			if q.unqueue(e); len(q.waiting[client]) > 0 { // it is another's turn
				q.ring = append(slices.DeleteFunc(q.ring, func(c string) bool { return c == client }), client)
			}
			return e
		}
	}
	return nil
}

// remove forgets a task.
func (q *taskQueue) remove(e *task) {
	delete(q.tasks, e.key)
	delete(q.byID, e.id)
	q.lease(e, "")
	q.charge(e, 0)
	q.unqueue(e)
}

// unqueue takes a task away from where workers find it.
func (q *taskQueue) unqueue(e *task) {
	line := q.waiting[e.client]
	if k := slices.Index(line, e); k >= 0 {
		if line = slices.Delete(line, k, k+1); len(line) > 0 {
			q.waiting[e.client] = line
			return
		}
		delete(q.waiting, e.client)
		q.ring = slices.DeleteFunc(q.ring, func(c string) bool { return c == e.client })
	}
}

// fetch begins to fetch a piece of a file for a worker: from the client of a task that
// the worker was given; "" where there is none. many reports whether too many are under
// way for that worker already: then nothing is begun.
func (q *taskQueue) fetch(worker, task, sha string) (client string, many bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.byID[task]
	if e == nil || !slices.Contains(e.assigned, worker) || !slices.ContainsFunc(e.task.Files, func(f File) bool { return f.SHA256 == sha }) {
		return "", false
	}
	if q.fetching[worker] >= workerPieces {
		return e.client, true
	}
	q.fetching[worker]++
	return e.client, false
}

// fetched notes that a worker's question for a piece is over.
func (q *taskQueue) fetched(worker string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fetching[worker]--; q.fetching[worker] == 0 {
		delete(q.fetching, worker)
	}
}

// filesOf is where a client is asked for pieces of its files.
func filesOf(client string) string { return inboxOf(client) + ".files" }
