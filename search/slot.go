package search

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/search/thinking"
)

// step is one move of a descent.
type step struct {
	node  uint32 // node in which the move is made
	place int32  // index of the edge in the node
	move  board.Point
	kind  visitKind
}

// visitKind is how a visit counts on its edge and above.
type visitKind uint8

const (
	counted         visitKind = iota // counts as a playout with weight
	probe                            // no weight, not a playout
	weightlessHuman                  // no weight, but a playout: selected by the human policy
	focused                          // no weight, not a playout: requested, see Limits.Focus
)

// purpose is the reason for an evaluation.
type purpose uint8

const (
	forLeaf   purpose = iota
	forRoot           // new priors of the root; its averages stay
	forPriors         // all priors of a node that has used up its stored ones
)

// slot is one evaluation: the descent that led to a leaf, the position there, the question, the
// answer, and all that can be computed from the answer without the tree. It belongs to the tree's
// owner, except between submit and its return through done. Slots are reused.
type slot struct {
	index int

	// The descent.
	purpose       purpose
	leaf          uint32
	path          []step
	collisionLoss uint16 // virtual losses that other descents left on the last edge
	played        int    // number of moves of the path played in game; -1: game belongs to another descent
	forced        bool   // the game is over in this position, but the search plays on

	// The evaluation.
	game   board.Game
	query  nn.Query
	out    nn.Output
	result leafResult
	keys   [board.MaxMoves]uint64
	block  [blockMax]uint32
	job    nn.Job // for asynchronous evaluators
	human  humanQuestion
	done   chan<- *slot
	then   func() // called after a batch was answered; may be nil
}

// humanQuestion is a slot's query to the human network, in addition to the query to the main one.
type humanQuestion struct {
	wanted  bool
	query   nn.Query
	out     nn.Output
	job     nn.Job
	pending atomic.Int32 // outstanding answers to the two queries
}

// blockMax is the number of words in the longest block of priors with a human policy behind it.
const blockMax = 2 + board.MaxMoves + board.MaxMoves/2 + 2 + board.MaxMoves + 1

// leafResult is the result of an evaluation, in White's view.
type leafResult struct {
	err        error
	illegal    bool // the last move is illegal
	terminal   bool
	passEnds   bool // a pass would end the phase
	own        outcome
	utility    float64
	weight     float64
	errWinLoss float32
	errScore   float32
	biasKey    biasKey
	pattern    patternKey // pattern of the move, if its player is charged for repeats
	hasBias    bool
	keys       int // number of legal moves that restrictions allow
	stored     int // number of priors stored in block
	words      int // number of words used in block
	sorted     bool
	fromCache  bool
}

// shared is read by evaluations of a search. It does not change while the search runs.
type shared struct {
	p        *Params
	position *position // at the root
	value    valuer
	mirror   mirror
	net      nn.Network
	human    humanState
	later    nn.Submitter // net, for asynchronous answers
	limits   Limits
	size     board.Size
	// repeating is the player who is charged for repeated patterns; Empty: nobody is.
	repeating board.Color
}

// priorsKept is the number of moves whose priors a node stores; a node with up to a third more moves
// stores them all. Against mirror Go and with a human policy, it is the number of all moves, since
// any move's prior may be raised.
func (sh *shared) priorsKept() int {
	if sh.mirror.player != board.Empty || sh.human.inTree {
		return board.MaxMoves
	}
	return sh.p.Memory.PriorsPerNode
}

// catchUp brings the slot's game to the position after n moves of the path, unless it is already
// there or further; false if a move is illegal.
func (s *slot) catchUp(sh *shared, n int) bool {
	if s.played < 0 {
		s.game.CopyFrom(&sh.position.base)
		s.played = 0
	}
	for ; s.played < n; s.played++ {
		if s.game.Play(s.game.ToMove(), s.path[s.played].move) != nil {
			return false
		}
	}
	return true
}

// arrive plays the move that leads to a leaf and records its patterns. It returns false
// if the move cannot be made.
func (s *slot) arrive(sh *shared, p board.Point) bool {
	c, r := s.game.ToMove(), &s.result
	r.hasBias, r.pattern = false, 0
	if sh.p.Bias.Factor != 0 && sh.mirror.player == board.Empty {
		r.biasKey, r.hasBias = biasPattern(&s.game, c, p)
	}
	if c == sh.repeating {
		r.pattern = repeatPattern(s.game.Board(), c, p)
	}
	if p == board.Pass && s.game.FriendlyPassSuppressed() {
		s.forced = true
	}
	if s.game.Play(c, p) != nil {
		return false
	}
	s.played++
	return true
}

// contain turns a panic into an error: a fault at one leaf ends the search and not the
// program.
func contain(err *error) {
	if p := recover(); p != nil {
		slog.Error("a search panicked", "panic", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("%w: %v", ErrFault, p)
	}
}

// goroutines is the submitter of an evaluator that has none of its own: each job runs on its own
// goroutine, which ends after it has called the job's Done and Then.
type goroutines struct{ nn.Evaluator }

// answersLater returns a network's submitter, or one made of goroutines.
func answersLater(n nn.Network) nn.Submitter {
	if s := n.Submitter(); s != nil {
		return s
	}
	return goroutines{n}
}

func (g goroutines) Submit(ctx context.Context, j *nn.Job) { go g.answer(ctx, j) }

func (g goroutines) answer(ctx context.Context, j *nn.Job) {
	then := j.Then // read first: another goroutine may reuse the job once it is done
	func() {
		defer contain(&j.Err)
		j.Err = g.Evaluate(ctx, j.Query, j.Out)
	}()
	if j.Done(); then != nil {
		then()
	}
}

// run answers the slot's question. It does not touch the tree.
func (s *slot) run(ctx context.Context, sh *shared) {
	defer contain(&s.result.err)
	if s.begin(sh) {
		s.finish(sh, s.evaluate(ctx, sh))
	}
}

// begin brings the game to the leaf and fills in the query; false if the result is known without
// the network.
func (s *slot) begin(sh *shared) bool {
	last := len(s.path) - 1
	if !s.catchUp(sh, last) || s.played == last && !s.arrive(sh, s.path[last].move) {
		s.result.illegal = true
		return false
	}
	if s.purpose == forLeaf && !s.forced && len(s.path) > 0 && s.game.Finished() {
		s.end(sh)
		return false
	}
	s.ask(sh)
	return true
}

// finish turns the network's answer into the slot's result.
func (s *slot) finish(sh *shared, err error) {
	defer contain(&s.result.err)
	r := &s.result
	if r.err = err; err != nil {
		return
	}
	r.fromCache = s.out.FromCache
	r.passEnds = s.game.PassWouldEndPhase()
	s.read(sh)
	if s.purpose == forRoot {
		return // the owner arranges the root's priors itself
	}
	s.rank(sh)
}

// end judges a game that is over.
func (s *slot) end(sh *shared) {
	r, g := &s.result, &s.game
	r.terminal = true
	if g.NoResult() {
		r.own = outcome{noResult: 1}
	} else {
		rules := g.Rules()
		whole := rules.Komi == float32(int(rules.Komi))
		r.own = sh.value.terminal(g.Score(), whole != rules.Button)
	}
	r.utility = sh.value.of(&r.own)
	r.errWinLoss, r.errScore = -1, -1
}

// ask fills in the query for the network, and the one for the human network.
func (s *slot) ask(sh *shared) {
	p, q := sh.p, &s.query
	root := s.purpose == forRoot || len(s.path) == 0
	depth := len(s.path)
	q.Game = &s.game
	q.Symmetry = int8(p.Net.Symmetry)
	q.SkipCache = false
	q.NeedOwnership = sh.limits.Ownership || root || sh.mirror.leans(s.game.Board(), s.path)
	q.Optimism = float32(p.Net.PolicyOptimism)
	if root {
		q.Optimism = float32(p.Net.RootOptimism)
	}
	q.PolicyTemperature = float32(p.Net.PolicyTemperature)
	o := &q.Options
	o.DrawWinsForWhite = p.Utility.DrawEquivalentWinsForWhite
	if o.DrawWinsForWhite == 0 {
		o.DrawWinsForWhite = -1
	}
	o.ConservativePassRoot = root && p.Pass.Conservative
	o.PassingHacks, o.Areas = p.Pass.Hacks, p.Pass.Areas
	o.HistoryHidden, o.MaxHistory = false, 0
	if p.Pass.IgnoreAllHistory {
		o.HistoryHidden = true
	} else if p.Pass.IgnorePreRootHistory {
		o.HistoryHidden, o.MaxHistory = depth == 0, depth
	}
	o.PlayoutDoublingAdvantage = float32(p.Net.PlayoutDoublingAdvantage)
	strong := p.Net.AdvantageFor
	if strong == board.Empty {
		strong = sh.position.base.ToMove()
	}
	if s.game.ToMove() != strong {
		o.PlayoutDoublingAdvantage = 0 - o.PlayoutDoublingAdvantage // never -0, which caches would distinguish from 0
	}
	q.Meta = sh.human.profile
	h := &s.human // the same query for the human network
	h.wanted = sh.human.eval != nil && s.purpose != forPriors && (root || sh.human.inTree)
	if h.wanted {
		h.query = s.query
		h.query.NeedOwnership = false
	}
}

// submit queries both networks at once; the later answer finishes the slot.
func (s *slot) submit(ctx context.Context, sh *shared) {
	h := &s.human
	if s.job.Done == nil {
		s.job.Done = func() {
			if h.pending.Add(-1) > 0 {
				return
			}
			err := s.job.Err
			if h.wanted {
				err = cmp.Or(err, h.job.Err)
			}
			s.finish(sh, err)
			s.done <- s
		}
		h.job.Done = s.job.Done
	}
	h.pending.Store(1)
	s.job.Query, s.job.Out, s.job.Then = &s.query, &s.out, s.then
	if h.wanted {
		h.pending.Store(2)
		h.job.Query, h.job.Out, h.job.Then = &h.query, &h.out, s.then
		sh.human.later.Submit(ctx, &h.job)
	}
	sh.later.Submit(ctx, &s.job)
}

// evaluate asks both networks and waits for their answers; for the root it
// averages the answers for Root.NumSymmetries orientations.
func (s *slot) evaluate(ctx context.Context, sh *shared) error {
	err := s.evaluateBy(ctx, sh, sh.net, &s.query, &s.out)
	if err == nil && s.human.wanted {
		err = s.evaluateBy(ctx, sh, sh.human.eval, &s.human.query, &s.human.out)
	}
	return err
}

func (s *slot) evaluateBy(ctx context.Context, sh *shared, e nn.Evaluator, q *nn.Query, out *nn.Output) error {
	n := sh.p.Root.NumSymmetries
	if s.purpose != forRoot || n <= 1 {
		return e.Evaluate(ctx, q, out)
	}
	all := s.game.Size().Symmetries()
	answers := make([]nn.Output, min(n, all))
	first := max(0, sh.p.Net.Symmetry)
	q.SkipCache = true
	for k := range answers {
		q.Symmetry = int8((first + k) % all)
		if err := e.Evaluate(ctx, q, &answers[k]); err != nil {
			return err
		}
	}
	nn.Average(out, answers, s.game.Size())
	return nil
}

// read converts the answer to White's view.
func (s *slot) read(sh *shared) {
	r, o := &s.result, &s.out
	sign := float32(1)
	if s.game.ToMove() == board.Black {
		sign = -1
	}
	win, loss := o.Win, o.Loss
	if o.HasOwnership && sh.mirror.leans(s.game.Board(), s.path) {
		win, loss = sh.mirror.lean(win, loss, o.Ownership[sh.mirror.center])
	}
	r.own = outcome{winLoss: sign * (win - loss), noResult: o.NoResult}
	if o.HasScore {
		r.own.scoreMean, r.own.scoreMeanSq, r.own.lead = sign*o.ScoreMean, o.ScoreMeanSq, sign*o.Lead
	}
	r.errWinLoss, r.errScore = o.ErrWinLoss, o.ErrScore
	r.utility = sh.value.of(&r.own)
	r.weight = sh.value.weight(float64(r.own.scoreMean), float64(r.errWinLoss), float64(r.errScore))
}

func (s *slot) rank(sh *shared) {
	r := &s.result
	n := 0
	pass := sh.size.Area()
	for i := range pass + 1 {
		if prior := s.out.Policy[i]; prior >= 0 {
			s.keys[n] = priorKey(prior, i)
			n++
		}
	}
	keys := s.keys[:n]
	if len(sh.position.bans) > 0 {
		keys = slices.DeleteFunc(keys, func(k uint64) bool {
			return !thinking.Permits(sh.position.bans, s.game.ToMove(), sh.size.FromIndex(keyIndex(k)), len(s.path))
		})
	}
	r.keys, r.stored = len(keys), len(keys)
	if s.purpose == forPriors {
		sortFalling(keys)
		r.sorted = true
		return
	}
	r.stored, r.sorted = rankKeys(keys, sh.priorsKept(), pass)
	block := s.block[:blockWords(r.stored)]
	packPriors(block, keys[:r.stored], sh.size)
	if s.human.wanted {
		block = appendHuman(block, s.human.out.Policy[:pass+1])
	}
	r.words = len(block)
}
