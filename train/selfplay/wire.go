package selfplay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/flate"

	"kosumi/board"
	"kosumi/train/rows"
)

// ErrGame marks a record of a game that is damaged, or that was not played by
// the rules or the recipe.
var ErrGame = errors.New("not a game of this recipe")

func wrap(err *error) {
	if *err != nil {
		*err = fmt.Errorf("%w: %w", ErrGame, *err)
	}
}

// maxWire bounds an unpacked record.
const maxWire = 8 << 20

// wireGame is the transport format of a finished game: the players' decisions and evaluations. The
// receiver computes the rest on its own board.
type wireGame struct {
	ID       ID         `json:"id"`
	More     bool       `json:"more,omitempty"`
	Opening  []uint16   `json:"opening"` // moves before the first searched turn
	Komi     float32    `json:"komi"`
	Rules    string     `json:"rules"`
	Size     [2]int     `json:"size"`
	Mode     rows.Mode  `json:"mode,omitempty"`
	Hash     [2]uint64  `json:"hash"`
	Turns    []wireTurn `json:"turns"`
	Changed  bool       `json:"changed,omitempty"`
	Resigned string     `json:"resigned,omitempty"`
	Tested   bool       `json:"tested,omitempty"`
	Wrong    bool       `json:"wrong,omitempty"`
}

// wireTurn is a rows.Turn. Moves are policy indices: a pass is the number of points of the board.
type wireTurn struct {
	Move   uint16      `json:"m"`
	Policy []int32     `json:"p,omitempty"` // index, weight, ...
	Root   *[4]float32 `json:"r,omitempty"`
	Weight float64     `json:"w,omitempty"`
	Visits int         `json:"v,omitempty"`
	Seen   [6]float32  `json:"s"` // surprise, two entropies, and three numbers of the network without search
}

// Marshal packs a finished game.
func Marshal(f *Finished) ([]byte, error) {
	g, size := f.Game, f.Game.Start.Size()
	rules := g.Start.Rules()
	w := wireGame{ID: f.ID, More: f.More, Komi: rules.Komi, Rules: rules.JSON(), Size: [2]int{size.W, size.H}, Mode: g.Mode,
		Hash: g.Hash, Changed: f.Changed, Tested: f.Tested, Wrong: f.WrongResign, Opening: []uint16{}}
	if f.Resigned != board.Empty {
		w.Resigned = f.Resigned.String()
	}
	for _, m := range g.Start.Moves() {
		w.Opening = append(w.Opening, uint16(size.Index(m.Point)))
	}
	for i := range g.Turns {
		w.Turns = append(w.Turns, packTurn(&g.Turns[i], size))
	}
	text, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := packers.Get().(*flate.Writer)
	defer packers.Put(z)
	z.Reset(&out)
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// packers and unpackers reuse compressors, whose tables are larger than a game.
var (
	packers = sync.Pool{New: func() any {
		z, err := flate.NewWriter(nil, 5)
		if err != nil { // 5 is a valid level
			panic(err)
		}
		return z
	}}
	unpackers = sync.Pool{New: func() any { return flate.NewReader(nil) }}
)

func packTurn(t *rows.Turn, size board.Size) wireTurn {
	w := wireTurn{Move: uint16(size.Index(t.Move)), Weight: t.Weight, Visits: t.Visits,
		Seen: [6]float32{t.PolicySurprise, t.PriorEntropy, t.TargetEntropy, t.RawWinLoss, t.RawScore, t.RawEntropy}}
	for _, m := range t.Policy {
		w.Policy = append(w.Policy, int32(m.Index), int32(m.Weight))
	}
	if t.HasRoot {
		w.Root = &[4]float32{t.Root.Win, t.Root.Loss, t.Root.NoResult, t.Root.Score}
	}
	return w
}

// Unmarshal unpacks a game and replays it: every move must be legal and every number in its range;
// the winner is computed from the board. [Config.Verify] checks the recipe. Errors wrap ErrGame.
func Unmarshal(data []byte) (f *Finished, err error) {
	defer wrap(&err)
	z := unpackers.Get().(io.Reader)
	defer unpackers.Put(z)
	if err := z.(flate.Resetter).Reset(bytes.NewReader(data), nil); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxWire+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxWire {
		return nil, fmt.Errorf("more than %d bytes", maxWire)
	}
	var w wireGame
	if err := json.Unmarshal(text, &w); err != nil {
		return nil, err
	}
	size := board.Size{W: w.Size[0], H: w.Size[1]}
	if err := size.Check(); err != nil {
		return nil, err
	}
	rules, err := board.ParseRules(w.Rules)
	if err != nil {
		return nil, err
	}
	if k := float64(w.Komi); math.Abs(k) > 1000 || 2*k != math.Trunc(2*k) {
		return nil, fmt.Errorf("komi %v", w.Komi)
	}
	rules.Komi = w.Komi
	start, err := board.NewGame(size, rules)
	if err != nil {
		return nil, err
	}
	for i, m := range w.Opening {
		if err := play(start, m); err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	return w.replay(start)
}

func play(g *board.Game, index uint16) error {
	if int(index) > g.Size().Area() {
		return fmt.Errorf("no move has index %d", index)
	}
	if g.Finished() {
		return errors.New("the game is over")
	}
	return g.Play(g.ToMove(), g.Size().FromIndex(int(index)))
}

// replay plays the turns from the start and determines the end of the game.
func (w *wireGame) replay(start *board.Game) (*Finished, error) {
	known := w.Mode == rows.ModePlain || w.Mode == rows.ModeSGF || w.Mode == rows.ModeFork
	if w.ID.Fork < 0 || !known || (w.ID.Fork > 0) != (w.Mode == rows.ModeFork) {
		return nil, fmt.Errorf("fork %d, mode %d", w.ID.Fork, w.Mode)
	}
	game := &rows.Game{Start: start, Hash: w.Hash, Mode: w.Mode, FirstTurn: start.NumMoves(), LeadFromScore: true}
	final := new(board.Game)
	final.CopyFrom(start)
	for i := range w.Turns {
		t, err := w.Turns[i].unpack(final)
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		game.Turns = append(game.Turns, t)
		if err := play(final, w.Turns[i].Move); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
	}
	f := &Finished{ID: w.ID, More: w.More, Game: game, Final: final, Changed: w.Changed, Tested: w.Tested, WrongResign: w.Wrong}
	switch w.Resigned {
	case "":
		game.End = rows.ScoreEnd(final, false)
	case board.Black.String():
		f.Resigned = board.Black
	case board.White.String():
		f.Resigned = board.White
	default:
		return nil, fmt.Errorf("%q resigned", w.Resigned)
	}
	if f.Resigned != board.Empty {
		game.End = rows.End{Known: true, Winner: f.Resigned.Opponent()}
	}
	return f, nil
}

// unpack checks a turn at a position: weights must be on legal moves, values in their range.
func (w *wireTurn) unpack(at *board.Game) (rows.Turn, error) {
	size := at.Size()
	t := rows.Turn{Weight: w.Weight, Visits: w.Visits, PolicySurprise: w.Seen[0], PriorEntropy: w.Seen[1], TargetEntropy: w.Seen[2],
		RawWinLoss: w.Seen[3], RawScore: w.Seen[4], RawEntropy: w.Seen[5]}
	if int(w.Move) > size.Area() {
		return t, fmt.Errorf("no move has index %d", w.Move)
	}
	t.Move = size.FromIndex(int(w.Move))
	if !(w.Weight >= 0 && w.Weight <= 1000) || w.Visits < 0 || w.Visits > 1e7 {
		return t, fmt.Errorf("weight %v, %d visits", w.Weight, w.Visits)
	}
	if math.Abs(float64(t.RawWinLoss)) > 1.001 || math.Abs(float64(t.RawScore)) > 1e4 || t.PolicySurprise < 0 || t.PolicySurprise > 100 {
		return t, fmt.Errorf("raw value %v, raw score %v, surprise %v", t.RawWinLoss, t.RawScore, t.PolicySurprise)
	}
	if r := w.Root; r != nil {
		t.HasRoot, t.Root = true, rows.Value{Win: r[0], Loss: r[1], NoResult: r[2], Score: r[3]}
		if sum := r[0] + r[1] + r[2]; min(r[0], r[1], r[2]) < -1e-3 || math.Abs(float64(sum)-1) > 1e-2 || math.Abs(float64(r[3])) > 1e4 {
			return t, fmt.Errorf("the root's value %v", *r)
		}
	}
	return t, w.unpackPolicy(&t, at)
}

func (w *wireTurn) unpackPolicy(t *rows.Turn, at *board.Game) error {
	if len(w.Policy)%2 != 0 || len(w.Policy) > 2*board.MaxMoves {
		return fmt.Errorf("a policy of %d numbers", len(w.Policy))
	}
	var buf [board.MaxMoves]bool
	legal := at.LegalMoves(buf[:0])
	var seen [board.MaxMoves]bool
	for i := 0; i < len(w.Policy); i += 2 {
		index, weight := w.Policy[i], w.Policy[i+1]
		if index < 0 || int(index) >= len(legal) || !legal[index] {
			return fmt.Errorf("the policy wants %d, which is not a legal move", index)
		}
		if weight < 1 || weight > math.MaxInt16 {
			return fmt.Errorf("the policy's weight of %d is %d", index, weight)
		}
		if seen[index] {
			return fmt.Errorf("the policy names %d twice", index)
		}
		seen[index] = true
		t.Policy = append(t.Policy, rows.MoveWeight{Index: uint16(index), Weight: int16(weight)})
	}
	return nil
}
