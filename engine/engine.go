package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"time"

	"kosumi/board"
	"kosumi/clock"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/sgf"
)

// Network evaluates positions and says which boards it can.
type Network interface {
	nn.Evaluator
	// Serves returns nil if boards of that size can be evaluated.
	Serves(board.Size) error
}

// watcher is a network that wants to know when a search is under way, so that it
// changes between searches only.
type watcher interface {
	SearchBegins(board.Size) (ends func())
}

// searching tells the network that a search is under way until the function that
// it returns is called.
func (e *Engine) searching() (ends func()) {
	if w, ok := e.net.(watcher); ok {
		return w.SearchBegins(e.game.Size())
	}
	return func() {}
}

// Config is how an engine plays. Start from [Defaults].
type Config struct {
	Size  board.Size
	Rules board.Rules // komi included
	// Limits holds for every move; a clock adds its own. If neither limits
	// a move, DefaultTime does.
	Limits      search.Limits
	DefaultTime time.Duration
	Search      search.Params
	Ponder      bool
	Resign      Resignation
	Lag         time.Duration // kept back of every move on a clock
	// EarlyStop ends a search on a clock as soon as no other move can catch up,
	// where the time saved is not lost. Extend is how much longer than planned,
	// as a share, it may take while its choice is unstable.
	EarlyStop bool
	Extend    float64
	Seed      uint64 // of move sampling; the search has its own
	// AnalysisWideNoise spreads the search over more moves of the root in
	// Analyze; KataGo's analysisWideRootNoise.
	AnalysisWideNoise float64
	// HandicapAdvantage is how much advantage the side that is behind from the
	// start is told to have, in doublings of search effort for each point
	// (KataGo's dynamicPlayoutDoublingAdvantageCapPerOppLead); 0 is none.
	HandicapAdvantage float64
	// ScoreByLead scores games that are not over by the lead, in points, that short
	// searches find.
	ScoreByLead bool
	// PoolBothSidesValues has what a search finds count where own moves are judged by those before
	// (resignation, the advantage in handicap games, haste) whoever it was for, and also
	// if its move is not played; all is forgotten when a move is taken back or rules
	// change. KataGo's way; otherwise the moves played for a side count for that side.
	PoolBothSidesValues bool
	// HandicapRepeats is the utility taken off moves like earlier ones of the same
	// game, for the side that is behind from the start, in place of that of Search
	// (KataGo's avoidRepeatedPatternUtility); 0 is none.
	HandicapRepeats float64
	// Name is who plays, in records of games.
	Name string
	// Level is the rank to play at, "20k" to "9d", or "auto"; "" is as strong as it
	// can. LevelFile keeps what auto finds out; "" is one in the user's own folder.
	Level, LevelFile string
	// Delay is how long to wait before a move is answered.
	Delay Delay
	// Game is how games are conducted beside their rules.
	Game board.GameOptions
	// AnalysisHistory lets Analyze show the network the moves before the position,
	// AnalysisAntiMirror has it steer against mirror Go.
	AnalysisHistory, AnalysisAntiMirror bool
	// PonderLimits end a search in the opponent's time.
	PonderLimits search.Limits
	Hurry        Hurry
	// FriendlyPass passes where the rest is only filling, CleanUp takes dead stones
	// in sure territory off the board before a pass. Of Always in both, CleanUp counts.
	FriendlyPass, CleanUp Whether
	TimeUse               TimeUse
}

// Whether says if something is done: as the rules suggest, always, or never.
type Whether uint8

// The choices.
const (
	ByRules Whether = iota
	Always
	Never
)

// Hurry is how much of its limits a search uses where little depends on it: a
// share, 0 to 1; 0 is all of them.
type Hurry struct {
	// AfterOnePass holds after a pass of the other side, AfterTwoPasses where its move
	// before was one too (searchFactorAfterOnePass, searchFactorAfterTwoPass).
	AfterOnePass, AfterTwoPasses float64
	// Winning holds where the last three searches found the game won; from Threshold
	// on, in wins minus losses, the share falls to it in proportion
	// (searchFactorWhenWinning, searchFactorWhenWinningThreshold).
	Winning, Threshold float64
}

// Resignation is when a game is given up.
type Resignation struct {
	Enabled bool
	// Threshold of win minus loss, [-1,1], own view: the game is resigned when
	// the last Turns own moves all stood below it.
	Threshold float64
	Turns     int
	// MinScore is the number of points to be behind at least, MinMovesPerArea how
	// many moves must have been made for each point of the board.
	MinScore, MinMovesPerArea float64
}

// Defaults returns the configuration of a plain game: 19x19, Chinese rules, one
// best move at a time, resignation as in KataGo's example config.
func Defaults() Config {
	return Config{
		Size: board.Square(19), Rules: board.Chinese(),
		DefaultTime: 5 * time.Second,
		Search:      search.Defaults(),
		Resign:      Resignation{Enabled: true, Threshold: -0.90, Turns: 3},
		Lag:         time.Second,
		EarlyStop:   true, Extend: 1,
		AnalysisWideNoise: 0.04,
		Delay:             Delay{Most: 10},
		HandicapAdvantage: 0.045, HandicapRepeats: 0.005,
		Game: board.GameOptions{PreventEncore: true, StartBlackMovesAreHandicap: true},
	}
}

// Validate reports every fault of the configuration.
func (c Config) Validate() error {
	var faults []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	if err := c.Size.Check(); err != nil {
		faults = append(faults, err)
	}
	komi := float64(c.Rules.Komi)
	bad(2*komi != math.Trunc(2*komi), "komi %g must be a multiple of 0.5", komi)
	bad(c.DefaultTime < 0, "default time %v must not be negative", c.DefaultTime)
	bad(c.Resign.Turns < 1, "resign turns %d must be 1 or more", c.Resign.Turns)
	for i := range settings {
		if s := &settings[i]; s.Section == "" && s.Name != "max-memory" && s.Name != "threads" { // the search checks its own
			faults = append(faults, s.Check(&c))
		}
	}
	if err := c.Search.Validate(); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

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

// Engine is one seat at a table. Make one with [New]; [Engine.Close] it.
type Engine struct {
	cfg Config
	net Network
	log *slog.Logger

	game     *board.Game
	handicap int         // stones placed by a handicap command
	loaded   *sgf.Record // that the game was loaded from, nil for none
	tree     *search.Tree

	clocks    [2]clock.Clock // of Black, of White
	lastEvent time.Time      // when the opponent's move or our last reply was done
	overrun   time.Duration  // by how much our last moves ran over their time, on average

	carried   time.Duration // of earlier searches, that counts for the next: see TimeUse.CarryOver
	pondering *background
	ahead     advantage
	thoughts  map[thoughtOf]thought // of the moves chosen here, for records
	resigned  resigned
	values    []ownValue // root values of the own moves of this game, for resignation
	auto      autoGame
	levelSaid string    // the last note about the level that was given
	gameSeed  uint64    // of what a level misjudges in this game
	moveCount uint64    // moves chosen so far: stream of the move sampler
	judged    judgement // the last position whose dead stones were asked for
	even      evenEstimate
	leads     *search.Leads // of what is shown; nil: they stay the network's own
}

// New returns an engine with an empty board. It closes nothing of the network.
func New(cfg Config, net Network, log *slog.Logger) (*Engine, error) {
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
	return &Engine{cfg: cfg, net: net, log: log, game: game, tree: tree, leads: newLeads(cfg, net), gameSeed: newSeed(cfg.Seed, 0), thoughts: map[thoughtOf]thought{}}, nil
}

// newLeads returns nil where leads are KataGo's.
func newLeads(cfg Config, net Network) *search.Leads {
	if cfg.ScoreByLead {
		return nil
	}
	return search.NewLeads(net)
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

// background is a search that runs until stopped.
type background struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// Stop ends pondering and returns when it has ended. The tree keeps what was
// found.
func (e *Engine) Stop() {
	if e.pondering == nil {
		return
	}
	e.pondering.cancel()
	<-e.pondering.done
	e.pondering = nil
}

// ponder searches on at the position on the board, until PonderLimits or memory
// end it.
func (e *Engine) ponder() {
	if !e.cfg.Ponder || e.cfg.Level != "" || e.game.Ended() || e.pondering != nil {
		return
	}
	params := e.searchParams()
	e.chargeRepeats(&params, e.game.ToMove().Opponent(), false)
	if err := e.tree.SetParams(params); err != nil {
		return
	}
	e.syncTree(e.game)
	e.tree.Restrict()
	ctx, cancel := context.WithCancel(context.Background())
	b := &background{cancel: cancel, done: make(chan struct{})}
	ends := e.searching()
	go func() {
		defer close(b.done)
		defer ends()
		if _, err := e.search(ctx, e.tree, e.cfg.PonderLimits); err != nil && ctx.Err() == nil {
			e.log.Error("pondering failed", "error", err)
		}
	}()
	e.pondering = b
}

// search searches a tree. A panic becomes an error, and the engine's own tree,
// which may be in any state then, makes room for a new one.
func (e *Engine) search(ctx context.Context, t *search.Tree, l search.Limits) (result search.Result, err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		e.log.Error("a search panicked", "panic", p, "stack", string(debug.Stack()))
		err = search.ErrFault
		if t == e.tree {
			if tree, err := search.New(e.cfg.Search, e.net, e.log); err == nil {
				e.tree = tree
			}
		}
	}()
	result, err = t.Search(ctx, l)
	if t == e.tree {
		e.carried += result.Stats.Elapsed
	}
	return result, err
}

// advance makes a move in the tree. The time that went into what is kept of it
// counts, in part, for the next search.
func (e *Engine) advance(c board.Color, p board.Point) {
	before := float64(e.tree.Visits())
	if !e.tree.Advance(c, p) || before == 0 {
		e.carried = 0
		return
	}
	e.carried = scale(e.carried, e.cfg.TimeUse.CarryOver*float64(e.tree.Visits())/before)
}

// syncTree makes the tree's root this position, keeping the tree if it is.
func (e *Engine) syncTree(game *board.Game) {
	if !e.tree.Matches(game) {
		e.tree.Reset(game)
		e.carried = 0
	}
}

// DropTree forgets the search tree.
func (e *Engine) DropTree() {
	e.Stop()
	e.tree.Clear()
	e.carried = 0
}

// ClearCache forgets the search tree, what is remembered of earlier searches and,
// where the network keeps them, the evaluations.
func (e *Engine) ClearCache() {
	e.Stop()
	e.tree.Forget()
	e.carried = 0
	e.judged, e.even, e.leads = judgement{}, evenEstimate{}, newLeads(e.cfg, e.net)
	if c, ok := e.net.(interface{ ClearCache() }); ok {
		c.ClearCache()
	}
}
