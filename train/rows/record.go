package rows

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/nn/features"
	"kosumi/sgf"
)

// ErrRecord marks a game record that makes no rows.
var ErrRecord = errors.New("a game record cannot be used")

// readRecords reads the games of a part of a file: every p.N-th game, the first at index p.From. It
// returns one set for each size of the rows' square arrays. The error names the games that cannot be
// used; the sets hold the others.
func readRecords(p part, e features.Encoding) ([]*Set, error) {
	roots, err := sgf.ReadFile(p.Path)
	if err != nil {
		return nil, err // the error names the file
	}
	sets := map[int]*Set{} // by the arrays' side
	var bad []string
	for k := p.From; k < len(roots); k += max(1, p.N) {
		g, err := FromRecord(roots[k])
		if err == nil {
			err = appendRecord(sets, g, e)
		}
		if err != nil {
			bad = append(bad, fmt.Sprintf("game %d: %s", k+1, strings.TrimPrefix(err.Error(), ErrRecord.Error()+": ")))
		}
	}
	return slices.Collect(maps.Values(sets)), recordsError(p.Path, bad)
}

// mostNamed bounds the games of a part of a file that an error names.
const mostNamed = 8

// recordsError names games of a file that cannot be used, in one line; nil for none.
func recordsError(path string, bad []string) error {
	if len(bad) == 0 {
		return nil
	}
	more := ""
	if n := len(bad) - mostNamed; n > 0 {
		bad, more = bad[:mostNamed], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("%s: %w: %s%s", path, ErrRecord, strings.ReplaceAll(strings.Join(bad, "; "), "\n", "; "), more)
}

func appendRecord(sets map[int]*Set, g *Game, e features.Encoding) error {
	size := g.Start.Size()
	l := Layout{Encoding: e, Side: max(size.W, size.H)}
	b, err := NewBuilder(l)
	if err != nil {
		return err
	}
	set := sets[l.Side]
	if set == nil {
		set = NewSet(l)
		sets[l.Side] = set
	}
	_, err = b.Append(set, g, rand.New(rand.NewPCG(g.Hash[0], g.Hash[1])))
	return err
}

// FromRecord turns a game record into a game in which every move is a row: the policy is the move played, the
// value the result. The final board gives ownership and score if both sides passed and the recorded score is
// that of the board, where stones in the other side's pass-alive territory are dead. If no result is recorded
// and every point is settled, the board gives the result too. In all other cases, and always under territory
// rules, ownership and score have weight 0.
func FromRecord(root *sgf.Node) (*Game, error) {
	record, err := sgf.StrictRecordOf(root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	rules, _ := record.RulesOr(board.Chinese())
	start, err := record.Game(rules, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	g := &Game{Start: start, Mode: ModePlain}
	var now board.Game
	now.CopyFrom(start)
	moves := make([]board.Point, 0, len(record.Steps))
	for k, step := range record.Steps {
		if step.Setup != nil {
			return nil, fmt.Errorf("%w: stones are set up after move %d", ErrRecord, k)
		}
		if step.Move.Color != now.ToMove() {
			if k > 0 {
				return nil, fmt.Errorf("%w: %v plays twice in a row at move %d", ErrRecord, step.Move.Color, k+1)
			}
			start.SetToMove(step.Move.Color)
			now.CopyFrom(start)
		}
		if err := now.PlayTolerant(step.Move.Color, step.Move.Point); err != nil {
			return nil, fmt.Errorf("%w: move %d: %w", ErrRecord, k+1, err)
		}
		index := uint16(now.Size().Index(step.Move.Point))
		g.Turns = append(g.Turns, Turn{Move: step.Move.Point, Weight: 1, Policy: []MoveWeight{{index, 1}}})
		moves = append(moves, step.Move.Point)
	}
	if len(g.Turns) == 0 {
		return nil, fmt.Errorf("%w: it has no moves", ErrRecord)
	}
	g.Hash = hashRecord(start, moves)
	g.End = recordEnd(record.Result, &now)
	return g, nil
}

// hashRecord hashes the first position and the moves of a game; the hash is the same in every orientation of the
// board. Names, dates and results do not matter, so that a Split holds back all copies of a game or none.
func hashRecord(start *board.Game, moves []board.Point) [2]uint64 {
	size := start.Size()
	var least []byte
	for sym := range board.Symmetry(size.Symmetries()) {
		text := fmt.Appendf(nil, "%v %v ", size, start.ToMove())
		stones := make([]byte, size.Area())
		for p := range stones {
			stones[size.SymMap(sym, board.Point(p))] = byte(start.At(board.Point(p)))
		}
		text = append(text, stones...)
		for _, m := range moves {
			text = binary.LittleEndian.AppendUint16(text, uint16(size.SymMap(sym, m)))
		}
		if least == nil || bytes.Compare(text, least) < 0 {
			least = text
		}
	}
	sum := sha256.Sum256(least)
	return [2]uint64{binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])}
}

func recordEnd(result string, final *board.Game) End {
	e := End{}
	r := strings.ToUpper(strings.TrimSpace(result))
	margin, counted := 0.0, false
	switch {
	case r == "0" || r == "DRAW" || r == "JIGO":
		e.Known, counted = true, true
	case r == "VOID":
		return End{Known: true, NoResult: true}
	case len(r) > 1 && r[1] == '+' && (r[0] == 'B' || r[0] == 'W'):
		e.Known = true
		e.Winner = board.White
		sign := 1.0
		if r[0] == 'B' {
			e.Winner, sign = board.Black, -1
		}
		if m, err := strconv.ParseFloat(r[2:], 64); err == nil && m >= 0 && m < 1000 {
			margin, counted = sign*m, true
		}
	}
	if final.ConsecutivePasses() < 2 && !final.Ended() || final.NoResult() {
		return e
	}
	if final.Rules().Scoring == board.ScoringTerritory {
		if !e.Known && settled(final) {
			e.Known, e.Winner = true, winnerOf(final.ScoreWithDead(captured(final)))
		}
		return e
	}
	score := float64(final.Score())
	switch {
	case counted && math.Abs(score-margin) > 0.01: // the players agreed on dead stones that no rule settles
		return e
	case !counted && e.Known: // a resignation or a win on time after both sides passed
		return e
	case !e.Known && !settled(final):
		return e
	}
	return ScoreEnd(final, false)
}

func winnerOf(score float32) board.Color {
	switch {
	case score > 0:
		return board.White
	case score < 0:
		return board.Black
	}
	return board.Empty
}

func captured(g *board.Game) (dead []board.Point) {
	for p, owner := range g.Board().PassAlive(nil, g.Rules().Suicide) {
		if c := g.At(board.Point(p)); c != board.Empty && owner == c.Opponent() {
			dead = append(dead, board.Point(p))
		}
	}
	return dead
}

// settled reports whether every point of the final position belongs to a
// pass-alive group or its territory.
func settled(g *board.Game) bool {
	suicide := g.Rules().Suicide || g.Options().PassAliveUnderSuicide
	return !slices.Contains(g.Board().PassAlive(nil, suicide), board.Empty)
}
