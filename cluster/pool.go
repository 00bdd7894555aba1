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
	conn *nats.Conn
	id   string
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

// NewPool uses a connection of its own, which Close does not close. Its id is the
// one that the connection was made with: 32 hex digits.
func NewPool(conn *nats.Conn, id string, log *slog.Logger) (*Pool, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	p := &Pool{conn: conn, id: id, log: log, files: map[string]string{}, known: map[string]offered{}}
	var err error
	p.sub, err = conn.Subscribe(filesOf(id), p.piece)
	return p, err
}

// OpenPool connects to a cluster by its address.
func OpenPool(c DialConfig) (*Pool, func(), error) {
	c.ID = NewID()
	conn, err := Dial(c)
	if err != nil {
		return nil, nil, err
	}
	if err := conn.FlushTimeout(10 * time.Second); err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("no connection: is the address right, its token too, and does the loop serve? %w", err)
	}
	p, err := NewPool(conn, c.ID, c.Log)
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
	data := pack(put{p.id, t})
	if len(data) > maxGame {
		return fmt.Errorf("%w: it has %d bytes, %d are the most", ErrTask, len(data), maxGame)
	}
	for began, n := time.Now(), 0; ctx.Err() == nil; {
		o, err := ask[outcome](ctx, p.conn, subjectPut, data, putAgain)
		switch {
		case err == nil && o.Error != "":
			return fmt.Errorf("%w: %s", ErrTask, o.Error)
		case err == nil:
			p.done.Add(1)
			return json.Unmarshal(o.Body, answer)
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			n = 0 // it waits, or is under way
		default:
			n++
			pause(ctx, backoff(n))
		}
		if p.done.Load() == 0 && time.Since(began) > 2*putAgain {
			p.warn.Do(func() {
				p.log.Warn("no worker has finished anything yet; does one run (engine work ADDRESS), and engine cluster status ADDRESS show it?")
			})
		}
	}
	return context.Cause(ctx)
}

// piece answers a worker that fetches a file.
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
	p.conn.Publish(subjectDrop, pack(drop{p.id}))
	p.conn.FlushTimeout(time.Second)
	p.sub.Unsubscribe()
}
