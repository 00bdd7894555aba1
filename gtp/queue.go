package gtp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
)

// line is one input line on its way to the dispatcher.
type line struct {
	command Command
	fault   string // if not empty, the whole answer to the line
	length  int    // bytes of the line's text
	seq     int64  // number of the line in the session, from 1
	script  int    // number of the script that the line belongs to; see burst
	tooLong bool   // command holds only the line's beginning
}

// burst is the longest wait between two lines of a script: after a longer wait, a new script begins. Quit and the
// end of input let searches of their own script run in full, but end those of an earlier script. Time in which
// the reader waits because the queue is full does not count.
const burst = 100 * time.Millisecond

// Reasons why a command's context ends.
var (
	errInput     = errors.New("input arrived")
	errInterrupt = errors.New("interrupted")
	errLeaving   = errors.New("the session ends")
)

// queue passes lines from the reader to the dispatcher, and cancels the running command when a
// line that was read requires it.
type queue struct {
	ready chan struct{} // holds a token if the dispatcher may have something to do
	room  chan struct{} // holds a token if the reader may continue
	mu    struct {
		sync.Mutex
		lines   []line
		size    int   // bytes that lines take
		last    int64 // seq of the newest line
		script  int   // script of the newest line
		left    bool  // quit or the end of input was read
		ended   bool  // the input has ended
		running *running
	}
	most  int // bytes beyond which the reader waits
	parse func(line string) (c Command, fault string, ok bool)
}

// bytes estimates the memory of a waiting line.
func (l *line) bytes() int { return 2*l.length + 16*len(l.command.Args) + 128 }

type running struct {
	line
	cancel  context.CancelCauseFunc
	byInput bool // any line ends it
}

func newQueue(most int, parse func(string) (Command, string, bool)) *queue {
	return &queue{ready: make(chan struct{}, 1), room: make(chan struct{}, 1), most: most, parse: parse}
}

// token puts a token into a channel with room for one, unless it holds one.
func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// push parses a line, adds it and returns whether the reader should go on: not after
// quit.
func (q *queue) push(text string, tooLong bool) (more bool) {
	c, fault, ok := q.parse(text)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.last++
	interrupt := strings.Trim(text, " \t\r") == "# interrupt"
	if r := q.mu.running; r != nil {
		switch {
		case r.byInput:
			r.cancel(errInput)
		case interrupt:
			r.cancel(errInterrupt)
		}
	}
	if !ok && !tooLong {
		return true
	}
	l := line{command: c, fault: fault, length: len(text), seq: q.mu.last, script: q.mu.script, tooLong: tooLong}
	q.mu.lines = append(q.mu.lines, l)
	q.mu.size += l.bytes()
	if c.Name == "quit" && !tooLong {
		q.leave()
		q.mu.ended = true
	}
	token(q.ready)
	return !q.mu.ended
}

// end notes that no line will follow.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.last++
	q.mu.ended = true
	if r := q.mu.running; r != nil && r.byInput {
		r.cancel(errInput)
	}
	if !q.mu.left {
		q.leave()
	}
	token(q.ready)
}

// waited notes how long the reader waited for the newest line. After a wait longer than burst, that
// line is the first one of a new script.
func (q *queue) waited(d time.Duration) {
	if d <= burst {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.script++
}

// leave records that the client leaves, and ends the running command unless it belongs to the
// newest script. The caller holds the lock.
func (q *queue) leave() {
	q.mu.left = true
	if r := q.mu.running; r != nil && q.outlasted(r) {
		r.cancel(errLeaving)
	}
}

// outlasted reports whether a command must stop because the client has left. Commands that had
// arrived together with the client's last one may still finish. The caller holds the lock.
func (q *queue) outlasted(r *running) bool {
	return q.mu.left && r.script != q.mu.script
}

// pop waits for the next line; ok is false after the last one or when ctx has ended.
func (q *queue) pop(ctx context.Context) (l line, ok bool) {
	for {
		q.mu.Lock()
		if len(q.mu.lines) > 0 && ctx.Err() == nil {
			l = q.mu.lines[0]
			q.mu.lines[0] = line{}
			q.mu.lines = q.mu.lines[1:]
			q.mu.size -= l.bytes()
			q.mu.Unlock()
			token(q.room)
			return l, true
		}
		ended := q.mu.ended
		q.mu.Unlock()
		if ended || ctx.Err() != nil {
			return line{}, false
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
		}
	}
}

// start registers the running command, and cancels it at once if the input that should end it has
// already been read.
func (q *queue) start(r *running) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.running = r
	switch {
	case r.byInput && q.mu.last > r.seq:
		r.cancel(errInput)
	case q.outlasted(r):
		r.cancel(errLeaving)
	}
}

func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mu.running = nil
}

func (q *queue) full() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.size > q.most
}

// read feeds lines from r to the queue until r ends, quit is read, or ctx ends while the queue is
// full. most is the longest line in bytes; a longer one is cut and marked as tooLong.
func (q *queue) read(ctx context.Context, r io.Reader, most int) {
	defer q.end()
	b := bufio.NewReaderSize(r, 1<<16)
	for {
		began := time.Now()
		text, tooLong, err := readLine(b, most)
		q.waited(time.Since(began))
		if err != nil && text == "" {
			return
		}
		if !q.push(text, tooLong) || err != nil {
			return
		}
		for q.full() {
			select {
			case <-q.room:
			case <-ctx.Done():
				return
			}
		}
	}
}

// readLine reads up to the next LF, which is left out. It returns a last line
// without LF together with the error.
func readLine(b *bufio.Reader, most int) (text string, tooLong bool, err error) {
	var long []byte
	for {
		part, err := b.ReadSlice('\n')
		if room := most - len(long); len(part) > room {
			part, tooLong = part[:room], true
		}
		long = append(long, part...)
		if err != bufio.ErrBufferFull {
			return strings.TrimSuffix(string(long), "\n"), tooLong, err
		}
	}
}
