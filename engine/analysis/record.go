package analysis

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"kosumi/board"
	"kosumi/nn"
)

// record is the game that a query describes.
type record struct {
	size    board.Size
	rules   board.Rules
	options board.GameOptions
	stones  []board.Move // stones placed before the first move
	first   board.Color  // side to play the first move
	moves   []board.Move
	words   []string // vertices of moves as the client wrote them
}

// readBoard reads the board size, which the network must support.
func (rec *record) readBoard(r *fieldReader, most int, net nn.Network) {
	fault := "Must provide an integer from 2 to " + strconv.Itoa(most)
	for _, field := range []string{"boardXSize", "boardYSize"} {
		if !r.has(field) {
			r.fail(field, "%s", fault)
		}
	}
	var w, h int64
	r.integer("boardXSize", board.MinSize, int64(most), fault, &w)
	r.integer("boardYSize", board.MinSize, int64(most), fault, &h)
	if r.err != nil {
		return
	}
	rec.size = board.Size{W: int(w), H: int(h)}
	if err := net.Serves(rec.size); err != nil {
		r.fail("boardXSize", "%v", err)
	}
}

// readRules reads rules, komi and White's handicap bonus.
func (rec *record) readRules(r *fieldReader) {
	const fault = `Must specify rules string, such as "chinese" or "tromp-taylor", or a JSON object with detailed rules parameters.`
	text := r.raw("rules")
	if r.err != nil {
		return
	}
	var name string
	switch {
	case len(text) > 0 && text[0] == '{':
		name = string(dump(text))
	case len(text) > 0 && text[0] == '"' && json.Unmarshal(text, &name) == nil:
	default:
		r.fail("rules", "%s", fault)
		return
	}
	var err error
	if rec.rules, _, err = board.ParseKataGoRules(name); err != nil {
		r.fail("rules", "Could not parse rules: %s", name)
		return
	}
	const komiFault = "Must be a integer or half-integer from -400.0 to 400.0"
	komi := 0.0
	if r.number("komi", -maxKomi, maxKomi, komiFault, &komi) {
		if komi*2 != math.Trunc(komi*2) {
			r.fail("komi", "%s", komiFault)
		}
		rec.rules.Komi = float32(komi)
	}
	var bonus string
	if !r.take("whiteHandicapBonus", "Must be a string", &bonus) {
		return
	}
	if !slices.Contains([]string{"0", "N", "N-1"}, bonus) {
		r.fail("whiteHandicapBonus", "Rules::parseWhiteHandicapBonusRule: Invalid whiteHandicapBonus rule: %s", bonus)
		return
	}
	if rec.rules, err = rec.rules.With("whiteHandicapBonus", bonus); err != nil {
		r.fail("whiteHandicapBonus", "%v", err)
	}
}

// readPosition reads the placed stones, the moves, and the side to play first.
func (rec *record) readPosition(r *fieldReader) {
	rec.stones, _ = rec.moveList(r, "initialStones", false)
	if !r.has("moves") {
		r.fail("moves", "Must specify an array of [player,location] pairs")
	}
	rec.moves, rec.words = rec.moveList(r, "moves", true)
	if r.has("initialPlayer") {
		rec.first = readPlayer(r, "initialPlayer", r.raw("initialPlayer"))
		return
	}
	if r.err != nil {
		return
	}
	b := board.PlaceStones(rec.size, rec.stones)
	switch {
	case len(rec.moves) > 0:
		rec.first = rec.moves[0].Color
	case b.Stones(board.White) == 0 && b.Stones(board.Black) > 1: // placed black stones are a handicap
		rec.first = board.White
	default:
		rec.first = board.Black
	}
}

func readPlayer(r *fieldReader, field string, text json.RawMessage) board.Color {
	var name string
	if json.Unmarshal(text, &name) == nil {
		if c, err := board.ParseColor(name); err == nil {
			return c
		}
	}
	r.fail(field, `Must be "b" or "w"`)
	return board.Empty
}

// errPairs is the error text for a list that does not consist of pairs.
const errPairs = `Must be an array of pairs of the form: ["b" or "w", GTP board vertex]`

// moveList reads a list of [player, location] pairs. words are the locations as the client wrote
// them.
func (rec *record) moveList(r *fieldReader, field string, passes bool) (moves []board.Move, words []string) {
	var list [][]*string
	if !r.take(field, errPairs, &list) {
		return nil, nil
	}
	moves = make([]board.Move, 0, len(list))
	for _, pair := range list {
		if len(pair) != 2 || pair[0] == nil || pair[1] == nil {
			r.fail(field, "%s", errPairs)
			return nil, nil
		}
		c, err := board.ParseColor(*pair[0])
		if err != nil {
			r.fail(field, "Could not parse player: %s", *pair[0])
			return nil, nil
		}
		p, err := rec.size.ParseLocation(*pair[1])
		if err != nil || p == board.Pass && !passes {
			r.fail(field, "Could not parse board location: %s", *pair[1])
			return nil, nil
		}
		if p == board.NoPoint && !passes {
			continue // KataGo ignores a stone off the board
		}
		moves = append(moves, board.Move{Color: c, Point: p})
		words = append(words, *pair[1])
	}
	return moves, words
}

// start returns the game before its first move.
func (rec *record) start() (*board.Game, error) {
	g, err := board.NewGame(rec.size, rec.rules)
	if err != nil {
		return nil, faultf("rules", "%v", err)
	}
	g.SetOptions(rec.options)
	if err := g.SetupBoard(board.PlaceStones(rec.size, rec.stones), rec.first); err != nil {
		return nil, faultf("initialStones", "%v", err)
	}
	return g, nil
}

// position returns the game after the first n moves. Moves that break the rules of ko or suicide
// are played anyway, except the suicide of a single stone: like any other illegal move, it is an
// error. If a colour moves twice in a row, the earlier history is dropped.
func (rec *record) position(n int) (*board.Game, error) {
	g, err := rec.start()
	if err != nil {
		return nil, err
	}
	for i, m := range rec.moves[:n] {
		if m.Color != g.ToMove() {
			g.Restart(m.Color)
		}
		lone := g.Size().Contains(m.Point) && g.At(m.Point) == board.Empty && g.Board().IsIllegalSuicide(m.Color, m.Point, true)
		if lone || g.PlayTolerant(m.Color, m.Point) != nil {
			name := rec.words[i] // KataGo's message names the vertex even if it is off the board
			if m.Point == board.NoPoint {
				name = rec.size.OffBoardName(name)
			} else {
				name = rec.size.Vertex(m.Point)
			}
			return nil, faultf("moves", "Illegal move %d: %s", i, name)
		}
	}
	return g, nil
}
