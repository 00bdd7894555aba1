// Package selfplay plays games of a network against itself, many at once, and makes training rows
// of them.
//
// A Session holds the games. When [Session.Play] ends, it pauses each game at its next move; a later
// call continues them, also with another network. So a learner can train between two calls, no
// game is dropped, and the batches of the next call are full from its start.
//
// Sources of the recipe: KataGo, cpp/program/play.cpp and the self-play configurations beside it;
// "Accelerating Self-Play Learning in Go", arXiv 1902.10565; "Policy improvement by planning with
// Gumbel", Danihelka et al., ICLR 2022.
package selfplay

import (
	"errors"
	"fmt"
	"math"

	"kosumi/board"
	"kosumi/search"
	"kosumi/search/setting/tomlfile"
)

// Methods of choosing a move.
const (
	PUCT   = "puct"   // noise, forced visits and a pruned target
	Gumbel = "gumbel" // sequential halving at the root: for a handful of visits
	Random = "random" // any legal move that fills no eye; no search and no network
	Policy = "policy" // moves drawn from the network's policy without search, for games to be labelled
)

// Config is the recipe of self-play. Start from Defaults.
type Config struct {
	// Boards lists the board sizes and how often each is played, relative to the others.
	Boards []BoardShare `toml:"boards"`
	// ArraySide is the side of the square arrays that rows are stored in; 0: that of the largest
	// board.
	ArraySide int `toml:"array_side" range:"0 to 25"`
	// Parallel is the number of games played at the same time, which fill the batches. 32 for each
	// session of the network is plenty.
	Parallel int `toml:"parallel" range:"1 to 4096"`
	// MoveLimit bounds the length of a game, in moves per point of the board. A game that reaches it
	// is counted as it stands.
	MoveLimit float64 `toml:"move_limit" range:"above 0 to 100"`
	// Labels is set if another network labels the positions; then final positions are not scored.
	Labels bool `toml:"-" json:"-"`

	Rules     Rules     `toml:"rules"`
	Komi      Komi      `toml:"komi"`
	Opening   Opening   `toml:"opening"`
	Positions Positions `toml:"positions"`
	Search    Search    `toml:"search"`
	Ending    Ending    `toml:"ending"`
	Rows      Rows      `toml:"rows"`
}

// BoardShare is a board size and how often it is played.
type BoardShare struct {
	Width  int     `toml:"width" range:"2 to 25"`
	Height int     `toml:"height" range:"2 to 25"`
	Share  float64 `toml:"share" range:"0 to 1000000"`
}

// Size is the size of the board.
func (b BoardShare) Size() board.Size { return board.Size{W: b.Width, H: b.Height} }

// BoardAt draws a board by its share: it returns the first one at which the running sum
// of the shares exceeds x times their total, 0 <= x < 1.
func BoardAt(boards []BoardShare, x float64) BoardShare {
	var sum float64
	for _, b := range boards {
		sum += b.Share
	}
	x *= sum
	for _, b := range boards {
		if x -= b.Share; x < 0 {
			return b
		}
	}
	return boards[len(boards)-1] // rounding can put x beyond the sum
}

// Rules says how the rules of a game are drawn. They have area scoring without tax or button, except
// in games to be labelled.
type Rules struct {
	// Shares of the ko rules; they need not add up to 1.
	KoSimple      float64 `toml:"ko_simple" range:"0 to 1000000"`
	KoPositional  float64 `toml:"ko_positional" range:"0 to 1000000"`
	KoSituational float64 `toml:"ko_situational" range:"0 to 1000000"`
	// Suicide is the share of games in which suicide of several stones is legal.
	Suicide float64 `toml:"suicide" range:"0 to 1"`
	// Territory is the share of games to be labelled that have Japanese rules.
	Territory float64 `toml:"territory,omitempty" json:",omitempty" range:"0 to 1"`
}

// Komi says how the komi of a game is drawn.
type Komi struct {
	// A share UsualShare of the games has one of the komi in Usual, each with the same chance.
	Usual      []float64 `toml:"usual" range:"-400 to 400"`
	UsualShare float64   `toml:"usual_share" range:"0 to 1"`
	// The other games have a fair komi: the network's expected score after the opening (or the
	// usual komi if the network predicts no score), plus normal noise of Stdev points, or of
	// WideStdev points in a share WideShare of these games. Both deviations are for 9x9 and scale with the
	// side of the board.
	Stdev     float64 `toml:"stdev" range:"0 to 400"`
	WideStdev float64 `toml:"wide_stdev" range:"0 to 400"`
	WideShare float64 `toml:"wide_share" range:"0 to 1"`
}

// Opening makes games differ from each other.
type Opening struct {
	// Moves is the mean number of moves, as a share of the area, that are drawn from the network's
	// policy before searches begin; the number has an exponential distribution.
	Moves       float64 `toml:"moves" range:"0 to 1"`
	Temperature float64 `toml:"temperature" range:"above 0 to 100"`
	// Forks is the share of games from which a new game branches off, after ForkDepth x area moves
	// on average. The new game begins with the best of a few random moves.
	Forks     float64 `toml:"forks" range:"0 to 1"`
	ForkDepth float64 `toml:"fork_depth" range:"0 to 1"`
	// Handicap is the share of games to be labelled that begin with 2 to 9 black stones on the
	// board, if it has room for them.
	Handicap float64 `toml:"handicap,omitempty" json:",omitempty" range:"0 to 1"`
}

// Search has the settings of searches and of the choice of moves.
type Search struct {
	Method string `toml:"method"` // "puct", "gumbel" or "random"; for engine label also "policy"
	// Visits and CheapVisits are the visits of a full search and of a cheap one. A share CheapShare
	// of the turns is searched cheaply and makes no row (playout cap randomisation).
	Visits      int     `toml:"visits" range:"0 to 1000000"`
	CheapVisits int     `toml:"cheap_visits" range:"0 to 1000000"`
	CheapShare  float64 `toml:"cheap_share" range:"0 to 1"`

	// Considered is the number of moves that Gumbel's halving begins with,
	// ValueScale is its c_scale for values from 0 (lost) to 1 (won).
	Considered int     `toml:"considered" range:"0 to 625"`
	ValueScale float64 `toml:"value_scale" range:"0 to 100"`
	// GumbelNoise is the number of moves, as a share of the area, up to which cheap searches have
	// noise too. Later cheap turns play the best move.
	GumbelNoise float64 `toml:"gumbel_noise" range:"0 to 100"`

	// For puct: root noise, root policy temperature, forced visits, and the
	// temperature of the choice of the move.
	NoiseWeight         float64 `toml:"noise_weight" range:"0 to 1"`
	NoiseConcentration  float64 `toml:"noise_concentration" range:"0.001 to 10000"`
	NoiseShaped         bool    `toml:"noise_shaped"`
	RootTemperature     float64 `toml:"root_temperature" range:"0.01 to 100"`
	RootTemperature0    float64 `toml:"root_temperature_early" range:"0.01 to 100"`
	ForcedVisits        float64 `toml:"forced_visits" range:"0 to 100"`
	MoveTemperature     float64 `toml:"move_temperature" range:"0 to 5"`
	MoveTemperature0    float64 `toml:"move_temperature_early" range:"0 to 5"`
	TemperatureHalflife float64 `toml:"temperature_halflife" range:"0.1 to 100000"` // in moves of a 19x19 game
	RootSymmetries      int     `toml:"root_symmetries" range:"1 to 8"`

	// Exploration is PUCT's c below the root and, with the method "puct", at the root.
	Exploration float64 `toml:"exploration" range:"0 to 100"`
	FPU         float64 `toml:"fpu" range:"0 to 100"`
	// ScoreUtility weighs the score relative to the expected score, StaticScoreUtility relative to an even game.
	ScoreUtility       float64 `toml:"score_utility" range:"0 to 1"`
	StaticScoreUtility float64 `toml:"static_score_utility" range:"0 to 1"`
}

// Ending has the settings that end games before two passes.
type Ending struct {
	// SkipSettled skips moves into pass-alive areas, and ends games whose every point is in one.
	// PlayOutSettled is the share of these games in which both sides pass until the game ends.
	SkipSettled    bool    `toml:"skip_settled"`
	PlayOutSettled float64 `toml:"play_out_settled" range:"0 to 1"`
	// SkipEyes skips moves into the player's own one-point eyes, which helps while the network is
	// untrained.
	SkipEyes bool `toml:"skip_eyes"`
	// SoftResign is a threshold for the leading side's win minus loss. If the same side was above it
	// in the last three turns, visits and the weight of rows fall, down to SoftVisits and SoftWeight
	// where win minus loss is 1. A threshold of 1 or more: never.
	SoftResign float64 `toml:"soft_resign" range:"0 to 100"`
	SoftVisits int     `toml:"soft_visits" range:"0 to 1000000"`
	SoftWeight float64 `toml:"soft_weight" range:"0 to 1"`
	// Resign ends a game when a side's win minus loss was at most this in its last ResignTurns
	// turns; -1 or less: never. PlayOut is the share of games without resignation; they
	// show how often resigning would be wrong.
	Resign      float64 `toml:"resign" range:"-100 to 0"`
	ResignTurns int     `toml:"resign_turns" range:"0 to 10000"`
	PlayOut     float64 `toml:"play_out" range:"0 to 1"`
}

// Rows selects the turns that become training rows.
type Rows struct {
	// Share is the fraction of the turns with a full search that become rows.
	Share float64 `toml:"share" range:"0.0001 to 1"`
	// PolicySurprise and ValueSurprise are the shares of the rows' weight given to turns where
	// the search differed much from the network.
	PolicySurprise float64 `toml:"policy_surprise" range:"0 to 1"`
	ValueSurprise  float64 `toml:"value_surprise" range:"0 to 1"`
}

// Defaults returns a recipe for 9x9 on a small machine. It uses PUCT, because networks learnt
// faster from its games than from Gumbel's at 20 to 48 visits (docs/measurements.md).
func Defaults() Config {
	return Config{
		Boards:    []BoardShare{{9, 9, 1}},
		Parallel:  64,
		MoveLimit: 2.5,
		Rules:     Rules{KoSimple: 1, KoPositional: 1, KoSituational: 1},
		Komi: Komi{Usual: []float64{7, 7.5, 6.5, 5.5, 7, 6}, UsualShare: 0.6,
			Stdev: 0.6, WideStdev: 6, WideShare: 0.06},
		Opening:   Opening{Moves: 0.04, Temperature: 1, Forks: 0.05, ForkDepth: 0.1},
		Positions: Positions{From: 0.3, To: 0.9},
		Search: Search{Method: PUCT, Visits: 64, CheapVisits: 16, CheapShare: 0.75,
			Considered: 16, ValueScale: 1, GumbelNoise: 0.3,
			NoiseWeight: 0.25, NoiseConcentration: 10.83, NoiseShaped: true,
			RootTemperature: 1.1, RootTemperature0: 1.25, ForcedVisits: 2,
			MoveTemperature: 0.15, MoveTemperature0: 0.75, TemperatureHalflife: 19, RootSymmetries: 1,
			Exploration: 1.1, FPU: 0.2, ScoreUtility: 0.3, StaticScoreUtility: 0.1},
		Ending: Ending{SkipSettled: true, PlayOutSettled: 0.2,
			SoftResign: 0.9, SoftVisits: 16, SoftWeight: 0.1, Resign: -1, ResignTurns: 3, PlayOut: 0.1},
		Rows: Rows{Share: 1},
	}
}

// ParseConfig reads a recipe in TOML. Missing keys have the values of base.
func ParseConfig(data []byte, base Config) (Config, error) {
	c := base
	c.Boards = nil // the decoder would append to a list
	if err := tomlfile.Decode(data, &c); err != nil {
		return Config{}, err
	}
	if c.Boards == nil {
		c.Boards = base.Boards
	}
	return c, nil
}

// Validate returns every fault of the recipe, joined. Faults name keys.
func (c *Config) Validate() error {
	errs := tomlfile.Check(*c)
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fault(len(c.Boards) == 0, "boards: at least one board size is needed")
	total := 0.0
	for _, b := range c.Boards {
		fault(c.ArraySide > 0 && max(b.Width, b.Height) > c.ArraySide, "array_side %d is smaller than the board %dx%d", c.ArraySide, b.Width, b.Height)
		total += b.Share
	}
	fault(total == 0, "boards: the shares add up to nothing")
	fault(c.Rules.KoSimple+c.Rules.KoPositional+c.Rules.KoSituational == 0, "rules: the shares of the ko rules, such as ko_simple, are all 0")
	for _, k := range c.Komi.Usual {
		fault(k*2 != math.Trunc(k*2), "komi.usual has %v: whole or half points are wanted", k)
	}
	fault(len(c.Komi.Usual) == 0, "komi.usual: at least one is needed")
	fault(c.Rows.PolicySurprise+c.Rows.ValueSurprise > 1, "rows.policy_surprise and rows.value_surprise add up to more than 1")
	errs = append(errs, c.Positions.validate(c)...)
	fault(!c.Labels && (c.Rules.Territory > 0 || c.Opening.Handicap > 0), "rules.territory and opening.handicap are for engine label: self-play counts by area and begins even")
	s := &c.Search
	switch s.Method {
	case Gumbel, PUCT:
		fault(s.Visits < 2, "search.visits is %d, must be 2 or more", s.Visits)
		fault(s.CheapShare > 0 && s.CheapVisits < 2, "search.cheap_visits is %d, must be 2 or more", s.CheapVisits)
		fault(c.Ending.SoftResign < 1 && c.Ending.SoftVisits < 2, "ending.soft_visits is %d, must be 2 or more", c.Ending.SoftVisits)
		full, cheap := c.params(true, false, 0), c.params(false, true, 0)
		errs = append(errs, full.Validate(), cheap.Validate())
	case Random:
	case Policy:
		fault(!c.Labels, "search.method policy makes no rows: engine label plays such games")
		fault(!(s.MoveTemperature > 0 && s.MoveTemperature0 > 0),
			"search.move_temperature is %v and move_temperature_early %v, must be above 0", s.MoveTemperature, s.MoveTemperature0)
	default:
		fault(true, "search.method is %q, must be puct, gumbel or random", s.Method)
	}
	return errors.Join(errs...)
}

// Side returns the side of the arrays that rows are stored in.
func (c *Config) Side() int {
	side := c.ArraySide
	if side == 0 {
		for _, b := range c.Boards {
			side = max(side, b.Width, b.Height)
		}
	}
	return side
}

// params returns the settings of a search: a full or a cheap one, with noise or for the best move.
func (c *Config) params(full, greedy bool, seed uint64) search.Params {
	s := &c.Search
	p := search.Plain()
	p.Seed = seed
	p.PUCT.Exploration, p.PUCT.ExplorationLog = s.Exploration, 0
	p.FPU.ReductionMax, p.FPU.RootReductionMax = s.FPU, 0
	p.Utility.DynamicScoreFactor, p.Utility.StaticScoreFactor = s.ScoreUtility, s.StaticScoreUtility
	p.Choice.UseLCB = false
	p.Choice.Temperature, p.Choice.TemperatureEarly = s.MoveTemperature, s.MoveTemperature0
	p.Choice.TemperatureHalflife = s.TemperatureHalflife
	p.Memory.MaxBytes = 256 << 20
	if s.Method == Gumbel {
		p.Root.Gumbel = search.Gumbel{Considered: s.Considered, VisitScale: 50, ValueScale: s.ValueScale, Greedy: greedy}
		return p
	}
	if full {
		p.Root.NoiseEnabled = s.NoiseWeight > 0
		p.Root.DirichletWeight, p.Root.DirichletTotalConcentration, p.Root.DirichletShaped = s.NoiseWeight, s.NoiseConcentration, s.NoiseShaped
		p.Root.PolicyTemperature, p.Root.PolicyTemperatureEarly = s.RootTemperature, s.RootTemperature0
		p.Root.DesiredPerChildVisitsCoeff = s.ForcedVisits
		p.Root.NumSymmetries = max(1, s.RootSymmetries)
	}
	return p
}
