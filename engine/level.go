package engine

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/nn"
	"kosumi/search"
)

// rank plays at a level. It owns the player's rank in this game, if the level adapts to the
// player, and the seed of the level's errors. The engine asks it for the parameters of a search
// and for the move to choose from the result.
type rank struct {
	cfg  *Config
	net  nn.Network
	log  *slog.Logger
	auto autoGame
	said string // last message about the level
	seed uint64 // seeds the level's errors in this game
}

// levelValue is the level setting: a rank, "auto", nothing, or loss:DIAL for measurements.
type levelValue struct{ at *string }

func (v levelValue) String() string { return *v.at }

// Set reads a level; "off" means none.
func (v levelValue) Set(text string) error {
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "off") {
		text = ""
	}
	if text != "" && text != autoLevel {
		if _, _, err := parseLevel(text); err != nil {
			return err
		}
	}
	*v.at = text
	return nil
}

// parseLevel reads a rank, or loss:DIAL, which it returns as a setting with that dial ([level.Player.Dial]).
func parseLevel(text string) (r level.Rank, fixed *level.Setting, err error) {
	if dial, named, err := level.ParseDial(text); named {
		return 0, &level.Setting{Dial: dial}, err
	}
	r, err = level.ParseRank(text)
	return r, nil, err
}

// note returns a message about the current level on boards of a size; "" without a level.
func (r *rank) note(size board.Size) string {
	if r.cfg.Level == "" {
		return ""
	}
	if r.imitates(size) {
		return r.cfg.Level + ": by the network of human moves"
	}
	s, err := r.setting(size)
	if err != nil {
		return err.Error()
	}
	return s.Note
}

// lowestImitated is 20k, the lowest rank that human SL networks know. Levels below are played
// without them.
const lowestImitated = level.Rank(0)

// imitates reports whether a human SL network plays the level.
func (r *rank) imitates(size board.Size) bool {
	if !r.knowsPeople() {
		return false
	}
	at, fixed, err := r.wanted(size)
	return err == nil && fixed == nil && at >= lowestImitated
}

// knowsPeople reports whether a human SL network that takes a rank is loaded.
func (r *rank) knowsPeople() bool {
	humans := r.net.Humans()
	return humans != nil && humans.Describe().TakesProfile
}

// wanted returns the rank that the level asks for on a board. If the level names a dial, it returns
// the dial's setting instead.
func (r *rank) wanted(size board.Size) (level.Rank, *level.Setting, error) {
	if r.cfg.Level == autoLevel {
		at, err := r.autoRank(size)
		return at, nil, err
	}
	return parseLevel(r.cfg.Level)
}

// refusal returns an error if the network cannot play the level on a board.
func (r *rank) refusal(name string, size board.Size) error {
	if name == "" || name == autoLevel {
		return nil
	}
	asked := *r
	asked.cfg = &Config{Level: name}
	if asked.imitates(size) {
		return nil
	}
	s, err := asked.setting(size)
	if err != nil {
		return err
	}
	return s.Refusal
}

// served returns the rank that game records show for the engine, the one at which it really plays
// (level.Setting.Served); "" at full strength.
func (r *rank) served(size board.Size) string {
	switch {
	case r.cfg.Level == "" || strings.Contains(r.cfg.Level, ":") || r.cfg.Level == autoLevel && r.auto.rank == nil:
		return ""
	case r.cfg.Level == autoLevel:
		return r.auto.rank.String()
	case r.imitates(size):
		return strings.ToLower(r.cfg.Level)
	}
	s, err := r.setting(size)
	if err != nil {
		return ""
	}
	return s.Served.String()
}

// setting returns how this network plays the level on this board.
func (r *rank) setting(size board.Size) (level.Setting, error) {
	at, fixed, err := r.wanted(size)
	if err != nil {
		return level.Setting{}, err
	}
	if fixed != nil {
		return *fixed, nil
	}
	return r.find(size, at)
}

// find returns how this network plays a rank on this board.
func (r *rank) find(size board.Size, at level.Rank) (level.Setting, error) {
	return level.Find(level.Ladders(), r.net.Describe().SHA256, size, at)
}

// search changes parameters to those of a level. It returns limits for a search of fixed length,
// independent of clock, komi and opponent.
func (r *rank) search(p search.Params, size board.Size) (search.Params, search.Limits) {
	if !r.imitates(size) {
		s, err := r.setting(size)
		if err != nil {
			r.log.Warn("the level is not known", "error", err)
		}
		return level.Searched(p, s.Dial)
	}
	p.Net.PlayoutDoublingAdvantage, p.Root.WideNoise, p.AntiMirror = 0, 0, false
	// The settings are those of KataGo's example of human-like play (gtp_human5k_example.cfg) at every rank.
	p.Human.Profile = "rank_" + strings.ToLower(r.cfg.Level)
	if r.cfg.Level == autoLevel {
		at, err := r.autoRank(size)
		if err != nil {
			r.log.Warn("the player's level is not known", "error", err)
		}
		p.Human.Profile = "rank_" + at.String()
	}
	p.Human.ChosenShare, p.Human.IgnorePass, p.Human.PiklLambda = 1, true, 1e8
	c := &p.Choice
	c.UseLCB, c.Prune, c.TemperatureOnlyBelow = false, 0, 0.01
	c.TemperatureEarly, c.Temperature, c.TemperatureHalflife = imitation.TemperatureEarly, imitation.Temperature, imitation.TemperatureHalflife
	return p, search.Limits{Playouts: 40}
}

// choose picks the level's move from the result of a search with its parameters.
func (r *rank) choose(result *search.Result, game *board.Game, rng *rand.Rand) (board.Point, error) {
	size := game.Size()
	if note := r.note(size); note != "" && note != r.said {
		r.log.Info("level " + note)
		r.said = note
	}
	if r.imitates(size) {
		return result.Choose(imitation.TemperatureAt(game.NumMoves(), size), rng), nil
	}
	s, err := r.setting(size)
	if err != nil {
		return board.Pass, err
	}
	p := level.Player{Dial: s.Dial, Seed: r.seed}
	c, _ := p.Choose(game, result, rng)
	who := "a " + cmp.Or(r.served(size), "player of this level")
	if slices.Contains([]string{"a 8k", "a 11k", "a 18k", "a 8d"}, who) {
		who = "an" + who[1:]
	}
	r.log.Log(context.Background(), r.cfg.MoveLog, "played "+level.Cost(c.Loss)+", as "+who+" would")
	return c.Move, nil
}

// imitation is the temperature of KataGo's example of human-like play.
var imitation = search.Choice{TemperatureEarly: 0.85, Temperature: 0.70, TemperatureHalflife: 80}

// levelResigns reports whether a person would resign: the game has more moves than 40 % of the board's
// points, and the player is far behind in points and has been lost for many turns.
func levelResigns(game *board.Game, lead float64, hopeless int) bool {
	area := game.Size().Area()
	behind, turns := -40.0, 20
	switch {
	case area <= 100:
		behind, turns = -15, 8
	case area <= 200:
		behind, turns = -25, 12
	}
	return game.NumMoves() > area*2/5 && lead < behind && hopeless >= turns
}

// levelResignThreshold is the value, win minus loss for the level's side, below which a level
// counts a position as lost.
const levelResignThreshold = -0.98
