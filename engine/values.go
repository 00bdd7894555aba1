package engine

import (
	"slices"

	"kosumi/board"
)

// ownValues remembers the values of the searches for our moves in this game. Resignation, the
// advantage in handicap games, Hurry, and the result of an abandoned game depend on them.
type ownValues struct {
	cfg *Config
	all []ownValue
}

// ownValue is the value that a search of ours found at a turn.
type ownValue struct {
	turn  int
	color board.Color
	value float64 // win minus loss, own view
}

// with returns the values and the one that a search found for a game.
func (v *ownValues) with(game *board.Game, value float64) ownValues {
	return ownValues{v.cfg, append(slices.Clip(v.all), ownValue{game.NumMoves(), game.ToMove(), value})}
}

// forget begins a new game.
func (v *ownValues) forget() { v.all = v.all[:0] }

// takeBack forgets the values from a turn on.
func (v *ownValues) takeBack(turn int) {
	v.all = slices.DeleteFunc(v.all, func(o ownValue) bool { return o.turn >= turn || v.cfg.PoolBothSidesValues })
}

// rulesChanged forgets the values found under other rules, where all values count.
func (v *ownValues) rulesChanged() {
	if v.cfg.PoolBothSidesValues {
		v.forget()
	}
}

// white returns the last value, White's view.
func (v *ownValues) white() (value float64, known bool) {
	if len(v.all) == 0 {
		return 0, false
	}
	last := v.all[len(v.all)-1]
	if last.color == board.Black {
		last.value = -last.value
	}
	return last.value, true
}

// sureness is how far the least value of the last three searches, in a colour's view, exceeds
// a threshold: 0 up to it, 1 for a won game.
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

// hopelessTurns counts a colour's latest own turns whose values all stood below a threshold.
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

// resigns decides whether to give up a game in which Black was so many points ahead at
// the start: when the last Turns searches of ours all found it hopeless.
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

// side returns the side whose moves were chosen here; ok is false for both sides or none.
func (v *ownValues) side() (us board.Color, ok bool) {
	if len(v.all) == 0 {
		return board.Empty, false
	}
	us = v.all[0].color
	return us, !slices.ContainsFunc(v.all, func(o ownValue) bool { return o.color != us })
}

// abandonedWon reports whether a game that its player leaves unfinished is won for us,
// so that leaving it is to resign, which GTP has no word for: at our last own moves, 5
// on 9x9 and 10 on 19x19, we had 95 chances of winning in 100 or more.
func (v *ownValues) abandonedWon(size board.Size) bool {
	turns := (size.W+size.H)/4 + 1
	return len(v.all) >= turns && !slices.ContainsFunc(v.all[len(v.all)-turns:], func(o ownValue) bool { return o.value < 0.9 })
}
