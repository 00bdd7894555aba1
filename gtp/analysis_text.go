package gtp

import (
	"math"
	"strconv"

	"kosumi/board"
	"kosumi/search/thinking"
)

// appendAnalysis writes a snapshot as one line without its end: a block per
// move, then the parts asked for. It adds nothing if there is no move.
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
			b = appendKataMove(b, size, req, order, m)
		}
		order++
	}
	if order == 0 {
		return b
	}
	if req.Want.RootInfo {
		b = appendRootInfo(b, &a.Root)
	}
	if req.Want.Ownership {
		b = appendNumbers(b, " ownership", a.Ownership)
	}
	if req.Want.OwnershipStdev {
		b = appendNumbers(b, " ownershipStdev", a.OwnershipStdev)
	}
	return b
}

// threshold returns how many visits a move needs to be printed and how many
// moves with fewer are printed all the same, to make up the least number. Moves
// with less than one percent of the most visited one's are noise: clients that
// take the highest winrate of the list would show it.
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
	b = AppendInt(b, " visits ", m.Visits)
	b = AppendInt(b, " winrate ", tenThousandths(m.Winrate))
	b = AppendInt(b, " prior ", tenThousandths(float64(m.Prior)))
	b = AppendInt(b, " lcb ", int64(math.Round(Finite(m.LCB)*10000))) // a bound, not a rate
	b = AppendInt(b, " order ", int64(order))
	return AppendPV(b, size, m)
}

// appendKataMove writes a block in KataGo's form. Keys that were not asked for
// must not follow the principal variation: some clients drop the block then.
func appendKataMove(b []byte, size board.Size, req *thinking.Request, order int, m *thinking.Move) []byte {
	b = append(b, "info move "...)
	b = append(b, size.Vertex(m.Move)...)
	b = AppendInt(b, " visits ", m.Visits)
	b = AppendInt(b, " edgeVisits ", m.EdgeVisits)
	b = appendFloat(b, " utility ", m.Utility)
	b = appendFloat(b, " winrate ", m.Winrate)
	b = appendFloat(b, " scoreMean ", m.Lead)
	b = appendFloat(b, " scoreStdev ", m.ScoreStdev)
	b = appendFloat(b, " scoreLead ", m.Lead)
	b = appendFloat(b, " scoreSelfplay ", m.ScoreMean)
	b = appendFloat(b, " prior ", float64(m.Prior))
	b = appendFloat(b, " lcb ", m.LCB)
	b = appendFloat(b, " utilityLcb ", m.UtilityLCB)
	b = appendFloat(b, " weight ", m.Weight)
	if req.Want.NoResult {
		b = appendFloat(b, " noResultValue ", m.NoResult)
	}
	if m.SymmetryOf != board.NoPoint && m.SymmetryOf != m.Move {
		b = append(b, " isSymmetryOf "...)
		b = append(b, size.Vertex(m.SymmetryOf)...)
	}
	b = AppendInt(b, " order ", int64(order))
	b = AppendPV(b, size, m)
	if req.Want.PVVisits {
		b = AppendInts(b, " pvVisits", m.PVVisits)
	}
	if req.Want.PVEdgeVisits {
		b = AppendInts(b, " pvEdgeVisits", m.PVEdgeVisits)
	}
	if req.Want.MovesOwnership {
		b = appendNumbers(b, " movesOwnership", m.Ownership)
	}
	if req.Want.MovesOwnershipStdev {
		b = appendNumbers(b, " movesOwnershipStdev", m.OwnershipStdev)
	}
	return b
}

// AppendPV writes the principal variation, which is never empty.
func AppendPV(b []byte, size board.Size, m *thinking.Move) []byte {
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

func appendRootInfo(b []byte, r *thinking.Root) []byte {
	b = AppendInt(b, " rootInfo visits ", r.Visits)
	b = appendFloat(b, " utility ", r.Utility)
	b = appendFloat(b, " winrate ", r.Winrate)
	b = appendFloat(b, " scoreMean ", r.Lead)
	b = appendFloat(b, " scoreStdev ", r.ScoreStdev)
	b = appendFloat(b, " scoreLead ", r.Lead)
	b = appendFloat(b, " scoreSelfplay ", r.ScoreMean)
	b = appendFloat(b, " weight ", r.Weight)
	b = appendFloat(b, " rawStWrError ", r.Raw.WinrateError)
	b = appendFloat(b, " rawStScoreError ", r.Raw.ScoreError)
	return appendFloat(b, " rawVarTimeLeft ", r.Raw.VarTimeLeft)
}

// tenThousandths turns a rate into Leela Zero's unit, 0 to 10000.
func tenThousandths(rate float64) int64 {
	return int64(math.Round(min(max(Finite(rate), 0), 1) * 10000))
}

// Finite replaces what is not a number by 0, which clients can read.
func Finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) || math.Abs(f) < 0.5e-6 {
		return 0 // also for what would round to minus zero
	}
	return f
}

// AppendInt writes a key with the blanks around it, and a number.
func AppendInt(b []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(b, key...), n, 10)
}

func appendFloat(b []byte, key string, f float64) []byte {
	return strconv.AppendFloat(append(b, key...), Finite(f), 'f', 6, 64)
}

// AppendInts writes a key with the blank before it, and numbers; nothing if there are
// none.
func AppendInts(b []byte, key string, list []int64) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, key...)
	for _, n := range list {
		b = AppendInt(b, " ", n)
	}
	return b
}

func appendNumbers(b []byte, key string, list []float32) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, key...)
	for _, f := range list {
		b = appendFloat(b, " ", float64(f))
	}
	return b
}
