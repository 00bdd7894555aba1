package selfplay

import "kosumi/board"

// resignation decides when a side resigns in one game. It is a plain value, so that an interrupted step
// can be undone by putting back a copy.
type resignation struct {
	playOut bool        // the game is played to its end without resignation
	by      board.Color // side that has resigned; Empty: none
	would   board.Color // side that would have resigned first in a game played to its end
	low     [3]int      // by colour: turns in a row below the threshold
}

// see takes in the result of a search: win minus loss, as seen by own, the side to move.
func (r *resignation) see(own board.Color, winLoss float64, e *Ending) {
	if e.Resign <= -1 {
		return
	}
	if winLoss > e.Resign {
		r.low[own] = 0
		return
	}
	if r.low[own]++; r.low[own] < e.ResignTurns {
		return
	}
	switch {
	case !r.playOut:
		r.by = own
	case r.would == board.Empty:
		r.would = own
	}
}
