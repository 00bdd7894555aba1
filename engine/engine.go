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

// Errors of the engine, for errors.Is.
var (
	ErrCannotUndo     = errors.New("cannot undo")         // more moves to take back than were played
	ErrBoardNotEmpty  = errors.New("board not empty")     // handicap stones need an empty board
	ErrHandicapStones = errors.New("bad handicap stones") // repeated, off the board, or too many
	ErrSize           = errors.New("unacceptable size")   // not a board, or not one that the network serves
	ErrParam          = errors.New("bad parameter")       // unknown name or value out of range
	ErrRecord         = errors.New("cannot load record")  // not SGF, or a game that cannot be replayed
	ErrKomi           = errors.New("unacceptable komi")   // outside the accepted range
)

// Engine plays one side of a game, or both. It holds the game on the board and connects its
// parts, each of which owns its state. Make one with [New]; [Engine.Close] it.
type Engine struct {
	cfg Config // the parts hold pointers to cfg
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

// New returns an engine with an empty board. The caller closes the network.
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
	e.judge = &judge{cfg: &e.cfg, net: net, log: log, thinker: e.thinker}
	e.judge.forget()
	e.values.cfg, e.seeds.cfg = &e.cfg, &e.cfg
	e.rank = rank{cfg: &e.cfg, net: net, log: log, seed: e.seeds.seed()}
	e.records.evals = map[moveKey]moveEval{}
	return e, nil
}

func freshGame(cfg Config, size board.Size, rules board.Rules) (*board.Game, error) {
	game, err := board.NewGame(size, rules)
	if err == nil {
		game.SetOptions(cfg.Game)
	}
	return game, err
}

// Close stops pondering and counts the game for the player's level.
func (e *Engine) Close() {
	e.Stop()
	e.countGame()
}

// countGame updates the player's ratings with a game that is over or abandoned.
func (e *Engine) countGame() {
	e.rank.countGame(e.game, &e.values, func() (float64, error) { return e.FinalScore(context.Background()) })
}

// Stop ends pondering and waits for it. The tree is kept.
func (e *Engine) Stop() { e.thinker.stop() }

// DropTree drops the search tree.
func (e *Engine) DropTree() { e.thinker.drop() }

// ClearCache drops the search tree, remembered values of earlier searches, and the network's
// cache, if it has one.
func (e *Engine) ClearCache() {
	e.thinker.drop()
	e.net.ClearCache()
	e.judge.forget()
}

// SetClock resets both clocks to these settings.
func (e *Engine) SetClock(s clock.Settings) error { return e.timer.set(s) }

// TimeLeft overrides one clock with a controller's report: stones is 0 in main
// time, else the stones to play in this period (Canadian) or the periods left,
// this one included (byo-yomi).
func (e *Engine) TimeLeft(c board.Color, left time.Duration, stones int) error {
	e.timer.clock(c).Set(left, stones)
	return nil
}

// FinalScore returns White's points minus Black's, komi and bonuses included, 0 for a game without
// result. A game that ended under rules without agreement on dead stones counts every stone as
// alive; in other games, dead stones are removed first. If an unfinished game has something left to
// decide, or with Config.ScoreByLead (as in KataGo), the score is the estimated lead.
func (e *Engine) FinalScore(ctx context.Context) (float64, error) {
	e.Stop()
	return e.judge.score(ctx, e.game)
}

// FinalStatus returns the status of every point, in the order of board.Point. Stones of one chain
// have the same status. After the end of the game it agrees with FinalScore.
func (e *Engine) FinalStatus(ctx context.Context) ([]thinking.Status, error) {
	e.Stop()
	return e.judge.status(ctx, e.game)
}

// Unsettled returns the stones whose status in FinalStatus is doubtful: their life may depend on who
// moves first. It returns none if every stone counts as alive.
func (e *Engine) Unsettled(ctx context.Context) ([]board.Point, error) {
	e.Stop()
	if e.judge.counted(e.game) {
		return nil, nil
	}
	v, err := e.judge.verdict(ctx, e.game)
	return v.open, err
}

// Estimate counts a game that is over, or in which nothing is left to decide. It searches other
// positions at full strength, the same way each time. Results that the network does not predict,
// such as score or ownership, stay 0.
func (e *Engine) Estimate(ctx context.Context) (*thinking.Estimate, error) {
	return e.EstimateWithin(ctx, search.Limits{Visits: estimateVisits})
}

// EstimateWithin is Estimate with limits for its searches.
func (e *Engine) EstimateWithin(ctx context.Context, l search.Limits) (*thinking.Estimate, error) {
	e.Stop()
	return e.judge.estimate(ctx, e.game, l)
}

// Chose reports for which sides the engine chose moves in this game.
func (e *Engine) Chose() (black, white bool) { return e.records.chose(e.game) }

// seeds gives each move its own random stream, and each game a seed.
type seeds struct {
	cfg   *Config
	moves uint64 // number of moves chosen so far
}

// next returns the random stream of the next move.
func (s *seeds) next() *rand.Rand {
	s.moves++
	return s.stream()
}

// stream returns the random stream of the last move, from its beginning.
func (s *seeds) stream() *rand.Rand { return rand.New(rand.NewPCG(newSeed(s.cfg.Seed, 0), s.moves)) }

func (s *seeds) seed() uint64 { return newSeed(s.cfg.Seed, s.moves) }

// newSeed returns the configured seed plus n, or a random one if none is configured.
func newSeed(configured, n uint64) uint64 {
	if configured == 0 {
		return rand.Uint64()
	}
	return configured + n
}
