package cluster

import (
	"context"
	"sync"
	"time"
)

// atOnce bounds the games that a worker sends at once.
const atOnce = 256

// upload sends the games of the spool until the context ends, and waits for those being sent.
func (w *Worker) upload(ctx context.Context) {
	slots := make(chan struct{}, atOnce)
	var sending sync.WaitGroup
	defer sending.Wait()
	for ctx.Err() == nil {
		g := w.spool.next()
		if g == nil {
			select {
			case <-w.spool.news:
			case <-ctx.Done():
			}
			continue
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			w.spool.back(g)
			return
		}
		sending.Go(func() {
			w.send(ctx, g)
			<-slots
		})
	}
}

// send sends a game until the server stores or rejects it.
func (w *Worker) send(ctx context.Context, g *spooled) {
	packed, err := g.read()
	if err != nil {
		w.conf.Log.Error("a game is lost", "error", err)
		w.spool.drop(g)
		return
	}
	line := pack(upload{g.offer})
	data := append(append(line, '\n'), packed...)
	for n := 1; ctx.Err() == nil; n++ {
		r, err := ask[receipt](ctx, w.conf.Conn, verbGame, data, 40*time.Second)
		switch {
		case err != nil || r.Verdict == later:
			if err == nil && r.Reason == needHello {
				w.hello(ctx) // a refusal is reported at the next lease
			}
			pause(ctx, backoff(n+2))
			continue
		case r.Verdict == rejected:
			w.conf.Log.Warn("the server rejects a game", "number", g.id.Number, "reason", r.Reason)
		}
		w.spool.drop(g)
		if !g.more {
			w.mu.Lock()
			delete(w.held, g.id.Number)
			w.mu.Unlock()
		}
		return
	}
	w.spool.back(g)
}
