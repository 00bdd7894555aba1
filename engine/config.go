package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"kosumi/board"
	"kosumi/search"
)

// Config is an engine's configuration. Start from [Defaults].
type Config struct {
	Size  board.Size
	Rules board.Rules // komi included
	// Limits apply to every move, in addition to the limits of a clock. If there are no limits and
	// no clock, a move takes DefaultTime.
	Limits      search.Limits
	DefaultTime time.Duration
	Search      search.Params
	Ponder      bool
	Resign      Resignation
	Lag         time.Duration // time kept in reserve for each move on a clock
	// EarlyStop ends a search on a clock as soon as no other move can catch up, if the clock keeps
	// the time saved. While its choice is unstable, a search may exceed the planned time by the
	// fraction Extend.
	EarlyStop bool
	Extend    float64
	Seed      uint64 // for sampling moves; the search has its own seed
	// AnalysisWideNoise makes Analyze search more moves at the root (KataGo's
	// analysisWideRootNoise).
	AnalysisWideNoise float64
	// HandicapAdvantage limits the playout doubling advantage of the side that starts behind: so many
	// doublings for each point of head start beyond the first few (KataGo's
	// dynamicPlayoutDoublingAdvantageCapPerOppLead); 0 is none.
	HandicapAdvantage float64
	// ScoreByLead scores a game that is not over: the score is the lead, in points, that short
	// searches find.
	ScoreByLead bool
	// PoolBothSidesValues bases resignation, the advantage in handicap games and Hurry on the
	// values of all searches, for either side, even if the move was not played. An undo or new rules
	// clear these values. KataGo does all this. By default each side has only the values of its own
	// moves.
	PoolBothSidesValues bool
	// HandicapRepeats is the utility subtracted from moves that resemble the player's earlier ones, if
	// the player is the side that starts behind in a handicap game; 0 is none. It then replaces
	// Search.RepeatPenalty.Utility (KataGo's avoidRepeatedPatternUtility).
	HandicapRepeats float64
	// MoveLog is the log level of the line about each move.
	MoveLog slog.Level
	// Name is the engine's name in game records.
	Name string
	// Level is the rank to play at, "30k" to "9d", or "auto" to adapt to the player; "" is full
	// strength. LevelFile keeps the player's ratings; "" is a file in the user's configuration
	// folder.
	Level, LevelFile string
	// Delay is how long to wait before answering with a move.
	Delay Delay
	// Game holds options for questions that the rules leave open.
	Game board.GameOptions
	// AnalysisHistory lets Analyze show the network the moves before the position;
	// AnalysisAntiMirror lets it search against mirror Go.
	AnalysisHistory, AnalysisAntiMirror bool
	// PonderLimits bound a search in the opponent's time.
	PonderLimits search.Limits
	Hurry        Hurry
	// FriendlyPass says when to pass instead of a move that only fills; CleanUp says when to capture
	// dead stones in sure territory before a pass. If both are Always, CleanUp takes precedence.
	FriendlyPass, CleanUp Whether
}

// Whether says when to do something: as the rules suggest, always, or never.
type Whether uint8

const (
	ByRules Whether = iota
	Always
	Never
)

// Resignation says when to resign.
type Resignation struct {
	Enabled bool
	// Threshold is a value of win minus loss, [-1,1], from the engine's view: the engine resigns
	// when the values of its last Turns moves were all below Threshold.
	Threshold float64
	Turns     int
	// To resign, the engine must also be at least MinScore points behind, after at least
	// MinMovesPerArea moves per point of the board.
	MinScore, MinMovesPerArea float64
}

// Defaults returns the configuration of a plain game: 19x19, Chinese rules, five seconds a move,
// resignation as in KataGo's example config.
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

// Validate returns every error of the configuration, joined.
func (c Config) Validate() error {
	var faults []error
	bad := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	faults = append(faults, c.Size.Check())
	komi := float64(c.Rules.Komi)
	bad(2*komi != math.Trunc(2*komi), "komi %g must be a multiple of 0.5", komi)
	bad(c.DefaultTime < 0, "default time %v must not be negative", c.DefaultTime)
	bad(c.Resign.Turns < 1, "resign turns %d must be 1 or more", c.Resign.Turns)
	for i := range settings {
		if s := &settings[i]; s.Section == "" && s.Name != "max-memory" && s.Name != "threads" { // the search checks its own settings
			faults = append(faults, s.Check(&c))
		}
	}
	return errors.Join(append(faults, c.Search.Validate())...)
}
