package gtp

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"kosumi/board"
)

var (
	sgfProperty = regexp.MustCompile(`(?s)([A-Z]+)((?:\s*\[(?:[^\]\\]|\\.)*\])+)`)
	sgfValue    = regexp.MustCompile(`(?s)\[((?:[^\]\\]|\\.)*)\]`)
)

// LoadSGF reads the main line of simple records, enough for the tests.
func (f *fakeEngine) LoadSGF(data []byte, before int) error {
	text := strings.TrimSpace(string(data))
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
		return errors.New("no SGF")
	}
	var stones [3][]board.Point
	var moves []board.Move
	size, komi, toMove := board.Square(19), 7.5, board.Black
	for _, m := range sgfProperty.FindAllStringSubmatch(text, -1) {
		for _, v := range sgfValue.FindAllStringSubmatch(m[2], -1) {
			var err error
			switch value := v[1]; m[1] {
			case "SZ":
				n, sizeErr := strconv.Atoi(value)
				size, err = board.Square(n), sizeErr
			case "KM":
				komi, err = strconv.ParseFloat(value, 64)
			case "PL":
				toMove, err = board.ParseColor(value)
			case "AB":
				stones[board.Black] = append(stones[board.Black], sgfPoint(size, value))
			case "AW":
				stones[board.White] = append(stones[board.White], sgfPoint(size, value))
			case "B", "W":
				c, _ := board.ParseColor(m[1])
				moves = append(moves, board.Move{Color: c, Point: sgfPoint(size, value)})
			}
			if err != nil {
				return err
			}
		}
	}
	g, err := board.NewGame(size, f.game.Rules())
	if err != nil {
		return err
	}
	g.SetKomi(float32(komi))
	if err := g.Setup(stones[board.Black], stones[board.White], toMove); err != nil {
		return err
	}
	for i, m := range moves {
		if before > 0 && i+1 >= before {
			break
		}
		if err := g.PlayTolerant(m.Color, m.Point); err != nil {
			return err
		}
	}
	f.game = g
	return nil
}

func sgfPoint(size board.Size, v string) board.Point {
	if len(v) != 2 {
		return board.Pass
	}
	return size.Point(int(v[0]-'a'), int(v[1]-'a'))
}

func (f *fakeEngine) SaveSGF(context.Context) ([]byte, error) {
	g := f.game
	var b strings.Builder
	fmt.Fprintf(&b, "(;GM[1]FF[4]SZ[%d]KM[%.1f]\n\nC[a comment\n\n=with lines]\n", g.Size().W, g.Rules().Komi)
	for _, m := range g.Moves() {
		at := ""
		if m.Point != board.Pass {
			x, y := g.Size().XY(m.Point)
			at = string([]byte{byte('a' + x), byte('a' + y)})
		}
		fmt.Fprintf(&b, ";%s[%s]", map[board.Color]string{board.Black: "B", board.White: "W"}[m.Color], at)
	}
	b.WriteString(")\n")
	return []byte(b.String()), nil
}
