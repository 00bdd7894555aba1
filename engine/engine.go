package engine

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/search/thinking"
)

// Errors of the engine. Test with errors.Is.
var (
	ErrCannotUndo     = errors.New("cannot undo")         // fewer moves on the board than to be taken back
	ErrBoardNotEmpty  = errors.New("board not empty")     // handicap stones need an empty board
	ErrHandicapStones = errors.New("bad handicap stones") // repeated, off the board, or too many
	ErrSize           = errors.New("unacceptable size")   // not a board, or not one that the network serves
	ErrParam          = errors.New("bad parameter")       // unknown name or value out of range
	ErrRecord         = errors.New("cannot load record")  // not SGF, or a game that cannot be replayed
	ErrKomi           = errors.New("unacceptable komi")   // outside the accepted range
)

// Engine plays one side of a game, or both. It holds the game on the board and wires
// its parts: each keeps what it remembers to itself. Make one with [New]; [Engine.Close]
// it.
type Engine struct {
	cfg Config // the parts read it too
	net nn.Network
	log *slog.Logger

	game     *board.Game
	handicap int // stones placed by a handicap command
	timer    timer
	thinker  *thinker
	judge    *judge
	rank     rank
	values   ownValues
	records  records
	seeds    seeds
}

// New returns an engine with an empty board. It closes nothing of the network.
func New(cfg Config, net nn.Network, log *slog.Logger) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	game, err := freshGame(cfg, cfg.Size, cfg.Rules)
	if err != nil {
		return nil, err
	}
	tree, err := search.New(cfg.Search, net, log)
	if err != nil {
		return nil, err
	}
	e := &Engine{cfg: cfg, net: net, log: log, game: game}
	e.thinker = &thinker{cfg: &e.cfg, net: net, log: log, tree: tree}
	e.judge = newJudge(&e.cfg, net, log, e.thinker)
	e.values.cfg, e.seeds.cfg = &e.cfg, &e.cfg
	e.rank = rank{cfg: &e.cfg, net: net, log: log, seed: e.seeds.seed()}
	e.records.evals = map[moveKey]moveEval{}
	return e, nil
}

// freshGame returns a game on an empty board.
func freshGame(cfg Config, size board.Size, rules board.Rules) (*board.Game, error) {
	game, err := board.NewGame(size, rules)
	if err == nil {
		game.SetOptions(cfg.Game)
	}
	return game, err
}

// Close stops what runs in the background.
func (e *Engine) Close() {
	e.Stop()
	e.countGame()
}

// countGame counts a game that is over, or left, for the player's level.
func (e *Engine) countGame() {
	e.rank.countGame(e.game, &e.values, func() (float64, error) { return e.FinalScore(context.Background()) })
}

// Stop ends pondering and returns when it has ended. The tree keeps what was found.
func (e *Engine) Stop() { e.thinker.stop() }

// DropTree forgets the search tree.
func (e *Engine) DropTree() { e.thinker.drop() }

// ClearCache forgets the search tree, what is remembered of earlier searches and,
// where the network keeps them, the evaluations.
func (e *Engine) ClearCache() {
	e.thinker.forget()
	e.judge.forget()
}

// SetClock starts both clocks anew under these settings.
func (e *Engine) SetClock(s clock.Settings) error { return e.timer.set(s) }

// TimeLeft overrides one clock with a controller's report: stones is 0 in main
// time, else the stones to play in this period (Canadian) or the periods left,
// this one included (byo-yomi).
func (e *Engine) TimeLeft(c board.Color, left time.Duration, stones int) error {
	e.timer.clock(c).Set(left, stones)
	return nil
}

// FinalScore returns White's points minus Black's, komi and bonuses included, 0 for a
// game without result. Games that ended under rules without agreement on dead stones
// count as they stand; in all others dead stones are removed first, or with
// Config.ScoreByLead, which is as KataGo does, the lead is estimated. So it is in the
// middle of a game, where counting would call stones dead and points owned of which
// nothing is decided.
func (e *Engine) FinalScore(ctx context.Context) (float64, error) {
	e.Stop()
	return e.judge.score(ctx, e.game)
}

// FinalStatus judges every point, in the order of board.Point. Stones of one
// chain share their fate. It is what FinalScore counts once the game is over.
func (e *Engine) FinalStatus(ctx context.Context) ([]thinking.Status, error) {
	e.Stop()
	return e.judge.status(ctx, e.game)
}

// Estimate counts a game that is over, or in which nothing is left to decide. It searches
// other positions as they stand, at full strength and always in the same way. Networks
// without a score or owners leave their parts at 0.
func (e *Engine) Estimate(ctx context.Context) (*thinking.Estimate, error) {
	return e.EstimateWithin(ctx, search.Limits{Visits: estimateVisits})
}

// EstimateWithin is Estimate by searches within limits.
func (e *Engine) EstimateWithin(ctx context.Context, l search.Limits) (*thinking.Estimate, error) {
	e.Stop()
	return e.judge.estimate(ctx, e.game, l)
}

// Chose returns which sides had moves of the present game chosen here.
func (e *Engine) Chose() (black, white bool) { return e.records.chose(e.game) }

// seeds gives each move a random stream of its own to choose by, and each game a seed.
type seeds struct {
	cfg   *Config
	moves uint64 // chosen so far
}

// next returns the stream of the next move.
func (s *seeds) next() *rand.Rand {
	s.moves++
	return s.stream()
}

// stream returns the stream of the last move, from its beginning.
func (s *seeds) stream() *rand.Rand { return rand.New(rand.NewPCG(newSeed(s.cfg.Seed, 0), s.moves)) }

// seed returns the seed of a game that begins now.
func (s *seeds) seed() uint64 { return newSeed(s.cfg.Seed, s.moves) }

// newSeed returns the configured seed plus n, or a random one where none is configured.
func newSeed(configured, n uint64) uint64 {
	if configured == 0 {
		return rand.Uint64()
	}
	return configured + n
}
