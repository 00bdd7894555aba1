package engines

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/life"
	"kosumi/nn"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// stages are the time limits of the first searches for an answer; a last search uses the question's
// remaining time. Results are published after each. The first settles enclosed groups; later ones
// use a network.
var stages = []time.Duration{250 * time.Millisecond, 2500 * time.Millisecond}

// Time for a question, in seconds: the default and the maximum.
const (
	usually = 30
	longest = 600
)

// Proofs holds what the questions of all connections share: the network and the cores.
type Proofs struct {
	network life.Network
	slots   chan struct{}
}

// NewProofs shares half of the processor's cores between questions. network estimates what is not
// proved; nil: no estimates.
func NewProofs(network life.Network) *Proofs {
	return &Proofs{network: network, slots: make(chan struct{}, max(1, nn.Cores()/2))}
}

// Asker answers the questions of one connection, one at a time: a new question ends the search for
// the previous one. Make one with [Proofs.Asker].
type Asker struct {
	shared *Proofs
	ctx    context.Context // ends with the connection
	post   func(api.Event)
	jobs   sync.WaitGroup

	mu    sync.Mutex
	cut   context.CancelFunc // the running search; nil: none
	asked int
	state api.LifeState
	walk  *life.Walk
}

// Asker returns the asker of a connection; post receives its events.
func (s *Proofs) Asker(ctx context.Context, post func(api.Event)) *Asker {
	return &Asker{shared: s, ctx: ctx, post: post, state: empty()}
}

func empty() api.LifeState {
	return api.LifeState{Target: []string{}, Assumed: []string{}, Cards: []api.LifeCard{}}
}

// Close waits for the search to end; the connection's context must have ended.
func (a *Asker) Close() { a.jobs.Wait() }

// State returns the findings on the last question.
func (a *Asker) State() api.LifeState {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}

// Ask starts the search for an answer about stones of a position. It returns an error for a bad question.
func (a *Asker) Ask(g *board.Game, v *api.AskLife) (api.LifeAsked, error) {
	q, err := question(g, v)
	if err != nil {
		return api.LifeAsked{}, err
	}
	limit := v.Seconds
	if limit == 0 {
		limit = usually
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop()
	ctx, cut := context.WithCancel(a.ctx)
	a.asked++
	a.cut, a.walk, a.state = cut, nil, empty()
	a.state.Ask, a.state.Busy, a.state.Colour = a.asked, true, wire.Letter(q.Stones[q.Targets[0]])
	a.state.Target, a.state.Assumed = names(q, q.Targets), names(q, q.Assumed)
	number := a.asked
	a.jobs.Go(func() {
		defer cut()
		a.answer(ctx, number, q, v.Assume == nil, time.Duration(limit*float64(time.Second)))
	})
	return api.LifeAsked{Ask: number}, nil
}

// question checks a question of a page and converts it for package life.
func question(g *board.Game, v *api.AskLife) (*life.Question, error) {
	if !(v.Seconds >= 0 && v.Seconds <= longest) {
		return nil, api.Refuse("bad_request", "seconds: 0 to %d", longest)
	}
	if area := g.Size().Area(); len(v.Stones) == 0 || len(v.Stones) > area || len(v.Assume) > area {
		return nil, api.Refuse("bad_request", "stones: 1 to %d, assume: up to %d", area, area)
	}
	q := life.QuestionOf(g)
	q.All = v.All
	var err error
	if q.Targets, err = stonesOf(q, v.Stones); err != nil {
		return nil, err
	}
	for _, p := range q.Targets {
		if q.Stones[p] != q.Stones[q.Targets[0]] {
			return nil, api.Refuse("bad_request", "stones of both colours")
		}
	}
	if v.Assume == nil {
		q.Assumed = life.Surroundings(q.Size, q.Stones, q.Targets)
		return q, nil
	}
	q.Assumed, err = stonesOf(q, v.Assume)
	return q, err
}

func stonesOf(q *life.Question, names []string) (list []board.Point, err error) {
	for _, name := range names {
		p, err := q.Size.ParseVertex(name)
		if err != nil || p == board.Pass || q.Stones[p] == board.Empty {
			return nil, api.Refuse("bad_request", "there is no stone on %s", wire.Shown(name, 10))
		}
		list = append(list, p)
	}
	return list, nil
}

func names(q *life.Question, list []board.Point) []string {
	return wire.Vertices(q.Size, list, len(list))
}

// answer searches in stages and publishes after each. If the page named no chains to assume alive,
// the stages from the second on assume the chains that the network considers surely alive.
func (a *Asker) answer(ctx context.Context, number int, q *life.Question, free bool, limit time.Duration) {
	select {
	case a.shared.slots <- struct{}{}:
		defer func() { <-a.shared.slots }()
	case <-ctx.Done():
		a.tell(number, func(s *api.LifeState) { s.Busy = false })
		return
	}
	began := time.Now()
	opts := life.Options{Progress: Breath()} // the first stage works without the network, which may still be loading
	for i := 0; ; i++ {
		stage := limit - time.Since(began)
		if i < len(stages) {
			stage = min(stage, stages[i])
		}
		opts.Time = max(stage, time.Millisecond)
		out, err := life.Ask(ctx, q, opts)
		done := err != nil || ctx.Err() != nil || complete(out) || time.Since(began) >= limit || i == len(stages)
		a.tell(number, func(s *api.LifeState) {
			s.Busy, s.Seconds = !done, wire.Round(time.Since(began).Seconds(), 2)
			if errors.Is(err, life.ErrQuestion) {
				err = api.Refuse("unsupported", "%v", err)
			}
			if err != nil {
				s.Error = api.AsError(err)
				return
			}
			if better(s.Cards, out) {
				s.Cards, s.Assumed, a.walk = cards(out), append([]string{}, out.Assumed...), out.Walk
			}
		})
		if done {
			return
		}
		if opts.Network = a.shared.network; i == 0 && free {
			deeper := *q
			deeper.Assumed = life.EnclosedBy(ctx, q, opts.Network)
			q = &deeper
		}
	}
}

// complete reports whether a longer search would find nothing more.
func complete(out *life.Answer) bool {
	whole := func(c *life.Card) bool { return c.Proved && (c.AllMoves || len(out.Assumed) == 0) }
	return whole(out.Attacks) && whole(out.Defends)
}

// better reports whether an answer has at least as many proved cards as the page shows now. A
// cancelled stage may prove less than the stage before it.
func better(shown []api.LifeCard, out *life.Answer) bool {
	n := 0
	for _, c := range shown {
		if c.Proved {
			n++
		}
	}
	for _, c := range []*life.Card{out.Attacks, out.Defends} {
		if c.Proved {
			n--
		}
	}
	return n <= 0
}

// tell changes the state of a question and posts it, unless another question has been asked since.
func (a *Asker) tell(number int, change func(*api.LifeState)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked != number {
		return
	}
	change(&a.state)
	if !a.state.Busy {
		a.cut = nil
	}
	a.post(api.LifeNews.Of(a.state))
}

// Stop ends the search for an answer. The findings that have been published stay.
func (a *Asker) Stop(v *api.LifeAsked) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v.Ask == a.asked {
		a.stop()
	}
	return nil
}

func (a *Asker) stop() {
	if a.cut != nil {
		a.cut()
		a.cut = nil
	}
}

// Play plays the page's moves against the proof for the last question. The proof gives the replies.
func (a *Asker) Play(v *api.PlayLife) (*api.LifeStep, error) {
	a.mu.Lock()
	walk, asked := a.walk, a.asked
	a.mu.Unlock()
	first := wire.ParseColour(v.First)
	switch {
	case v.Ask != asked || v.Ask == 0:
		return nil, api.Refuse("stale", "another question has been asked")
	case first == board.Empty:
		return nil, api.Refuse("bad_request", "first: b or w")
	case walk == nil || !walk.Plays(first):
		return nil, api.Refuse("unsupported", "there is no proof to play against")
	case len(v.Moves) > board.MaxMoves:
		return nil, api.Refuse("limit", "too many moves")
	}
	size := walk.Size()
	moves := make([]board.Point, len(v.Moves))
	for i, name := range v.Moves {
		p, err := size.ParseVertex(name)
		if err != nil {
			return nil, api.Refuse("bad_request", "%v", err)
		}
		moves[i] = p
	}
	s, err := walk.Play(first, moves)
	if err != nil {
		return nil, api.Refuse("illegal", "%v", err)
	}
	out := &api.LifeStep{Ask: v.Ask, First: v.First, Moves: append([]string{}, v.Moves...), Line: wire.Vertices(size, s.Line, len(s.Line)), ToMove: wire.Letter(s.ToMove),
		Winner: wire.Letter(s.Winner), Elsewhere: s.Elsewhere, End: s.End}
	stones, legal := make([]byte, len(s.Stones)), make([]byte, len(s.Stones))
	for i, c := range s.Stones {
		stones[i], legal[i] = ".bw"[c], '0'
	}
	for _, p := range s.Legal {
		legal[p] = '1'
	}
	out.Stones, out.Legal = string(stones), string(legal)
	return out, nil
}

// cards converts an answer for pages: the card for Black's first move, then the one for White's.
func cards(out *life.Answer) []api.LifeCard {
	attacker, _ := board.ParseColor(out.Attacker)
	all := []api.LifeCard{card(out, out.Attacks, attacker), card(out, out.Defends, attacker.Opponent())}
	if attacker == board.White {
		all[0], all[1] = all[1], all[0]
	}
	return all
}

func card(out *life.Answer, c *life.Card, first board.Color) api.LifeCard {
	w := api.LifeCard{First: wire.Letter(first), Verdict: c.Verdict, Proved: c.Proved, Moves: append([]string{}, c.Moves...), Every: c.AllMoves, Then: c.Then,
		Zone: append([]string{}, c.Zone...), Plays: out.Walk != nil && out.Walk.Plays(first)}
	defender, _ := board.ParseColor(out.Defender)
	switch {
	case c.NeedD > 0:
		w.Threats, w.Who = int(c.NeedD), wire.Letter(defender)
	case c.NeedA > 0:
		w.Threats, w.Who = int(c.NeedA), wire.Letter(defender.Opponent())
	}
	if w.AtLeast = c.AtLeast; w.Threats == int(life.Endless) {
		w.Threats = -1
	}
	if c.Ko != nil {
		w.Ko, w.Line = c.Ko.Name, c.Ko.Line
	}
	if c.Network != nil && !math.IsNaN(*c.Network) {
		alive := wire.Round(*c.Network, 3)
		w.Alive = &alive
	}
	return w
}
