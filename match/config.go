package match

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/match/elo"
)

// Defaults of Config.
const (
	// DefaultRules are the rules of a match that names none.
	DefaultRules = "chinese"
	// DefaultMoveTimeout bounds the time to answer a command.
	DefaultMoveTimeout = 5 * time.Minute
	// DefaultStartTimeout bounds the time to the first answer. Until then a program may load a
	// network or tune for its device.
	DefaultStartTimeout = 10 * time.Minute
	// DefaultTimeGrace is the time by which a clock may be exceeded before the flag falls, since
	// pipes and the scheduler take time too.
	DefaultTimeGrace = 100 * time.Millisecond
	// mostOfTest is the default number of games of a sequential test.
	mostOfTest = 100_000
	// JournalName is the journal's file name in Config.Dir.
	JournalName = "journal.jsonl"
)

// ErrConfig is wrapped by errors about a Config, or about a program that cannot play its
// match: the user must change something.
var ErrConfig = errors.New("match cannot be played")

// Program is one of the two sides of a match.
type Program struct {
	// Command is the command line that starts the program (--a, --b), cut into words by
	// [SplitCommand].
	Command string `json:"command"`
	// Name replaces the name that the program gives itself (--name-a, --name-b).
	Name string `json:"name,omitempty"`
	// KnownAs replaces Command in the journal, so that a match resumes after the program
	// was moved; empty: Command.
	KnownAs string `json:"-"`
}

// Config describes a match. Only A and B must be set.
type Config struct {
	// A and B are the programs (--a, --b). A has Black in the first game, B in
	// the second, and so on.
	A, B Program
	// Engine is the program that the command word "engine" starts if PATH has no such program, so that the
	// program of an unpacked archive can play against itself; empty: none.
	Engine string
	// Games is the number of games (--games), those in the journal included; 0 means 1, 2 with
	// openings, 100,000 with SPRT. With openings it should be even, since each is played with both colours.
	Games int
	// Size is the board size (--boardsize); zero means 19x19.
	Size board.Size
	// Rules are a name such as "japanese" or a JSON object, as board.ParseRules reads them
	// (--rules); empty means DefaultRules. The referee applies them and sends them to programs
	// that support kata-set-rules or kgs-rules; others need a flag on their command line (GNU Go:
	// --chinese-rules).
	Rules string
	// Komi is White's compensation (--komi); nil means the usual komi of the rules.
	Komi *float64
	// Time is the clock (--time-settings); the zero value is none. See clock.Parse.
	Time clock.Settings
	// TimeGrace is the tolerance of the clock (--time-grace); 0 means DefaultTimeGrace, a
	// negative value none. The clock is still charged the whole time of a move.
	TimeGrace time.Duration
	// MoveTimeout bounds the time of every single answer, also without a clock
	// (--move-timeout); 0 means DefaultMoveTimeout.
	MoveTimeout time.Duration
	// StartTimeout bounds the time to a program's first answer (--start-timeout);
	// 0 means DefaultStartTimeout.
	StartTimeout time.Duration
	// MaxMoves is the maximum number of moves of a game, opening included (--max-moves); 0 means
	// three times the number of points.
	MaxMoves int
	// Parallel is how many games are played at once, each with its own pair of processes
	// (--parallel); 0 means 1.
	Parallel int
	// Dir is the folder (--out) for an SGF file of each game, the programs' stderr and, if Journal is
	// empty, the journal. Empty: no files.
	Dir string
	// Journal is the file of finished games, from which the match resumes (--journal).
	// Empty: the file JournalName in Dir, or no journal if Dir is empty too.
	Journal string
	// Openings are lists of moves that games start with (--openings; package opening reads them
	// from a file). Games 1 and 2 get the first, games 3 and 4 the second, and so on; after the
	// last opening the list begins again.
	Openings [][]board.Move
	// Handicap is the number of stones that B gives A (--handicap): A plays Black in every game,
	// and the stones of board.FixedHandicap are on the board before White's first move. 0: none.
	// With a handicap there can be no openings.
	Handicap int
	// SPRT asks for a sequential test that may end the match early
	// (--sprt-elo0, --sprt-elo1, --sprt-alpha, --sprt-beta); nil for none. With
	// openings it counts pairs of games.
	SPRT *elo.SPRT
	// Begins is called once, before the first game; may be nil.
	Begins func()
	// Progress is called after each finished game, and once at the start if the journal
	// holds games, by one goroutine at a time; may be nil.
	Progress func(Progress)
	// Fresh restarts the programs for every game (--fresh), so that games are independent.
	Fresh bool
	// Log gets the referee's messages; nil for none.
	Log *slog.Logger
}

// Progress is the argument of Config.Progress.
type Progress struct {
	// Game is the game that just ended; nil for the call at the start.
	Game *GameResult
	// Summary is the state of the match after Game.
	Summary Summary
	// Total is the number of games that the match has if no test ends it early.
	Total int
}

// plan is a checked Config with its defaults filled in, and values derived from it.
type plan struct {
	Config
	rules board.Rules
	argv  [2][]string // words of both command lines
	log   *slog.Logger
	begun func() // calls Begins, the first time only
}

// newPlan checks everything that can be checked before a program is started.
func newPlan(c Config) (*plan, error) {
	p := &plan{Config: c, begun: func() {}}
	if c.Begins != nil {
		p.begun = sync.OnceFunc(c.Begins)
	}
	p.setDefaults()
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for i, program := range []Program{c.A, c.B} {
		var err error
		if p.argv[i], err = c.split(program.Command); err != nil {
			fault("command of %s: %w", sideNames[i], err)
		}
	}
	negative := func(name string, is bool) {
		if is {
			fault("%s must not be negative", name)
		}
	}
	negative("games", p.Games < 0)
	negative("parallel", p.Parallel < 0)
	negative("max-moves", p.MaxMoves < 0)
	negative("move-timeout", p.MoveTimeout < 0)
	negative("start-timeout", p.StartTimeout < 0)
	var err error
	if p.rules, err = board.ParseRules(p.Rules); err != nil {
		fault("rules: %w", err)
	}
	if p.Komi != nil {
		p.rules.Komi = float32(*p.Komi)
	}
	if _, err = board.NewGame(p.Size, p.rules); err == nil && p.Komi != nil && 2**p.Komi != math.Trunc(2**p.Komi) {
		fault("komi %g must be a multiple of 0.5", *p.Komi)
	}
	errs = append(errs, err, p.Time.Check())
	if p.Handicap != 0 && len(p.Openings) > 0 {
		fault("handicap and openings do not go together")
	}
	if p.Handicap != 0 && board.FixedHandicap(p.Size, p.Handicap) == nil {
		fault("handicap %d: 2 to 9 stones on odd boards from 9x9, 2 to 4 on others from 7x7", p.Handicap)
	}
	if p.SPRT != nil {
		errs = append(errs, p.SPRT.Check())
	}
	if err = errors.Join(errs...); err == nil {
		err = p.checkOpenings()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return p, nil
}

// split cuts the command of a program into words.
func (c *Config) split(command string) ([]string, error) {
	argv, err := SplitCommand(command)
	if len(argv) > 0 && argv[0] == "engine" && c.Engine != "" {
		if _, err := exec.LookPath("engine"); err != nil {
			argv[0] = c.Engine
		}
	}
	return argv, err
}

func (p *plan) setDefaults() {
	games := 1
	switch {
	case p.SPRT != nil:
		games = mostOfTest
	case len(p.Openings) > 0:
		games = 2
	}
	p.Games = cmp.Or(p.Games, games)
	p.Parallel = cmp.Or(p.Parallel, 1)
	p.Rules = cmp.Or(p.Rules, DefaultRules)
	p.Size = cmp.Or(p.Size, board.Square(19))
	p.MaxMoves = cmp.Or(p.MaxMoves, 3*p.Size.Area())
	p.MoveTimeout = cmp.Or(p.MoveTimeout, DefaultMoveTimeout)
	p.StartTimeout = cmp.Or(p.StartTimeout, DefaultStartTimeout)
	p.TimeGrace = max(cmp.Or(p.TimeGrace, DefaultTimeGrace), 0)
	if p.SPRT != nil {
		sprt := p.SPRT.WithDefaults()
		p.SPRT = &sprt
	}
	if p.Journal == "" && p.Dir != "" {
		p.Journal = filepath.Join(p.Dir, JournalName)
	}
	p.log = cmp.Or(p.Log, slog.New(slog.DiscardHandler))
}

// checkOpenings plays every opening on an empty board.
func (p *plan) checkOpenings() error {
	for i, opening := range p.Openings {
		g, err := p.newGame()
		if err != nil {
			return err
		}
		for j, m := range opening {
			if err := g.Play(m.Color, m.Point); err != nil {
				return fmt.Errorf("opening %d, move %d (%s %s): %w", i+1, j+1, m.Color, p.Size.Vertex(m.Point), err)
			}
		}
		if g.Ended() {
			return fmt.Errorf("opening %d ends the game", i+1)
		}
		if len(opening) >= p.MaxMoves {
			return fmt.Errorf("opening %d has %d moves, the most in a game are %d", i+1, len(opening), p.MaxMoves)
		}
	}
	return nil
}

// newGame returns an empty board of the match. Handicap stones are then played as Black's first moves,
// which is also how the programs get them.
func (p *plan) newGame() (*board.Game, error) {
	g, err := board.NewGame(p.Size, p.rules)
	if err == nil {
		g.SetOptions(board.GameOptions{PreventEncore: true, StartBlackMovesAreHandicap: true})
	}
	return g, err
}

// opening returns the first moves of a game and the index of its opening; games count from 0. With a
// handicap the moves are the stones, and the index is -1, as it is without openings.
func (p *plan) opening(game int) (moves []board.Move, index int) {
	if p.Handicap > 0 {
		for _, at := range board.FixedHandicap(p.Size, p.Handicap) {
			moves = append(moves, board.Move{Color: board.Black, Point: at})
		}
		return moves, -1
	}
	if len(p.Openings) == 0 {
		return nil, -1
	}
	index = game / 2 % len(p.Openings)
	return p.Openings[index], index
}

// side is one of the two programs.
type side int

const (
	sideA side = iota
	sideB
)

var sideNames = [2]string{"a", "b"}

func (s side) String() string { return sideNames[s] }

func (s side) other() side { return 1 - s }

// color returns the colour of a side in a game; games count from 0.
func (p *plan) color(s side, game int) board.Color {
	if p.Handicap > 0 {
		game = 0
	}
	if int(s) == game%2 {
		return board.Black
	}
	return board.White
}
