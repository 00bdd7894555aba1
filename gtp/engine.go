package gtp

import (
	"context"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/search/setting"
	"kosumi/search/thinking"
)

// Engine is the player behind the server: everything that the commands need, and nothing about
// how it thinks. The server calls it from one goroutine, one method at a time; Analyze and
// GenMove may call their report functions from other goroutines. Every method but Game may wait
// for a network that is still loading. Each change of the game stops a search in the background;
// scores and statuses are as if the game ended now.
//
// After any error the state is unchanged. Error texts may reach the user (one line, lower case); if
// the protocol prescribes the text of a failure, the server writes that text and logs the error.
type Engine interface {
	// Game returns the current game: read only, and valid until the next call
	// that changes it. It carries size, rules, komi, moves and the side to move.
	Game() *board.Game
	// NewGame empties the board at this size: no stones, captures, history, ko,
	// handicap. Komi, rules and clock settings stay.
	NewGame(s board.Size) error
	// SetKomi changes komi and nothing else; k is a multiple of 0.5 within ±400.
	SetKomi(k float32) error
	// SetRules replays the game under r. The position and komi stay: the server sets r.Komi to the
	// game's komi.
	SetRules(r board.Rules) error
	// Play plays a move of either colour, whichever is to move. It refuses only
	// occupied and off-board points; breaches of ko, superko and suicide rules
	// are played, so that the game never differs from a server's.
	Play(c board.Color, p board.Point) error
	// Undo takes back the last n moves and the time that they took, or nothing if there are fewer;
	// n >= 1. Set-up and handicap stones are not moves.
	Undo(n int) error
	// Setup replaces stones and side to move; history and handicap are
	// forgotten, and Undo cannot go past it. Every chain needs a liberty.
	Setup(black, white []board.Point, toMove board.Color) error
	// FreeHandicap chooses n points, 2 or more and fewer than the board has, for handicap stones
	// on the empty board. It places none.
	FreeHandicap(ctx context.Context, n int) ([]board.Point, error)
	// SetHandicap puts Black's handicap stones on the empty board; White is to
	// move and their number counts for the handicap bonus.
	SetHandicap(stones []board.Point) error

	// GenMove chooses a move for r.Color, which becomes the side to move if it
	// is not, and plays it unless r.Keep is set or the engine resigns. When ctx ends
	// it returns the best move so far within milliseconds and without error.
	// The move is strictly legal, superko included.
	GenMove(ctx context.Context, r thinking.MoveRequest) (thinking.Decision, error)
	// Analyze searches the current position as r asks and calls report at every r.Interval and
	// once more before it returns, so at least once, and never two calls at a time. It returns
	// within milliseconds when ctx ends (then without error); it may return earlier, for instance
	// at a visit limit. report may keep the analysis.
	Analyze(ctx context.Context, r thinking.Request, report func(*thinking.Analysis)) error
	// Evaluate runs the network once on the current position, without search.
	Evaluate(ctx context.Context, r thinking.EvaluationRequest) (*thinking.Evaluation, error)
	// Stop ends a search in the background and returns when it has ended.
	Stop()
	// ClearCache forgets evaluated positions and the search tree.
	ClearCache()

	// SetClock resets both clocks to these settings and changes nothing else.
	SetClock(s clock.Settings) error
	// TimeLeft overrides one clock. stones is 0 in main time; else the stones still to play in this
	// period (Canadian) or the periods left, this one included (byo-yomi). left may be slightly
	// negative.
	TimeLeft(c board.Color, left time.Duration, stones int) error

	// FinalScore is White's points minus Black's, komi and bonuses included.
	FinalScore(ctx context.Context) (float64, error)
	// FinalStatus judges every point: W*H entries in the order of board.Point.
	// All stones of a chain have the same status.
	FinalStatus(ctx context.Context) ([]thinking.Status, error)
	// Estimate judges an unfinished game.
	Estimate(ctx context.Context) (*thinking.Estimate, error)

	// LoadSGF sets size, komi, rules (where the record has them), set-up and moves of the main
	// line. before is the number of the first move left out; 0 or a number beyond the end loads all
	// moves.
	LoadSGF(sgf []byte, before int) error
	// SaveSGF is the game so far as one SGF tree.
	SaveSGF(ctx context.Context) ([]byte, error)

	// Params lists every parameter in a fixed order.
	Params() []setting.Param
	// SetParams sets the given parameters, or none of them on error. Unknown names are errors.
	SetParams(values map[string]string) error
}
