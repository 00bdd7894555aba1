package nn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"kosumi/board"
	"kosumi/nn/features"
)

// ServerConfig holds the settings of a [Server]. The zero value is one session,
// batches of 8, no cache, random orientations.
type ServerConfig struct {
	// Sessions is the number of backends, each with its own goroutine, for each board size; 0 means 1.
	// On a CPU, use one for each core.
	Sessions int
	// MaxBatch is the largest batch; 0 means 8. A backend may take less.
	MaxBatch int
	// OneDevice is the number of batches that a device shared by all sessions gets at once; one session
	// at a time fills its batch until the device takes it. 0 means that each session computes on its own
	// core and leaves the other sessions their share of the queue.
	OneDevice int
	// CacheBytes limits the memory of the cache, which is allocated on first use;
	// 0 means no cache. 256 MiB hold about 350,000 evaluations on 19x19 and
	// 1.2 million on 9x9.
	CacheBytes int64
	// ExactCache keeps policies and ownership as they were computed. Without it they are rounded
	// to 16 bits, with a relative error of at most 2^-12 for a probability.
	ExactCache bool
	// Reproducible makes answers independent of earlier queries: the cache is exact, and answers
	// a query only if the last moves and the orientation are the same too. Otherwise
	// transpositions share an answer, as in KataGo.
	Reproducible bool
	// Seed starts the generator of random orientations.
	Seed uint64
	// FixedSymmetry answers SymmetryRandom with orientation 0, so that equal
	// queries have equal answers.
	FixedSymmetry bool
	// Meta is the profile for queries without one, if the network has metadata inputs.
	Meta *features.Meta
}

// Validate returns every fault of the settings, joined.
func (c *ServerConfig) Validate() error {
	var errs []error
	if c.Sessions < 0 || c.Sessions > 1024 {
		errs = append(errs, fmt.Errorf("sessions must be 1 to 1024, not %d", c.Sessions))
	}
	if c.OneDevice < 0 {
		errs = append(errs, fmt.Errorf("the number of batches on a device must not be negative: %d", c.OneDevice))
	}
	if c.MaxBatch < 0 || c.MaxBatch > 65536 {
		errs = append(errs, fmt.Errorf("the largest batch must be 1 to 65536, not %d", c.MaxBatch))
	}
	if c.CacheBytes < 0 {
		errs = append(errs, fmt.Errorf("the size of the cache must not be negative: %d", c.CacheBytes))
	}
	return errors.Join(errs...)
}

// Server evaluates queries of any number of callers with one model. It is a
// [Network].
//
// For each board size there are Sessions goroutines that own a backend each and
// share a queue. A session takes the queued jobs, at most a full batch; if it runs on the
// processor and other sessions are idle, it leaves them their share. There is no timer:
// batches form while backends are busy. A session encodes its rows into the backend's
// memory and decodes them from there. While a GPU computes, another session encodes.
type Server struct {
	model Model
	conf  ServerConfig
	cache *cache
	turns atomic.Uint64 // random orientations drawn so far

	waiters sync.Pool // pool of *waiter
	stats   counters

	last atomic.Pointer[sizePool] // pool of the size used last, for the fast path
	mu   struct {
		sync.Mutex
		pools  map[board.Size]*sizePool
		clock  uint64 // counts uses, for the order of eviction
		closed bool
	}
	closing sync.WaitGroup // pools that are being closed
}

var _ Network = (*Server)(nil)

// NewServer returns a server for the model. Nothing is opened until the first
// query or Warm. The caller closes the model, after the server.
func NewServer(m Model, c ServerConfig) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c.Sessions, c.MaxBatch = cmp.Or(c.Sessions, 1), cmp.Or(c.MaxBatch, 8)
	s := &Server{model: m, conf: c, cache: newCache(c.CacheBytes, c.ExactCache || c.Reproducible)}
	s.waiters.New = newWaiter
	s.mu.pools = make(map[board.Size]*sizePool)
	return s, nil
}

// Evaluate sets *out to the answer for the position of q, from the cache or by the network. The
// end of ctx cancels the query while it waits for a batch, or if a device takes far too long. Errors are
// the context's, ErrClosed, ErrQuery, ErrSize, ErrSpec, or ErrBackend with the backend's error.
func (s *Server) Evaluate(ctx context.Context, q *Query, out *Output) error {
	if q == nil {
		return checkQuery(q)
	}
	w := s.waiters.Get().(*waiter)
	w.query = *q
	w.Query, w.Out = &w.query, out
	s.Submit(ctx, &w.Job)
	<-w.done
	err := w.Err
	w.query, w.Query, w.Out, w.Err = Query{}, nil, nil, nil
	s.waiters.Put(w)
	return err
}

// checkQuery refuses queries that would panic later.
func checkQuery(q *Query) error {
	switch {
	case q == nil || q.Game == nil:
		return fmt.Errorf("%w: no game", ErrQuery)
	case q.Symmetry < SymmetryRandom || q.Symmetry >= board.NumSymmetries:
		return fmt.Errorf("%w: symmetry %d, use 0 to 7 or SymmetryRandom", ErrQuery, q.Symmetry)
	case !(q.PolicyTemperature >= 0):
		return fmt.Errorf("%w: policy temperature %v must be positive, or 0 for 1", ErrQuery, q.PolicyTemperature)
	}
	return nil
}

// randomSymmetry draws an orientation: the n-th draw is a fixed function of the
// seed and n.
func (s *Server) randomSymmetry() int8 {
	if s.conf.FixedSymmetry {
		return 0
	}
	n := s.turns.Add(1)
	return int8(scramble(s.conf.Seed+n*0x9e3779b97f4a7c15) >> 61)
}

// key returns a query's identity in the cache, which includes the players' profile if the network
// has metadata inputs.
func (s *Server) key(q *Query, who *features.Meta) cacheKey {
	g, o := q.Game, &q.Options
	h := g.Hash()
	k := cacheKey{h.Hi, h.Lo}
	flags := uint64(0)
	set := func(bit int, on bool) {
		if on {
			flags |= 1 << bit
		}
	}
	if g.PassWouldEndPhase() {
		set(0, o.ConservativePassRoot)
		set(1, o.PassingHacks)
		set(2, g.Rules().FriendlyPassOk)
		set(3, true)
	}
	set(4, o.PassingHacks)
	set(5, o.HistoryHidden)
	set(6, g.Ended())
	rules := g.Rules()
	if !rules.Suicide {
		flags |= uint64(o.Areas.PassAliveUnderSuicide) << 7
	}
	if rules.Scoring == board.ScoringTerritory && rules.Tax == board.TaxNone {
		flags |= uint64(o.Areas.ExcludeTerritoryAdjacentToAtari) << 9
	}
	k = k.mix(flags)
	k = k.mix(uint64(math.Float32bits(o.PlayoutDoublingAdvantage))<<32 | uint64(math.Float32bits(q.Optimism)))
	k = k.mix(uint64(math.Float32bits(q.PolicyTemperature))<<32 | uint64(math.Float32bits(float32(o.DrawWins()))))
	if who != nil {
		k = mixMeta(k, who)
	}
	if s.conf.Reproducible {
		k = mixHistory(k.mix(uint64(uint8(q.Symmetry))), g)
	}
	return k
}

// keyedHistory is the largest number of past moves and past boards that an encoder shows to a network.
const keyedHistory = 8

// mixHistory returns the key k of g's position with the last moves and the earlier boards mixed in.
func mixHistory(k cacheKey, g *board.Game) cacheKey {
	k = k.mix(uint64(min(g.ValidTurns(), keyedHistory)))
	for i := range min(g.NumMoves(), keyedHistory) {
		m := g.LastMove(i)
		k = k.mix(uint64(m.Color)<<32 | uint64(uint32(m.Point)))
	}
	for ago := 1; ago <= keyedHistory; ago++ {
		h, known := g.PastHash(ago)
		if !known {
			break
		}
		k = k.mix(h.Hi).mix(h.Lo)
	}
	return k
}

func (s *Server) Submitter() Submitter { return s }

// Humans implements [Network]: a server has one network.
func (s *Server) Humans() Network { return nil }

func (s *Server) Serves(size board.Size) error {
	_, err := s.model.Spec(size)
	return err
}

// Describe returns the network's identity and how it runs.
func (s *Server) Describe() Description { return s.model.Describe() }

// BatchSize is the maximum number of positions in one run.
func (s *Server) BatchSize() int { return s.conf.MaxBatch }

// Pin implements [Network]: a server keeps its model.
func (s *Server) Pin() (unpin func()) { return func() {} }

// Warm opens the backends for a board size and runs each of them once with a
// single row and once with a full batch, so that later queries are not slowed
// down by first-time work. A size that is open already is left as it is.
func (s *Server) Warm(size board.Size) error {
	p, err := s.acquireWarm(context.Background(), size, true)
	if err != nil {
		return err
	}
	p.leave()
	return nil
}

// ClearCache forgets every cached evaluation.
func (s *Server) ClearCache() {
	if s.cache != nil {
		s.cache.clear()
	}
}

// Close answers the queued jobs, ends all sessions, and closes their backends. Later queries get
// ErrClosed. A second call does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	var open []*sizePool
	if !s.mu.closed {
		s.mu.closed = true
		open = slices.Collect(maps.Values(s.mu.pools))
		clear(s.mu.pools)
		s.last.Store(nil)
	}
	s.mu.Unlock()
	var errs []error
	for _, p := range open {
		errs = append(errs, p.close())
	}
	s.closing.Wait()
	return errors.Join(errs...)
}
