package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// Pool has tasks done by a cluster's workers.
type Pool struct {
	conn *Conn
	log  *slog.Logger
	next atomic.Int64
	done atomic.Int64
	warn sync.Once
	sub  *nats.Subscription

	mu    sync.Mutex
	files map[string]string  // path by sha256
	known map[string]offered // by path
}

// offered is a file as it was when its sum was computed.
type offered struct {
	File
	changed time.Time
}

// ErrTask is wrapped where a task cannot be done by any worker.
var ErrTask = errors.New("the workers cannot do this")

// NewPool uses a connection of its own, which Close does not close.
func NewPool(conn *Conn, log *slog.Logger) (*Pool, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	p := &Pool{conn: conn, log: log, files: map[string]string{}, known: map[string]offered{}}
	var err error
	p.sub, err = conn.nats.Subscribe(filesOf(conn.ID), p.piece)
	return p, err
}

// OpenPool connects to a cluster by its address.
func OpenPool(c DialConfig) (*Pool, func(), error) {
	conn, err := Dial(c)
	if err != nil {
		return nil, nil, err
	}
	if err := conn.reach(10 * time.Second); err != nil {
		conn.Close()
		return nil, nil, err
	}
	p, err := NewPool(conn, c.Log)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return p, func() { p.Close(); conn.Close() }, nil
}

// Offer has workers fetch a file from here when a task needs it.
func (p *Pool) Offer(path string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return File{}, err
	}
	p.mu.Lock()
	known := p.known[path]
	p.mu.Unlock()
	if known.Bytes == info.Size() && known.changed.Equal(info.ModTime()) && known.SHA256 != "" {
		return known.File, nil
	}
	sum, err := fileSum(path)
	if err != nil {
		return File{}, err
	}
	if info.Size() > maxNetwork {
		return File{}, fmt.Errorf("%s: %d bytes are too many", path, info.Size())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[sum] = path
	f := File{Name: filepath.Base(path), SHA256: sum, Bytes: info.Size()}
	p.known[path] = offered{f, info.ModTime()}
	return f, nil
}

// Done counts the tasks that have been answered.
func (p *Pool) Done() int64 { return p.done.Load() }

// Do has a task done and reads its answer. Any number of goroutines may call it;
// it goes on through outages until there is an answer or the context ends.
func (p *Pool) Do(ctx context.Context, t Task, answer any) error {
	t.ID = fmt.Sprint(p.next.Add(1))
	data := packSubmission(submission{ID: t.ID}, &t)
	if len(data) > maxGame {
		return fmt.Errorf("%w: it has %d bytes, %d are the most", ErrTask, len(data), maxGame)
	}
	wrong := false
	for began, n := time.Now(), 0; ctx.Err() == nil; {
		question := data
		if wrong {
			question = packSubmission(submission{t.ID, true}, &t)
		}
		o, err := ask[outcome](ctx, p.conn, verbSubmit, question, submitAgain)
		wrong = false
		switch {
		case err == nil && o.Later: // the server has enough of this client, or of all
			n = max(n, 4) + 1
			pause(ctx, backoff(n))
		case err == nil && o.Error != "":
			p.forget(t.ID)
			return fmt.Errorf("%w: %s", ErrTask, o.Error)
		case err == nil:
			if wrong = json.Unmarshal(o.Body, answer) != nil; wrong {
				continue
			}
			p.done.Add(1)
			p.forget(t.ID)
			return nil
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			n = 0 // it waits, or is under way
		default:
			n++
			pause(ctx, backoff(n))
		}
		if p.done.Load() == 0 && time.Since(began) > 2*submitAgain {
			p.warn.Do(func() {
				p.log.Warn("no worker has finished anything yet; does one run (engine work ADDRESS), and engine cluster status ADDRESS show it?")
			})
		}
	}
	return context.Cause(ctx)
}

func packSubmission(p submission, t *Task) []byte { return append(append(pack(p), '\n'), pack(t)...) }

// forget says that the server need not keep a task any more: it is answered.
func (p *Pool) forget(id string) {
	p.conn.nats.Publish(p.conn.subject(verbDrop), pack(drop{[]string{id}}))
}

// piece answers the server, where a worker fetches a file.
func (p *Pool) piece(m *nats.Msg) {
	var r wanted
	if unpack(m.Data, &r) != nil {
		return
	}
	p.mu.Lock()
	path := p.files[r.SHA256]
	p.mu.Unlock()
	data, err := readPiece(path, r.Offset)
	if err != nil {
		p.log.Warn("a worker asks for a file in vain", "path", path, "error", err)
	}
	m.Respond(data)
}

// readPiece reads a part of a file, as far as it goes; nil beyond its end.
func readPiece(path string, at int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, piece)
	n, err := f.ReadAt(data, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// Close takes back what is not done.
func (p *Pool) Close() {
	p.conn.nats.Publish(p.conn.subject(verbDrop), pack(drop{}))
	p.conn.nats.FlushTimeout(time.Second)
	p.sub.Unsubscribe()
}
