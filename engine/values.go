package engine

import (
	"slices"

	"kosumi/board"
)

// ownValues keeps the values of the searches for the engine's moves in this game. Resignation, the
// advantage in handicap games, [Hurry] and the result of an abandoned game depend on these values.
type ownValues struct {
	cfg *Config
	all []ownValue
}

// ownValue is the value of the search for the engine's move at a turn.
type ownValue struct {
	turn  int
	color board.Color
	value float64 // win minus loss, from the view of the side that moved
}

// with returns the values with one appended.
func (v *ownValues) with(game *board.Game, value float64) ownValues {
	return ownValues{v.cfg, append(slices.Clip(v.all), ownValue{game.NumMoves(), game.ToMove(), value})}
}

func (v *ownValues) forget() { v.all = v.all[:0] }

func (v *ownValues) takeBack(turn int) {
	v.all = slices.DeleteFunc(v.all, func(o ownValue) bool { return o.turn >= turn || v.cfg.PoolBothSidesValues })
}

// white returns the last value, from White's view.
func (v *ownValues) white() (value float64, known bool) {
	if len(v.all) == 0 {
		return 0, false
	}
	last := v.all[len(v.all)-1]
	return float64(sideSign(last.color)) * last.value, true
}

// sureness returns how far the least of the last three values, from a colour's view, exceeds a
// threshold: 0 at or below the threshold, up to 1 for a sure win.
func (v *ownValues) sureness(c board.Color, threshold float64) float64 {
	n, least := len(v.all), 1.0
	if n < 3 || threshold >= 1 {
		return 0
	}
	for _, o := range v.all[n-3:] {
		if o.color != c {
			o.value = -o.value
		}
		least = min(least, o.value)
	}
	return max(0, (least-threshold)/(1-threshold))
}

// hopelessTurns returns how many of a colour's latest values in a row are below a threshold.
func (v *ownValues) hopelessTurns(c board.Color, threshold float64) int {
	hopeless := 0
	for _, o := range slices.Backward(v.all) {
		if o.color != c && v.cfg.PoolBothSidesValues {
			o.color, o.value = c, -o.value
		}
		switch {
		case o.color != c:
		case o.value >= threshold:
			return hopeless
		default:
			hopeless++
		}
	}
	return hopeless
}

// resigns decides whether to resign: the engine's last Config.Resign.Turns searches all found the
// game hopeless, or levelResigns says so for a level, and it is not a handicap game that White can
// still win. headStart is Black's lead at the start.
func (v *ownValues) resigns(game *board.Game, lead, headStart float64) bool {
	p := v.cfg.Resign
	if !p.Enabled || !mayResign(game, lead, headStart) || p.MinScore > 0 && lead > -p.MinScore ||
		float64(game.NumMoves()) < p.MinMovesPerArea*float64(game.Size().Area()) {
		return false
	}
	if v.cfg.Level != "" {
		return levelResigns(game, lead, v.hopelessTurns(game.ToMove(), levelResignThreshold))
	}
	return v.hopelessTurns(game.ToMove(), p.Threshold) >= p.Turns
}

// side returns the side for which the engine chose moves; ok is false if that is both sides or
// neither.
func (v *ownValues) side() (us board.Color, ok bool) {
	if len(v.all) == 0 {
		return board.Empty, false
	}
	us = v.all[0].color
	return us, !slices.ContainsFunc(v.all, func(o ownValue) bool { return o.color != us })
}

// abandonedWon reports whether an abandoned game counts as won by the engine: its winrate was at
// least 95 % at its last moves, 5 on 9x9, 10 on 19x19. The opponent may have resigned, for which GTP
// has no command.
func (v *ownValues) abandonedWon(size board.Size) bool {
	turns := (size.W+size.H)/4 + 1
	return len(v.all) >= turns && !slices.ContainsFunc(v.all[len(v.all)-turns:], func(o ownValue) bool { return o.value < 0.9 })
}
