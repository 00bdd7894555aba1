package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Handler does tasks of one kind.
type Handler struct {
	Most int // at a time
	// Do does a task. files gives the paths of its files by their sha256. The
	// error is about the task: another worker may try.
	Do func(ctx context.Context, body json.RawMessage, files map[string]string) (any, error)
}

// running are the tasks that a worker does.
type running struct {
	mu    sync.Mutex
	held  map[string]context.CancelFunc // by the server's id of the task; nil where it is told to end
	used  map[string]int                // by kind
	freed chan struct{}                 // capacity 1
}

// TakeTasks does tasks until the context ends. [Worker.Run] does it too.
func (w *Worker) TakeTasks(ctx context.Context) error {
	if w.run == "" {
		if err := w.hello(ctx); err != nil {
			return quiet(ctx, err)
		}
	}
	return w.takeTasks(ctx)
}

func (w *Worker) takeTasks(ctx context.Context) error {
	var work sync.WaitGroup
	defer func() {
		work.Wait()
		w.publish(verbPoll, poll{}) // holds nothing and wants nothing
	}()
	for n := 0; ctx.Err() == nil; {
		asking, cancel := context.WithCancel(ctx)
		stop := make(chan struct{})
		go func() { // a place that becomes free is told at once
			select {
			case <-w.running.freed:
				cancel()
			case <-stop:
			}
		}()
		r, err := ask[pollReply](asking, w.conf.Conn, verbPoll, pack(w.wantsTasks()), pollWait+5*time.Second)
		close(stop)
		freed := asking.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
		case err != nil && freed:
		case err != nil:
			n++
			pause(ctx, backoff(n))
		case r.Refused != "":
			return fmt.Errorf("%w: %s", ErrRefused, r.Refused)
		case r.Hello:
			if err := w.hello(ctx); err != nil {
				return quiet(ctx, err)
			}
		default:
			n = 0
			w.end(r.Gone)
			for _, t := range r.Tasks {
				w.begin(ctx, t, &work)
			}
		}
	}
	return nil
}

// wantsTasks says what the worker could do besides what it does.
func (w *Worker) wantsTasks() poll {
	h := &w.running
	h.mu.Lock()
	defer h.mu.Unlock()
	t := poll{Free: map[string]int{}, Programs: w.conf.Programs}
	for kind, handler := range w.conf.Handlers {
		if n := handler.Most - h.used[kind]; n > 0 {
			t.Free[kind] = n
		}
	}
	for key, stop := range h.held {
		if stop != nil {
			t.Held = append(t.Held, key)
		}
	}
	return t
}

// end stops tasks that are under way.
func (w *Worker) end(gone []string) {
	h := &w.running
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range gone {
		if stop := h.held[id]; stop != nil {
			stop()
			h.held[id] = nil
		}
	}
}

// begin does a task beside the others.
func (w *Worker) begin(ctx context.Context, t Task, work *sync.WaitGroup) {
	h := &w.running
	key := t.ID
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, twice := h.held[key]; twice {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	h.held[key] = cancel
	h.used[t.Kind]++
	work.Go(func() {
		o := outcome{ID: t.ID}
		body, err := w.do(ctx, &t)
		if ctx.Err() == nil {
			if o.Body = body; err != nil {
				o.Body, o.Error = nil, err.Error()
			}
			w.tell(ctx, &o)
		}
		cancel()
		h.mu.Lock()
		delete(h.held, key)
		h.used[t.Kind]--
		h.mu.Unlock()
		select {
		case h.freed <- struct{}{}:
		default:
		}
	})
}

// do fetches what a task needs and does it.
func (w *Worker) do(ctx context.Context, t *Task) (json.RawMessage, error) {
	handler, ok := w.conf.Handlers[t.Kind]
	if !ok {
		return nil, fmt.Errorf("this worker does no %q", t.Kind)
	}
	if len(t.Files) > mostFiles {
		return nil, fmt.Errorf("%d files; a task has %d at most", len(t.Files), mostFiles)
	}
	files := map[string]string{}
	for _, f := range t.Files {
		defer w.files.use(f.SHA256)()
		path, err := w.files.path(ctx, f, t.ID)
		if err != nil {
			return nil, err
		}
		files[f.SHA256] = path
	}
	v, err := handler.Do(ctx, t.Body, files)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// tell sends an answer until the server has it, or has long given the task to
// somebody else.
func (w *Worker) tell(ctx context.Context, o *outcome) {
	data := pack(o)
	if len(data) > maxGame {
		data = pack(outcome{ID: o.ID, Error: fmt.Sprintf("the answer has %d bytes, %d are the most", len(data), maxGame)})
	}
	for n, began := 1, time.Now(); ctx.Err() == nil && time.Since(began) < 2*time.Minute; n++ {
		r, err := ask[receipt](ctx, w.conf.Conn, verbDone, data, 10*time.Second)
		if err == nil && r.Verdict != later {
			return
		}
		if err == nil && r.Reason == needHello && w.hello(ctx) != nil {
			return
		}
		pause(ctx, backoff(n))
	}
}
