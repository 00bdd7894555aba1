package commands

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/search/setting"
)

// boardSize takes "N", "X Y" or "X:Y". Setting the current size keeps the position.
func (k *handlers) boardSize(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	words := c.Args
	if len(words) == 1 && strings.Contains(words[0], ":") {
		words = strings.Split(words[0], ":")
	}
	if len(words) == 1 {
		words = []string{words[0], words[0]}
	}
	fault := gtp.Failf("Expected int argument for boardsize or pair of ints but got '%s'", args(c))
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
		return gtp.Failure("unacceptable size")
	case w > k.MaxSize || h > k.MaxSize:
		return gtp.Failf("unacceptable size (Board::MAX_LEN is %d, consider increasing and recompiling)", k.MaxSize)
	}
	size := board.Size{W: w, H: h}
	if size == k.Engine.Game().Size() {
		return nil
	}
	if err := k.Engine.NewGame(size); err != nil {
		return gtp.Because(gtp.ErrSize, err)
	}
	k.Say(fmt.Sprintf("Initializing board with boardXSize %d boardYSize %d", w, h))
	return nil
}

func (k *handlers) komi(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	fault := gtp.Failf("Expected single float argument for komi but got '%s'", args(c))
	if len(c.Args) != 1 || strings.Contains(c.Args[0], ",") {
		return fault
	}
	komi, err := gtp.ParseNumber(c.Args[0])
	switch {
	case err != nil:
		return fault
	case math.Abs(komi) > engine.MaxKomi:
		return gtp.ErrKomi
	case komi*2 != math.Trunc(komi*2):
		return gtp.Failure("komi must be an integer or half-integer")
	}
	if k.ForcedKomi != nil {
		komi = float64(*k.ForcedKomi)
	}
	return gtp.Because(gtp.ErrKomi, k.Engine.SetKomi(float32(komi)))
}

func (k *handlers) getKomi(_ context.Context, _ gtp.Command, r *gtp.Reply) error {
	return r.Print(setting.General(float64(k.Engine.Game().Rules().Komi)))
}

// play refuses occupied points and the suicide of a single stone; it plays all other illegal moves.
func (k *handlers) play(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	if len(c.Args) != 2 {
		return gtp.Failf("Expected two arguments for play but got '%s'", args(c))
	}
	color, err := parseColor(c.Args[0])
	if err != nil {
		return err
	}
	g := k.Engine.Game()
	p, err := g.Size().ParseLocation(c.Args[1])
	switch {
	case err != nil:
		return gtp.Failf("Could not parse vertex: '%s'", c.Args[1])
	case p == board.NoPoint:
		return gtp.ErrIllegalMove
	case p != board.Pass && g.At(p) == board.Empty && g.Board().IsIllegalSuicide(color, p, true):
		return gtp.ErrIllegalMove
	}
	return gtp.Because(gtp.ErrIllegalMove, k.Engine.Play(color, p))
}

func (k *handlers) setPosition(_ context.Context, c gtp.Command, _ *gtp.Reply) error {
	form := fmt.Sprintf("Expected a space-separated sequence of <COLOR> <VERTEX> pairs but got '%s'", args(c))
	if len(c.Args)%2 != 0 {
		return gtp.Failure(form)
	}
	size := k.Engine.Game().Size()
	var stones [3][]board.Point
	for i := 0; i < len(c.Args); i += 2 {
		color, err := board.ParseColor(c.Args[i])
		if err != nil {
			return gtp.Failf("%s: could not parse color: '%s'", form, c.Args[i])
		}
		p, err := size.ParseLocation(c.Args[i+1])
		if err != nil || p < 0 {
			return gtp.Failf("%s: could not parse vertex: '%s'", form, c.Args[i+1])
		}
		stones[color] = append(stones[color], p)
	}
	if err := k.Engine.Setup(stones[board.Black], stones[board.White], board.Black); err != nil {
		return gtp.Because(gtp.Failure("Illegal stone placements - overlapping stones or stones with no liberties?"), err)
	}
	return nil
}

func (k *handlers) showBoard(_ context.Context, _ gtp.Command, r *gtp.Reply) error {
	g := k.Engine.Game()
	text := kataBoard(g)
	text += "Next player: " + [...]string{"", "Black", "White"}[g.ToMove()] + "\n"
	if g.Phase() > 0 {
		text += fmt.Sprintf("Game phase: %d\n", g.Phase())
	}
	rules := g.Rules()
	komi := `"komi":` + setting.Float(float64(rules.Komi)) // among the other keys, which are in alphabetical order
	text += "Rules: " + strings.Replace(rules.JSON(), `"scoring":`, komi+`,"scoring":`, 1) + "\n"
	if b := g.HandicapBonusScore(); b != 0 {
		text += "Handicap bonus score: " + setting.General(float64(b)) + "\n"
	}
	text += fmt.Sprintf("B stones captured: %d\nW stones captured: %d", g.Board().Captured(board.Black), g.Board().Captured(board.White))
	return r.Print(text)
}

// kataBoard draws the board as KataGo does: the last three moves are numbered.
func kataBoard(g *board.Game) string {
	size := g.Size()
	known := g.NumMoves() - g.Forgotten()
	marks := map[board.Point]byte{}
	for i := range min(3, known) { // the older number shows if two of the moves are on one point
		if p := g.LastMove(i).Point; p != board.Pass {
			marks[p] = '0' + byte(min(3, known)-i)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "MoveNum: %d HASH: %s\n   %s\n", known, board.BoardHash(g), size.Letters())
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
