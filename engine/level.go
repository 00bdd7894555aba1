package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/level"
	"kosumi/search"
)

// levelValue is the setting of a level: a rank, nothing, or METHOD:DIAL for
// measuring.
type levelValue struct{ at *string }

func (v levelValue) String() string { return *v.at }

// Set reads a level; "off" is none.
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

// parseLevel reads a rank, or METHOD:DIAL as a setting.
func parseLevel(text string) (r level.Rank, fixed *level.Setting, err error) {
	method, dial, byDial := strings.Cut(text, ":")
	if !byDial {
		r, err = level.ParseRank(text)
		return r, nil, err
	}
	d, err := strconv.ParseFloat(dial, 64)
	if err != nil {
		return 0, nil, fmt.Errorf("no level %q: METHOD:DIAL has a number from %g to %g", text, level.Strongest, level.Weakest)
	}
	s, err := level.ByDial(method, d)
	return 0, &s, err
}

// LevelNote says what to know about the level that is set, on boards of the
// current size; "" without one.
func (e *Engine) LevelNote() string {
	if e.cfg.Level == "" {
		return ""
	}
	if e.imitates() {
		return e.cfg.Level + ": by the network of human moves"
	}
	s, err := e.levelSetting()
	if err != nil {
		return err.Error()
	}
	return s.Note
}

// imitates reports whether the level is played by a network of human moves.
func (e *Engine) imitates() bool {
	humans := e.net.Humans()
	return humans != nil && humans.Describe().TakesProfile && !strings.Contains(e.cfg.Level, ":")
}

// playsAt is the rank that a record says of the engine: that of its level, or what
// of it the network serves; "" at full strength.
func (e *Engine) playsAt() string {
	switch {
	case e.cfg.Level == "" || strings.Contains(e.cfg.Level, ":") || e.cfg.Level == autoLevel && e.auto.rank == nil:
		return ""
	case e.cfg.Level == autoLevel:
		return e.auto.rank.String()
	case e.imitates():
		return strings.ToLower(e.cfg.Level)
	}
	s, err := e.levelSetting()
	if err != nil {
		return ""
	}
	return s.Served.String()
}

// levelSetting is how the level is played with this network on this board.
func (e *Engine) levelSetting() (level.Setting, error) {
	var r level.Rank
	var fixed *level.Setting
	var err error
	if e.cfg.Level == autoLevel {
		r, err = e.autoRank()
	} else {
		r, fixed, err = parseLevel(e.cfg.Level)
	}
	if err != nil {
		return level.Setting{}, err
	}
	if fixed != nil {
		return *fixed, nil
	}
	ladders, err := level.Ladders()
	if err != nil {
		return level.Setting{}, err
	}
	return level.Find(ladders, e.net.Describe().SHA256, e.game.Size(), r)
}

// levelSearch makes of the settings those that a level is chosen by: every likely
// move gets its share of a search of fixed length, whatever the clock, the komi
// or the opponent.
func (e *Engine) levelSearch(p search.Params) (search.Params, search.Limits) {
	if !e.imitates() {
		s, err := e.levelSetting()
		if err != nil {
			e.log.Warn("the level is not known", "error", err)
		}
		return level.Searched(p, s.Dial)
	}
	p.Net.PlayoutDoublingAdvantage, p.Root.WideNoise, p.AntiMirror = 0, 0, false
	// KataGo's example of human play (gtp_human5k_example.cfg) at every rank.
	p.Human.Profile = "rank_" + strings.ToLower(e.cfg.Level)
	if e.cfg.Level == autoLevel {
		r, err := e.autoRank()
		if err != nil {
			e.log.Warn("the player's level is not known", "error", err)
		}
		p.Human.Profile = "rank_" + r.String()
	}
	p.Human.ChosenShare, p.Human.IgnorePass, p.Human.PiklLambda = 1, true, 1e8
	c := &p.Choice
	c.UseLCB, c.Prune, c.TemperatureOnlyBelow = false, 0, 0.01
	c.TemperatureEarly, c.Temperature, c.TemperatureHalflife = 0.85, 0.70, 80
	return p, search.Limits{Playouts: 40}
}

// chooseLevel picks the move of the level from a search by levelSearch.
func (e *Engine) chooseLevel(result *search.Result, game *board.Game, rng *rand.Rand) (board.Point, error) {
	if note := e.LevelNote(); note != "" && note != e.levelSaid {
		e.log.Info("level " + note)
		e.levelSaid = note
	}
	if e.imitates() {
		return result.Choose(imitationTemperature(game), rng), nil
	}
	s, err := e.levelSetting()
	if err != nil {
		return board.Pass, err
	}
	p := level.Player{Method: s.Method, Dial: s.Dial, Seed: e.gameSeed}
	c, _ := p.Choose(game, result, rng)
	e.log.Info("level", "loss", strconv.FormatFloat(math.Round(c.Loss*100)/100, 'f', 2, 64), "refused", c.Refused)
	return c.Move, nil
}

// imitationTemperature is that of KataGo's example of human play.
func imitationTemperature(g *board.Game) float64 {
	c := search.Choice{TemperatureEarly: 0.85, Temperature: 0.70, TemperatureHalflife: 80}
	return c.TemperatureAt(g.NumMoves(), g.Size())
}

// levelResigns reports whether a person would give the game up: past 40 % of the
// board's moves, behind by many points, and lost for many turns.
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

// levelResignThreshold is the win minus loss, own view, below which a level counts
// a position as lost.
const levelResignThreshold = -0.98
