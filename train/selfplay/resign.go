package selfplay

import "kosumi/board"

// resignation follows one game and decides when a side without hope gives up. Its
// player tells it of each search and takes it back to where an interrupted step began.
type resignation struct {
	playOut bool        // the game is played to its end all the same
	by      board.Color // who has given up; Empty: nobody
	would   board.Color // who would have been the first to give up in a game played out
	low     [3]int      // by colour: turns in a row below the threshold
}

// see takes in what a search thinks of the side to move: its win minus loss.
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
