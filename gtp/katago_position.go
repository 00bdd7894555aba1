package gtp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
)

func (k *kataServer) position() []handler {
	return []handler{
		{name: "boardsize", run: k.boardSize}, {name: "rectangular_boardsize", run: k.boardSize},
		{name: "komi", run: k.komi}, {name: "get_komi", run: k.getKomi}, {name: "play", run: k.play},
		{name: "set_position", run: k.setPosition}, {name: "showboard", run: k.showBoard},
	}
}

// boardSize takes "N", "X Y" and "X:Y". The same size keeps the position.
func (k *kataServer) boardSize(_ context.Context, c Command, _ *Reply) error {
	words := c.Args
	if len(words) == 1 && strings.Contains(words[0], ":") {
		words = strings.Split(words[0], ":")
	}
	if len(words) == 1 {
		words = []string{words[0], words[0]}
	}
	fault := kataErrorf("Expected int argument for boardsize or pair of ints but got '%s'", c.args())
	if len(words) != 2 {
		return fault
	}
	wide, errW := strconv.ParseInt(words[0], 10, 32)
	high, errH := strconv.ParseInt(words[1], 10, 32)
	w, h := int(wide), int(high)
	switch {
	case errW != nil || errH != nil:
		return fault
	case w < board.MinSize || h < board.MinSize:
		return kataError("unacceptable size")
	case w > k.k.MaxSize || h > k.k.MaxSize:
		return kataErrorf("unacceptable size (Board::MAX_LEN is %d, consider increasing and recompiling)", k.k.MaxSize)
	}
	size := board.Size{W: w, H: h}
	if size == k.engine.Game().Size() {
		return nil
	}
	if err := k.engine.NewGame(size); err != nil {
		return because(errSize, err)
	}
	k.k.Say(fmt.Sprintf("Initializing board with boardXSize %d boardYSize %d", w, h))
	return nil
}

func (k *kataServer) komi(_ context.Context, c Command, _ *Reply) error {
	fault := kataErrorf("Expected single float argument for komi but got '%s'", c.args())
	if len(c.Args) != 1 || strings.Contains(c.Args[0], ",") {
		return fault
	}
	komi, err := parseNumber(c.Args[0])
	switch {
	case err != nil:
		return fault
	case math.Abs(komi) > maxKomi:
		return errKomi
	case komi*2 != math.Trunc(komi*2):
		return kataError("komi must be an integer or half-integer")
	}
	if k.k.ForcedKomi != nil {
		komi = float64(*k.k.ForcedKomi)
	}
	return orFail(errKomi, k.engine.SetKomi(float32(komi)))
}

func (k *kataServer) getKomi(_ context.Context, _ Command, r *Reply) error {
	_, err := r.WriteString(general(float64(k.engine.Game().Rules().Komi)))
	return err
}

// play refuses occupied points and the suicide of a single stone; all else that
// rules forbid is played.
func (k *kataServer) play(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) != 2 {
		return kataErrorf("Expected two arguments for play but got '%s'", c.args())
	}
	color, err := k.color(c.Args[0])
	if err != nil {
		return err
	}
	g := k.engine.Game()
	p, err := g.Size().ParseLocation(c.Args[1])
	switch {
	case err != nil:
		return kataErrorf("Could not parse vertex: '%s'", c.Args[1])
	case p == board.NoPoint:
		return errIllegalMove
	case p != board.Pass && g.At(p) == board.Empty && g.Board().IsIllegalSuicide(color, p, true):
		return errIllegalMove
	}
	return orFail(errIllegalMove, k.engine.Play(color, p))
}

func (k *kataServer) setPosition(_ context.Context, c Command, _ *Reply) error {
	form := fmt.Sprintf("Expected a space-separated sequence of <COLOR> <VERTEX> pairs but got '%s'", c.args())
	if len(c.Args)%2 != 0 {
		return kataError(form)
	}
	size := k.engine.Game().Size()
	var stones [3][]board.Point
	for i := 0; i < len(c.Args); i += 2 {
		color, err := board.ParseColor(c.Args[i])
		if err != nil {
			return kataErrorf("%s: could not parse color: '%s'", form, c.Args[i])
		}
		p, err := size.ParseLocation(c.Args[i+1])
		if err != nil || p < 0 {
			return kataErrorf("%s: could not parse vertex: '%s'", form, c.Args[i+1])
		}
		stones[color] = append(stones[color], p)
	}
	if err := k.engine.Setup(stones[board.Black], stones[board.White], board.Black); err != nil {
		return because(kataError("Illegal stone placements - overlapping stones or stones with no liberties?"), err)
	}
	return nil
}

func (k *kataServer) showBoard(_ context.Context, _ Command, r *Reply) error {
	g := k.engine.Game()
	text := kataBoard(g)
	text += "Next player: " + colorName(g.ToMove()) + "\n"
	if g.Phase() > 0 {
		text += fmt.Sprintf("Game phase: %d\n", g.Phase())
	}
	text += "Rules: " + rulesWithKomi(g.Rules()) + "\n"
	if b := g.HandicapBonusScore(); b != 0 {
		text += "Handicap bonus score: " + general(float64(b)) + "\n"
	}
	text += fmt.Sprintf("B stones captured: %d\nW stones captured: %d", g.Board().Captured(board.Black), g.Board().Captured(board.White))
	_, err := r.WriteString(text)
	return err
}

func colorName(c board.Color) string {
	if c == board.Black {
		return "Black"
	}
	return "White"
}

// rulesWithKomi writes rules as JSON with komi in the order of names.
func rulesWithKomi(r board.Rules) string {
	komi := strconv.FormatFloat(float64(r.Komi), 'f', -1, 32)
	if !strings.Contains(komi, ".") {
		komi += ".0"
	}
	return strings.Replace(r.JSON(), `"scoring":`, `"komi":`+komi+`,"scoring":`, 1)
}

// kataBoard draws the board as KataGo does: the last three moves carry numbers.
func kataBoard(g *board.Game) string {
	size := g.Size()
	known := g.NumMoves() - g.Forgotten()
	marks := map[board.Point]byte{}
	for i := range min(3, known) { // of two moves on one point the older one shows
		if p := g.LastMove(i).Point; p != board.Pass {
			marks[p] = '0' + byte(min(3, known)-i)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "MoveNum: %d HASH: %s\n  ", known, g.BoardHash())
	for x := range size.W {
		b.WriteString(" " + strings.TrimRight(size.Vertex(size.Point(x, 0)), "0123456789"))
	}
	b.WriteByte('\n')
	for y := range size.H {
		fmt.Fprintf(&b, "%2d ", size.H-y)
		for x := range size.W {
			p := size.Point(x, y)
			b.WriteByte(".XO"[g.At(p)])
			switch mark := marks[p]; {
			case mark != 0:
				b.WriteByte(mark)
			case x < size.W-1:
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (k *kataServer) handicap() []handler {
	return []handler{
		{name: "fixed_handicap", run: k.fixedHandicap}, {name: "place_free_handicap", run: k.freeHandicap}, {name: "set_free_handicap", run: k.setHandicap},
	}
}

// stones reads the number of handicap stones and requires an empty board.
func (k *kataServer) stones(c Command) (int, error) {
	if len(c.Args) != 1 {
		return 0, kataErrorf("Expected one argument for %s but got '%s'", c.Name, c.args())
	}
	n, err := strconv.Atoi(c.Args[0])
	if err != nil {
		return 0, kataErrorf("Could not parse number of handicap stones: '%s'", c.Args[0])
	}
	if n < 2 {
		return 0, kataErrorf("Number of handicap stones less than 2: '%s'", c.Args[0])
	}
	return n, k.empty()
}

func (k *kataServer) empty() error {
	if k.boardEmpty() != nil {
		return kataError("Board is not empty")
	}
	return nil
}

func (k *kataServer) fixedHandicap(_ context.Context, c Command, r *Reply) error {
	n, err := k.stones(c)
	if err != nil {
		return err
	}
	const instead = ", try place_free_handicap"
	size := k.engine.Game().Size()
	switch {
	case min(size.W, size.H) < 7:
		return kataError("Board is too small for fixed handicap" + instead)
	case n > 4 && (size.W%2 == 0 || size.H%2 == 0):
		return kataError("Fixed handicap > 4 is not allowed on boards with even dimensions" + instead)
	case n > 4 && min(size.W, size.H) == 7:
		return kataError("Fixed handicap > 4 is not allowed on boards with size 7" + instead)
	case n > 9:
		return kataError("Fixed handicap > 9 is not allowed" + instead)
	}
	return k.lay(board.FixedHandicap(size, n), r)
}

// lay places stones and lists them from the top left.
func (k *kataServer) lay(points []board.Point, r *Reply) error {
	if err := k.engine.SetHandicap(points); err != nil {
		return because(kataError("Handicap placement is invalid"), err)
	}
	points = slices.Sorted(slices.Values(points))
	_, err := r.WriteString(vertices(k.engine.Game().Size(), points))
	return err
}

func (k *kataServer) freeHandicap(ctx context.Context, c Command, r *Reply) error {
	n, err := k.stones(c)
	if err != nil {
		return err
	}
	size := k.engine.Game().Size()
	n = min(n, max(2, min(30, size.Area()/4)))
	var points []board.Point
	if chooser, ok := k.engine.(HandicapChooser); ok {
		if points, err = chooser.FreeHandicap(ctx, n); err != nil {
			return err
		}
	}
	if len(points) != n {
		points = freeHandicap(size, n)
	}
	return k.lay(points, r)
}

// setHandicap takes any number of stones; White is to move after it.
func (k *kataServer) setHandicap(_ context.Context, c Command, _ *Reply) error {
	if err := k.empty(); err != nil {
		return err
	}
	fault := kataError("Handicap placement is invalid")
	size := k.engine.Game().Size()
	var points []board.Point
	for _, word := range c.Args {
		p, err := size.ParseLocation(word)
		if err != nil || p < 0 || slices.Contains(points, p) {
			return fault
		}
		points = append(points, p)
	}
	if len(points) < 2 {
		return orFail(fault, k.engine.Setup(points, nil, board.White))
	}
	return orFail(fault, k.engine.SetHandicap(points))
}
