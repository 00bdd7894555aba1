package cluster

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"kosumi/nn"
)

// gateGames is how many games of a gating match a worker plays at once.
const gateGames = 16

// gatePlayer plays games of gating matches for a worker.
type gatePlayer struct {
	w     *Worker
	games sync.WaitGroup
	freed chan struct{} // tells that a game is over; capacity 1

	mu       sync.Mutex
	held     map[string]context.CancelFunc // games under way, by id
	networks map[string]*gateNetwork       // networks by the sha256 of their files
	exams    map[string]*Exam              // exams to pass, by sha256 of the network
}

// gateNetwork is a network of a gating match.
type gateNetwork struct {
	mu    sync.Mutex // held while the network is opened and passes its exam
	model *Model
	err   error
}

// PlayMatches plays games of gating matches until the context ends. [Worker.Run] includes it.
func (w *Worker) PlayMatches(ctx context.Context) error {
	p := &gatePlayer{w: w, freed: make(chan struct{}, 1), held: map[string]context.CancelFunc{}, networks: map[string]*gateNetwork{}, exams: map[string]*Exam{}}
	defer func() {
		p.games.Wait()
		p.close()
		w.publish(verbGate, gateRequest{}) // an empty request: no games are under way
	}()
	for failures := 0; ctx.Err() == nil; {
		r, err := ask[gateReply](ctx, w.conf.Conn, verbGate, pack(p.request()), 10*time.Second)
		switch {
		case err != nil:
			failures++
			pause(ctx, backoff(failures))
			continue
		case r.Refused != "":
			return fmt.Errorf("%w: %s", ErrRefused, r.Refused)
		case r.Hello:
			if err := w.hello(ctx); err != nil {
				return quiet(ctx, err)
			}
			continue
		}
		failures = 0
		p.end(r.Gone)
		p.begin(ctx, r)
		if len(p.request().Held) == 0 {
			p.close()
		}
		select {
		case <-p.freed:
		case <-time.After(w.conf.Poll):
		case <-ctx.Done():
		}
	}
	return nil
}

// request names the games under way and asks for as many as can be added.
func (p *gatePlayer) request() gateRequest {
	p.mu.Lock()
	defer p.mu.Unlock()
	return gateRequest{gateGames - len(p.held), slices.Collect(maps.Keys(p.held))}
}

// end stops games that the server no longer needs.
func (p *gatePlayer) end(gone []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range gone {
		if stop := p.held[id]; stop != nil {
			stop()
		}
	}
}

// begin starts the games of a reply.
func (p *gatePlayer) begin(ctx context.Context, r *gateReply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range r.Exams {
		p.exams[r.Exams[i].SHA256] = &r.Exams[i]
	}
	for i := range r.Games {
		p.beginGame(ctx, &r.Games[i])
	}
}

// beginGame starts a goroutine that plays a game. The caller holds mu.
func (p *gatePlayer) beginGame(ctx context.Context, o *gateOffer) {
	ctx, stop := context.WithCancel(ctx)
	p.held[o.ID] = stop
	p.games.Go(func() {
		done := gateOutcome{ID: o.ID}
		if err := p.play(ctx, o, &done); err != nil {
			done.Error = err.Error()
		}
		if ctx.Err() == nil {
			p.tell(ctx, &done)
		}
		stop()
		p.mu.Lock()
		delete(p.held, o.ID)
		p.mu.Unlock()
		wake(p.freed)
	})
}

func (p *gatePlayer) play(ctx context.Context, o *gateOffer, done *gateOutcome) error {
	a, err := p.network(ctx, o.A)
	if err != nil {
		return err
	}
	b, err := p.network(ctx, o.B)
	if err != nil {
		return err
	}
	done.Outcome, err = o.Game.Play(ctx, a, b)
	done.Outcome.Invalid = nn.AsNetwork(a).Stats().Invalid // a is the new network; only its invalid answers count
	return err
}

// network returns a network, which it opens if need be, once this worker has passed the exam for it.
func (p *gatePlayer) network(ctx context.Context, f File) (nn.Evaluator, error) {
	p.mu.Lock()
	n := p.networks[f.SHA256]
	if n == nil {
		n = new(gateNetwork)
		p.networks[f.SHA256] = n
	}
	p.mu.Unlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.model == nil && n.err == nil {
		if n.model, n.err = p.w.open(ctx, f, nil); ctx.Err() != nil {
			n.err = nil // the next game tries again
		}
	}
	if n.model == nil {
		return nil, cmp.Or(n.err, ctx.Err())
	}
	p.mu.Lock()
	x := p.exams[f.SHA256]
	p.mu.Unlock()
	for passed := x == nil; !passed; {
		var err error
		if passed, err = p.w.exam(ctx, x, n.model.Evaluator); err != nil || ctx.Err() != nil {
			return nil, cmp.Or(err, ctx.Err())
		}
	}
	p.mu.Lock()
	delete(p.exams, f.SHA256)
	p.mu.Unlock()
	return n.model.Evaluator, nil
}

// close closes the networks. It may be called only when no game is under way.
func (p *gatePlayer) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.networks {
		if n.model != nil {
			n.model.Close()
		}
	}
	clear(p.networks)
}

// tell sends an outcome until the server confirms it, for at most two minutes; after that
// another worker gets the game.
func (p *gatePlayer) tell(ctx context.Context, o *gateOutcome) {
	for n, began := 1, time.Now(); ctx.Err() == nil && time.Since(began) < 2*time.Minute; n++ {
		r, err := ask[receipt](ctx, p.w.conf.Conn, verbOutcome, pack(o), 10*time.Second)
		if err == nil && r.Verdict != later {
			return
		}
		if err == nil && r.Reason == needHello && p.w.hello(ctx) != nil {
			return
		}
		pause(ctx, backoff(n))
	}
}
