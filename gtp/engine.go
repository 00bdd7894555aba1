package gtp

import (
	"context"
	"time"

	"kosumi/board"
	"kosumi/clock"
	"kosumi/setting"
	"kosumi/thinking"
)

// Engine is the player behind the server: everything that the commands need
// and nothing of how it thinks. The server calls it from one goroutine, one
// method at a time; Analyze and GenMove may call their report functions from
// other goroutines. Identity must answer at once even while a network is still
// loading; every other method may wait for it.
//
// After any error the state is what it was before the call. Error texts may
// reach the user (one line, lower case); where the protocol fixes the text of a
// failure, the server writes that text and logs the error.
type Engine interface {
	Identity
	Position
	Thinker
	Clock
	Scorer
	Record
	Settings
}

// Identity says who plays.
type Identity interface {
	Name() string    // one line without version, e.g. "Kosumi"
	Version() string // "a.b.c", at most 40 characters
}

// Position is the game on the board and what changes it. Each change stops a
// search that runs in the background.
type Position interface {
	// Game is the game as it stands: read only, and valid until the next call
	// that changes it. It carries size, rules, komi, moves and the side to move.
	Game() *board.Game
	// NewGame empties the board at this size: no stones, captures, history, ko,
	// handicap. Komi, rules and clock settings stay.
	NewGame(s board.Size) error
	// SetKomi changes komi and nothing else; k is a multiple of 0.5 within ±400.
	SetKomi(k float32) error
	// SetRules replays the game under r; position and komi stay (r.Komi is
	// the komi of the game already).
	SetRules(r board.Rules) error
	// Play plays a move of either colour, whoever is to move. It refuses only
	// occupied and off-board points; breaches of ko, superko and suicide rules
	// are played, so that the game never differs from a server's.
	Play(c board.Color, p board.Point) error
	// Undo takes the last n moves back, all or none; n >= 1. Set-up and
	// handicap stones are not moves.
	Undo(n int) error
	// Setup replaces stones and side to move; history and handicap are
	// forgotten, and Undo cannot go past it. Every chain needs a liberty.
	Setup(black, white []board.Point, toMove board.Color) error
	// SetHandicap puts Black's handicap stones on the empty board; White is to
	// move and their number counts for the handicap bonus.
	SetHandicap(stones []board.Point) error
}

// HandicapChooser is optional: an Engine that has it places free handicap
// stones itself, n distinct empty points in any order. Others get a regular
// pattern from the server.
type HandicapChooser interface {
	FreeHandicap(ctx context.Context, n int) ([]board.Point, error)
}

// Thinker searches.
type Thinker interface {
	// GenMove chooses a move for r.Color, which becomes the side to move if it
	// is not, and plays it unless r.Keep or the engine resigns. When ctx ends
	// it returns the best move so far within milliseconds and without error.
	// The move is strictly legal, superko included.
	GenMove(ctx context.Context, r MoveRequest) (GeneratedMove, error)
	// Analyze searches the current position as r asks and calls report at every
	// r.Interval and once more before it returns, so at least once, and never
	// two calls at a time. It returns within milliseconds when ctx ends (then
	// without error); it may return earlier, for instance at a visit limit.
	// The Analysis is the callee's only until report returns.
	Analyze(ctx context.Context, r AnalyzeRequest, report func(*Analysis)) error
	// Evaluate runs the network once on the current position, without search.
	Evaluate(ctx context.Context, r thinking.EvaluationRequest) (*thinking.Evaluation, error)
	// Stop ends a search in the background and returns when it has ended.
	Stop()
	// ClearCache forgets evaluated positions and the search tree.
	ClearCache()
}

// MoveRequest asks for a move.
type MoveRequest struct {
	Color board.Color
	// Keep leaves game, clock and tree as they are: the move is not played.
	Keep bool
	// Deterministic asks for the same answer in the same position each time:
	// fixed seed, no temperature, no noise, no use of the clock.
	Deterministic bool
	// Cleanup forbids a pass while a dead stone of the opponent is on the board
	// (kgs-genmove_cleanup).
	Cleanup bool
	// Analysis, if not nil, asks for reports while the engine thinks; Report is
	// then called as by Thinker.Analyze. Avoid and Allow restrict the move too.
	Analysis *AnalyzeRequest
	Report   func(*Analysis)
}

// GeneratedMove is the answer to a MoveRequest.
type GeneratedMove struct {
	Point  board.Point // a point or board.Pass; unused if Resign
	Resign bool
}

// AnalyzeRequest says what to analyse and what to report.
type AnalyzeRequest struct {
	// Unseen reports are the server's own: nobody asked for analysis.
	Unseen bool
	// Color is the side whose move is analysed; it need not be the side to move
	// of the game. Every number of the reports is from its view.
	Color board.Color
	// Interval is the time between two reports; 0 asks for the last one only.
	Interval time.Duration
	// MinMoves asks for at least so many moves where that many are legal: moves
	// without visits follow the visited ones, best prior first.
	MinMoves int
	// MaxMoves is the most moves printed, 0 for no limit. An engine may use it
	// to save work; the server cuts the list in any case.
	MaxMoves int
	// Avoid lists moves that a colour may not play before a depth; Allow lists
	// the only moves that it may. At most one Allow per colour, and no colour
	// has both.
	Avoid, Allow []Restriction
	Want         Details
}

// Restriction limits the moves of one colour in the first plies of a search.
type Restriction struct {
	Color  board.Color
	Points []board.Point // board.Pass included where named
	// Depth is the number of plies from the root that it holds for: 1 = the
	// root's move only. At least 1.
	Depth int
}

// Details are the parts of an Analysis that cost time or room and are filled
// only on request.
type Details struct {
	RootInfo, Ownership, OwnershipStdev, MovesOwnership, MovesOwnershipStdev bool
	PVVisits, PVEdgeVisits, NoResultValue                                    bool
}

// Analysis is one snapshot of a search. Every number is from the view of
// Color, the analysed side: 1 means that it wins or owns the point, and points
// of score are its lead.
type Analysis struct {
	Color board.Color
	// Moves are the root's moves, best first: all with visits, plus those that
	// MinMoves asks for.
	Moves []MoveAnalysis
	Root  RootAnalysis
	// Ownership and OwnershipStdev hold W*H numbers in the order of
	// board.Point (rows from the top); nil where not requested or not known.
	// Ownership is in [-1,1].
	Ownership, OwnershipStdev []float32
}

// MoveAnalysis is one move at the root of a search, seen by the analysed side.
type MoveAnalysis struct {
	Move       board.Point
	Visits     int64   // of the position after the move
	EdgeVisits int64   // of the move itself; differs from Visits in graph search
	Weight     float64 // sum of the playouts' weights
	Winrate    float64 // [0,1]
	LCB        float64 // lower confidence bound of Winrate; may leave [0,1]
	Prior      float64 // [0,1], the network's
	Utility    float64 // what the search maximises, about [-1.5,1.5]
	UtilityLCB float64
	// ScoreLead is points of lead if both played evenly, ScoreSelfplay the mean
	// final score of self-play, ScoreStdev its standard deviation.
	ScoreLead, ScoreSelfplay, ScoreStdev float64
	NoResult                             float64     // probability in [0,1]
	SymmetryOf                           board.Point // the searched move that this one mirrors; NoPoint if none
	// PV is the principal variation, Move first. PVVisits and PVEdgeVisits are
	// as long as PV, or nil where not requested.
	PV                        []board.Point
	PVVisits, PVEdgeVisits    []int64
	Ownership, OwnershipStdev []float32 // of the position after the move, as Analysis.Ownership
}

// RootAnalysis is the searched position itself, seen by the analysed side.
type RootAnalysis struct {
	Visits                               int64
	Weight                               float64
	Winrate                              float64 // [0,1]
	Utility                              float64
	ScoreLead, ScoreSelfplay, ScoreStdev float64 // points
	// Advantage is what the network was told of the analysed side's advantage, in
	// doublings of search effort.
	Advantage float64
	// The network's own estimates of its error; -1 where it has none.
	RawStWrError, RawStScoreError, RawVarTimeLeft float64
}

// Clock keeps both players' time.
type Clock interface {
	// SetClock starts both clocks anew under these settings and changes nothing
	// else.
	SetClock(s clock.Settings) error
	// TimeLeft overrides one clock. Stones is 0 in main time; else the stones
	// still to play in this period (Canadian) or the periods left, this one
	// included (byo-yomi). left may be slightly negative.
	TimeLeft(c board.Color, left time.Duration, stones int) error
}

// Names of package clock's for the files of KataGo's handlers.
type TimeSettings = clock.Settings

const (
	TimeNone          = clock.None
	TimeAbsolute      = clock.Absolute
	TimeCanadian      = clock.Canadian
	TimeByoyomi       = clock.Byoyomi
	TimeFischer       = clock.Fischer
	TimeFischerCapped = clock.CappedFischer
)

// Scorer judges the position as if the game ended now.
type Scorer interface {
	// FinalScore is White's points minus Black's, komi and bonuses included.
	FinalScore(ctx context.Context) (float64, error)
	// FinalStatus judges every point: W*H entries in the order of board.Point.
	// All stones of a chain have the same status.
	FinalStatus(ctx context.Context) ([]thinking.Status, error)
	// Estimate says how a game stands.
	Estimate(ctx context.Context) (*thinking.Estimate, error)
}

// Record reads and writes game records. The server does the files.
type Record interface {
	// LoadSGF sets size, komi, rules (where the record has them), set-up and
	// the moves of the main line up to the position before move number before;
	// 0 or a number beyond the end means all of them.
	LoadSGF(sgf []byte, before int) error
	// SaveSGF is the game so far as one SGF tree.
	SaveSGF(ctx context.Context) ([]byte, error)
}

// Settings are the parameters that may change while the engine runs.
type Settings interface {
	// Params lists every parameter in a fixed order.
	Params() []setting.Param
	// SetParams sets some of them, all or none. Unknown names are errors.
	SetParams(values map[string]string) error
	// Models lists the networks in use.
	Models() []ModelInfo
}

// ModelInfo describes a network (kata-get-models).
type ModelInfo struct {
	Name         string // file name
	InternalName string // the network's own name
	MaxBatchSize int
	HumanProfile bool // takes human rank and style as input
	Version      int  // of KataGo's format; 0 for others
	FP16         bool
}
