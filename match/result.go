package match

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"kosumi/board"
	"kosumi/sgf"
)

type Reason string

// Reasons for which games end; doc.go says who wins.
const (
	ReasonScore    Reason = "score"     // two passes, counted
	ReasonResign   Reason = "resign"    // a player gave up
	ReasonIllegal  Reason = "illegal"   // a forbidden or unreadable move
	ReasonRefusal  Reason = "refusal"   // a program refused a legal move of the opponent, or refused to move
	ReasonCrash    Reason = "crash"     // a program ended, or flooded its output
	ReasonTimeout  Reason = "timeout"   // no answer within Config.MoveTimeout
	ReasonTime     Reason = "time"      // the clock ran out
	ReasonMaxMoves Reason = "max_moves" // Config.MaxMoves reached; the position counts as it stands
	ReasonNoResult Reason = "no_result" // repetition
	ReasonUnscored Reason = "unscored"  // no agreement on the score
)

// Fault is something that a program did wrong.
type Fault struct {
	// Side is "a" or "b".
	Side string `json:"side"`
	// Kind is ReasonIllegal, ReasonRefusal, ReasonCrash, ReasonTimeout or ReasonTime.
	Kind Reason `json:"kind"`
	// Detail is a description for people.
	Detail string `json:"detail,omitempty"`
}

type faultError struct {
	Fault
	side side
}

func (e *faultError) Error() string {
	return fmt.Sprintf("program %s: %s: %s", e.Side, e.Kind, e.Detail)
}

func newFault(s side, kind Reason, format string, args ...any) *faultError {
	return &faultError{Fault{s.String(), kind, fmt.Sprintf(format, args...)}, s}
}

// GameResult is one finished game, as the journal keeps it.
type GameResult struct {
	// Game counts from 1. A has Black in odd games, or in all games with a handicap.
	Game int `json:"game"`
	// Opening is the index in Config.Openings, -1 when there are none.
	Opening int `json:"opening"`
	// Black is the side that had Black: "a" or "b".
	Black string `json:"black"`
	// Winner is "a", "b" or "" for a draw.
	Winner string `json:"winner"`
	// Result is the result in SGF's form: "B+3.5", "W+R", "0", "Void".
	Result string `json:"result"`
	// Reason is how the game ended.
	Reason Reason `json:"reason"`
	// Faults also holds faults that did not decide the game, such as a crash during the
	// count.
	Faults []Fault `json:"faults,omitempty"`
	// Moves is the number of moves, passes and opening included.
	Moves int `json:"moves"`
	// SecondsA and SecondsB are the programs' times for their moves.
	SecondsA float64 `json:"seconds_a"`
	SecondsB float64 `json:"seconds_b"`
	// NameA and NameB are the programs' names.
	NameA string `json:"name_a"`
	NameB string `json:"name_b"`
	// SGF is the name of the game's file in Config.Dir, "" for none.
	SGF string `json:"sgf,omitempty"`
	// Line is a digest of the moves that is equal for all orientations of the board. It is empty if
	// neither program made a move (even an illegal one), resigned or refused.
	Line string `json:"line,omitempty"`
	// Stillborn is the side that failed before its first move, "" for none.
	Stillborn string `json:"stillborn,omitempty"`
}

// lineOf returns the digest for GameResult.Line.
func lineOf(size board.Size, steps []sgf.Step) string {
	var least []byte
	for sym := range board.Symmetry(size.Symmetries()) {
		var text []byte
		for _, s := range steps {
			text = append(text, byte(s.Move.Color))
			text = binary.LittleEndian.AppendUint16(text, uint16(size.SymMap(sym, s.Move.Point)))
		}
		if least == nil || bytes.Compare(text, least) < 0 {
			least = text
		}
	}
	sum := sha256.Sum256(least)
	return hex.EncodeToString(sum[:12])
}

// repeats returns the games that repeat one with a lower number: the same moves, the same
// colours, in any orientation of the board. Deterministic programs play such games, which add
// no information.
func repeats(results map[int]GameResult) map[int]bool {
	seen, again := map[string]bool{}, map[int]bool{}
	for _, i := range slices.Sorted(maps.Keys(results)) {
		r := results[i]
		if r.Line == "" {
			continue
		}
		key := r.Black + r.Line
		if seen[key] {
			again[i] = true
		}
		seen[key] = true
	}
	return again
}

// win records a win. The argument how is the part of the result after "B+" or "W+".
func (r *GameResult) win(s side, c board.Color, reason Reason, how string) {
	letter := "B"
	if c == board.White {
		letter = "W"
	}
	r.Winner, r.Result, r.Reason = s.String(), letter+"+"+how, reason
}

func (r *GameResult) draw(reason Reason, result string) {
	r.Winner, r.Result, r.Reason = "", result, reason
}
