package features

import (
	"fmt"
	"strings"

	"kosumi/board"
)

// Encoding names one way to turn a game into network inputs.
type Encoding uint8

// The encodings. The zero value is none of them, so that a missing choice is noticed.
const (
	None       Encoding = iota // no inputs at all (a model without a network)
	V7                         // KataGo V7: model versions 8 to 17
	Seed22                     // 22 planes: stones, eight moves of history, ko, liberties, rules
	Mini7                      // 7 planes of the smallest dual-head networks
	V3                         // KataGo V3: model versions 3 and 4
	V4                         // KataGo V4: model version 5
	V5                         // KataGo V5: model version 6
	V6                         // KataGo V6: model version 7
	AGZ17                      // AlphaGo Zero's 17 planes in the paper's order, X(t), Y(t), X(t-1), Y(t-1), ...
	AGZ17Split                 // the planes of AGZ17, first all of the side to move, then all of the opponent
)

// shapes holds name, planes and globals of each encoding.
var shapes = [...]struct {
	name            string
	planes, globals int
}{
	None:       {"none", 0, 0},
	V7:         {"v7", 22, 19},
	Seed22:     {"seed22", 22, 0},
	Mini7:      {"mini7", 7, 0},
	V3:         {"v3", 22, 14},
	V4:         {"v4", 22, 14},
	V5:         {"v5", 13, 12},
	V6:         {"v6", 22, 16},
	AGZ17:      {"agz17", 17, 0},
	AGZ17Split: {"agz17-split", 17, 0},
}

// Parse returns the encoding of that name, in upper or lower case. The error for
// an unknown name lists those that a foreign network or rows can have.
func Parse(name string) (Encoding, error) {
	for e, s := range shapes {
		if e != int(None) && strings.EqualFold(name, s.name) {
			return Encoding(e), nil
		}
	}
	return None, fmt.Errorf("unknown encoding %q: use v7, seed22, mini7, agz17 or agz17-split", name)
}

// String returns the name that Parse reads, such as "v7".
func (e Encoding) String() string {
	if int(e) < len(shapes) {
		return shapes[e].name
	}
	return fmt.Sprintf("encoding(%d)", uint8(e))
}

// Planes returns the number of spatial planes.
func (e Encoding) Planes() int { return shapes[e].planes }

// Globals returns the number of values that belong to no point; 0 for encodings
// that put everything into planes.
func (e Encoding) Globals() int { return shapes[e].globals }

// PlaneNames briefly describes each plane, in order; nil for V3 to V6. docs/pytorch.md has
// details.
func (e Encoding) PlaneNames() []string { return planeNames[e] }

// planeNames are in the order of the planes. "Own" is the side to move.
var planeNames = map[Encoding][]string{
	Mini7:      {"own stones", "opponent's stones", "empty points", "last move", "move before it", "legal moves", "Black to move"},
	AGZ17:      agzNames(AGZ17),
	AGZ17Split: agzNames(AGZ17Split),
	Seed22: {
		"own stones", "opponent's stones", "empty points",
		"changed by the last move", "changed by the 2nd last", "changed by the 3rd last", "changed by the 4th last",
		"changed by the 5th last", "changed by the 6th last", "changed by the 7th last", "changed by the 8th last",
		"ko point", "chains of 1 liberty", "chains of 2 liberties", "chains of 3 liberties", "chains of 4 liberties", "chains of 5 liberties", "chains of 6 or more",
		"area scoring", "territory scoring", "komi / 15", "Black to move",
	},
	V7: {
		"board", "own stones", "opponent's stones", "chains of 1 liberty", "chains of 2 liberties", "chains of 3 liberties",
		"points that ko or superko forbids", "stones that may not be retaken (clean-up phases)", "nothing",
		"last move", "2nd last move", "3rd last move", "4th last move", "5th last move",
		"chains in a ladder", "chains in a ladder 1 move ago", "chains in a ladder 2 moves ago", "moves that catch in a ladder",
		"own area", "opponent's area", "own stones at the start of the second clean-up phase", "opponent's stones there",
	},
}

// agzNames names the planes of AlphaGo Zero.
func agzNames(e Encoding) []string {
	names := make([]string, agzBlack+1)
	for ago, when := range [agzBoards]string{"now", "1 move ago", "2 moves ago", "3 moves ago", "4 moves ago", "5 moves ago", "6 moves ago", "7 moves ago"} {
		own, opp := agzPlanes(e, ago)
		names[own], names[opp] = "own stones "+when, "opponent's stones "+when
	}
	names[agzBlack] = "Black to move"
	return names
}

// Options of an encoding. Encodings other than V3 to V7 ignore them. The zero value is a plain position with its
// whole history and no advantage to either side.
type Options struct {
	// DrawWinsForWhite is the value of a draw for White as a fraction of a win, 0 < x <= 1. 0 means
	// the usual 0.5, a negative value means 0.
	DrawWinsForWhite float64
	// ConservativePassRoot hides the history if a pass would end the game, so that the network
	// does not expect the game to end. It is for the root of a search.
	ConservativePassRoot bool
	// PassingHacks hides the history where passing would lose the game, and
	// caps the pass policy at 95 %.
	PassingHacks bool
	// HistoryHidden shows no earlier move at all.
	HistoryHidden bool
	// MaxHistory is the largest number of earlier moves shown; 0 means no
	// limit (use HistoryHidden for none).
	MaxHistory int
	// PlayoutDoublingAdvantage is the advantage in search effort of the side
	// to move, in doublings, -3..3; 0 is an even game.
	PlayoutDoublingAdvantage float32
	// Areas are the modes by which areas are judged.
	Areas Areas
}

// Mode is on, off, or auto, which leaves the choice to another source.
type Mode uint8

// The modes.
const (
	Auto Mode = iota
	Off
	On
)

// ModeWords are KataGo's words for the modes.
var ModeWords = []string{"auto", "false", "true"}

func (m Mode) over(auto bool) bool {
	if m == Auto {
		return auto
	}
	return m == On
}

// Areas are area modes, see [board.AreaModes]. Auto stands for the mode of the network's training or,
// if that is not known, for the game's mode.
type Areas struct{ PassAliveUnderSuicide, ExcludeTerritoryAdjacentToAtari Mode }

// Over returns the modes in a, where the parameter's modes replace those that are Auto.
func (a Areas) Over(auto board.AreaModes) board.AreaModes {
	return board.AreaModes{
		PassAliveUnderSuicide:           a.PassAliveUnderSuicide.over(auto.PassAliveUnderSuicide),
		ExcludeTerritoryAdjacentToAtari: a.ExcludeTerritoryAdjacentToAtari.over(auto.ExcludeTerritoryAdjacentToAtari),
	}
}

// In returns the modes of m as Areas, none of which is Auto.
func In(m board.AreaModes) Areas {
	mode := func(on bool) Mode {
		if on {
			return On
		}
		return Off
	}
	return Areas{mode(m.PassAliveUnderSuicide), mode(m.ExcludeTerritoryAdjacentToAtari)}
}

// DrawWins returns the value of a draw for White as a fraction of a win, in [0,1].
func (o *Options) DrawWins() float64 {
	switch {
	case o.DrawWinsForWhite == 0:
		return 0.5
	case o.DrawWinsForWhite < 0:
		return 0
	}
	return min(o.DrawWinsForWhite, 1)
}
