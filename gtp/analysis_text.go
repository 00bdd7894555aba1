package gtp

import (
	"math"
	"strconv"

	"kosumi/board"
	"kosumi/search/thinking"
)

// appendAnalysis writes a snapshot as one line without its end: a block per move, then the
// requested parts. It adds nothing if there is no move.
func appendAnalysis(b []byte, d dialect, size board.Size, req *thinking.Request, a *thinking.Analysis) []byte {
	enough, extra := threshold(a.Moves, req.MinMoves)
	order := 0
	for i := range a.Moves {
		m := &a.Moves[i]
		if m.Visits < enough {
			if extra == 0 {
				continue
			}
			extra--
		}
		if req.MaxMoves > 0 && order == req.MaxMoves {
			break
		}
		if order > 0 {
			b = append(b, ' ')
		}
		if d == leela {
			b = AppendLeelaMove(b, size, order, m)
		} else {
			b = sixDecimals.Move(b, size, req, order, m)
		}
		order++
	}
	if order == 0 {
		return b
	}
	return sixDecimals.Tail(b, req, a)
}

var sixDecimals = KataText(func(b []byte, key string, x float64) []byte {
	return strconv.AppendFloat(append(b, key...), Finite(x), 'f', 6, 64)
})

// threshold returns the visits that a move needs to be printed, and how many other moves are added
// to reach the wanted number. The values of moves with less than one percent of the most visits
// are noise, and clients that show the move with the highest winrate would show one of these.
func threshold(moves []thinking.Move, least int) (enough int64, extra int) {
	for i := range moves {
		enough = max(enough, moves[i].Visits/100)
	}
	enough = max(enough, 1)
	good := 0
	for i := range moves {
		if moves[i].Visits >= enough {
			good++
		}
	}
	return enough, max(least, 1) - min(good, max(least, 1))
}

// AppendLeelaMove writes a block in Leela Zero's form.
func AppendLeelaMove(b []byte, size board.Size, order int, m *thinking.Move) []byte {
	b = append(b, "info move "...)
	b = append(b, size.Vertex(m.Move)...)
	b = appendInt(b, " visits ", m.Visits)
	b = appendInt(b, " winrate ", tenThousandths(m.Winrate))
	b = appendInt(b, " prior ", tenThousandths(float64(m.Prior)))
	b = appendInt(b, " lcb ", int64(math.Round(Finite(m.LCB)*10000))) // may leave 0 to 10000, unlike the winrate
	b = appendInt(b, " order ", int64(order))
	return appendPV(b, size, m)
}

// KataText is a function that appends a key, given with the blanks around it, and a number. Its
// methods use it to write analyses in KataGo's form.
type KataText func(b []byte, key string, x float64) []byte

// Move writes the block of a move. Optional keys precede the principal variation: some clients
// ignore the block otherwise.
func (n KataText) Move(b []byte, size board.Size, req *thinking.Request, order int, m *thinking.Move) []byte {
	b = append(b, "info move "...)
	b = append(b, size.Vertex(m.Move)...)
	b = appendInt(b, " visits ", m.Visits)
	b = appendInt(b, " edgeVisits ", m.EdgeVisits)
	b = n.value(b, &m.Value)
	if req.Want.NoResult {
		b = n(b, " noResultValue ", m.NoResult)
	}
	b = n(b, " prior ", float64(m.Prior))
	b = n(b, " lcb ", m.LCB)
	b = n(b, " utilityLcb ", m.UtilityLCB)
	b = n(b, " weight ", m.Weight)
	if m.SymmetryOf != board.NoPoint && m.SymmetryOf != m.Move {
		b = append(b, " isSymmetryOf "...)
		b = append(b, size.Vertex(m.SymmetryOf)...)
	}
	b = appendInt(b, " order ", int64(order))
	b = appendPV(b, size, m)
	if req.Want.PVVisits {
		b = appendInts(b, " pvVisits", m.PVVisits)
	}
	if req.Want.PVEdgeVisits {
		b = appendInts(b, " pvEdgeVisits", m.PVEdgeVisits)
	}
	if req.Want.MovesOwnership {
		b = n.list(b, " movesOwnership", m.Ownership)
	}
	if req.Want.MovesOwnershipStdev {
		b = n.list(b, " movesOwnershipStdev", m.OwnershipStdev)
	}
	return b
}

// value writes the fields that moves and the root share.
func (n KataText) value(b []byte, v *thinking.Value) []byte {
	b = n(b, " utility ", v.Utility)
	b = n(b, " winrate ", v.Winrate)
	b = n(b, " scoreMean ", v.Lead)
	b = n(b, " scoreStdev ", v.ScoreStdev)
	b = n(b, " scoreLead ", v.Lead)
	return n(b, " scoreSelfplay ", v.ScoreMean)
}

// Tail writes the requested parts about the whole position.
func (n KataText) Tail(b []byte, req *thinking.Request, a *thinking.Analysis) []byte {
	if req.Want.RootInfo {
		r := &a.Root
		b = n.value(appendInt(b, " rootInfo visits ", r.Visits), &r.Value)
		b = n(b, " weight ", r.Weight)
		b = n(b, " rawStWrError ", r.Raw.WinrateError)
		b = n(b, " rawStScoreError ", r.Raw.ScoreError)
		b = n(b, " rawVarTimeLeft ", r.Raw.VarTimeLeft)
	}
	if req.Want.Ownership {
		b = n.list(b, " ownership", a.Ownership)
	}
	if req.Want.OwnershipStdev {
		b = n.list(b, " ownershipStdev", a.OwnershipStdev)
	}
	return b
}

// list writes a key and numbers; nothing if there are none.
func (n KataText) list(b []byte, key string, list []float32) []byte {
	if len(list) > 0 {
		b = append(b, key...)
	}
	for _, x := range list {
		b = n(b, " ", float64(x))
	}
	return b
}

// appendPV writes the principal variation, which is never empty.
func appendPV(b []byte, size board.Size, m *thinking.Move) []byte {
	b = append(b, " pv "...)
	b = append(b, size.Vertex(m.Move)...)
	if len(m.PV) == 0 {
		return b
	}
	for _, p := range m.PV[1:] {
		b = append(b, ' ')
		b = append(b, size.Vertex(p)...)
	}
	return b
}

// tenThousandths turns a rate into Leela Zero's unit, 0 to 10000.
func tenThousandths(rate float64) int64 {
	return int64(math.Round(min(max(Finite(rate), 0), 1) * 10000))
}

// Finite replaces NaN and infinities by 0, which clients can read.
func Finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) || math.Abs(f) < 0.5e-6 {
		return 0 // also avoids "-0"
	}
	return f
}

func appendInt(b []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(b, key...), n, 10)
}

// appendInts writes a blank, a key and numbers; nothing for an empty list.
func appendInts(b []byte, key string, list []int64) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, key...)
	for _, n := range list {
		b = appendInt(b, " ", n)
	}
	return b
}
