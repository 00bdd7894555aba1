package board_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/board"
)

var update = flag.Bool("board.update", false, "write the expectations of testdata/boards anew, from the slow board")

// casesFile holds positions with all that follows from them; its folder has a
// README.
const casesFile = "../testdata/boards/cases.json"

// boardCase is a position and what the rules make of it.
type boardCase struct {
	Name   string   `json:"name"`
	Rules  string   `json:"rules"`
	Board  []string `json:"board"`
	Moves  string   `json:"moves"`
	Expect struct {
		Board     []string          `json:"board"`
		ToMove    string            `json:"toMove"`
		Illegal   map[string]string `json:"illegal"`
		Occupied  string            `json:"legalOccupied"`
		Captured  [2]int            `json:"captured"`
		Phase     int               `json:"phase"`
		Finished  bool              `json:"finished"`
		Score     float32           `json:"score"`
		Owner     []string          `json:"owner"`
		PassAlive []string          `json:"passAlive"`
		Ladders   string            `json:"ladders"`
	} `json:"expect"`
}

// reasons names why a point is not legal; occupied points are not listed.
var reasons = map[error]string{board.ErrSuicide: "suicide", board.ErrKo: "ko", board.ErrSuperko: "superko"}

func TestCases(t *testing.T) {
	data, err := os.ReadFile(casesFile)
	require.NoError(t, err)
	var cases []boardCase
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&cases))
	require.Greater(t, len(cases), 10)
	for i := range cases {
		c := &cases[i]
		if *update {
			c.fill(t)
			continue
		}
		t.Run(c.Name, func(t *testing.T) { c.check(t) })
	}
	if *update {
		data, err := json.MarshalIndent(cases, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(casesFile, append(data, '\n'), 0o644))
	}
}

// check compares the board with the expectations.
func (c *boardCase) check(t *testing.T) {
	g := gameOn(t, c.Rules, strings.Join(c.Board, "\n"))
	play(t, g, c.Moves)
	s, b, e := g.Size(), g.Board(), &c.Expect
	require.Equal(t, diagramRows(strings.Join(e.Board, "\n")), diagramRows(b.String()))
	require.Equal(t, e.ToMove, g.ToMove().String())
	illegal, occupied := map[string]string{}, []board.Point{}
	for p := range board.Point(s.Area()) {
		switch err := g.Legal(g.ToMove(), p); {
		case err != nil && !errors.Is(err, board.ErrOccupied):
			illegal[s.Vertex(p)] = reasons[err]
		case err == nil && g.At(p) != board.Empty:
			occupied = append(occupied, p)
		}
	}
	require.Equal(t, e.Illegal, illegal)
	require.Equal(t, e.Occupied, vertices(s, occupied))
	require.Equal(t, e.Captured, [2]int{b.Captured(board.Black), b.Captured(board.White)})
	require.Equal(t, e.Phase, g.Phase())
	require.Equal(t, e.Finished, g.Finished())
	require.Equal(t, e.Score, g.Score())
	require.Equal(t, e.Owner, colorRows(s, g.Owners(nil)))
	require.Equal(t, e.PassAlive, colorRows(s, b.PassAlive(nil, g.Rules().Suicide)))
	var scratch board.LadderScratch
	require.Equal(t, e.Ladders, ladderText(b, &scratch))
}

// fill takes the expectations from the slow board.
func (c *boardCase) fill(t *testing.T) {
	g := gameOn(t, c.Rules, strings.Join(c.Board, "\n"))
	s := g.Size()
	ref := newRefGame(s, g.Rules(), false)
	ref.b = refOf(g.Board())
	ref.koKeys = []string{ref.key(ref.b, ref.toMove)}
	if g.Rules().Scoring == board.ScoringTerritory {
		ref.bonus = float32(strings.Count(ref.b.colors, "X") - strings.Count(ref.b.colors, "O"))
	}
	for _, v := range strings.Fields(c.Moves) {
		p := at(t, s, v)
		require.NoError(t, ref.legal(p), "%s: %s", c.Name, v)
		ref.play(ref.toMove, p)
	}
	e := &c.Expect
	e.Board = refRows(s, []byte(ref.b.colors))
	e.ToMove = ref.toMove.String()
	e.Illegal = map[string]string{}
	var occupied []board.Point
	for p := range board.Point(s.Area()) {
		switch err := ref.legal(p); {
		case err != nil && ref.b.at(p) == refEmpty:
			e.Illegal[s.Vertex(p)] = reasons[err]
		case err == nil && ref.b.at(p) != refEmpty:
			occupied = append(occupied, p)
		}
	}
	e.Occupied = vertices(s, occupied)
	e.Captured = [2]int(ref.prisoner[1:])
	e.Phase, e.Finished, e.Score = ref.phase, ref.finished, ref.score()
	marks, _ := ref.owners(board.AreaModes{})
	e.Owner = refRows(s, marks)
	e.PassAlive = refRows(s, ref.b.mark(g.Rules().Suicide, false, false))
	e.Ladders = refLadders(t, ref.b, ref.ko)
}

// refOf returns the slow board with the stones of a board.
func refOf(b *board.Board) refBoard {
	ref := newRefBoard(b.Size())
	signs := []byte(ref.colors)
	for p := range signs {
		signs[p] = sign(b.At(board.Point(p)))
	}
	ref.colors = string(signs)
	return ref
}

// refRows writes signs row by row.
func refRows(s board.Size, signs []byte) []string {
	var rows []string
	for row := range slices.Chunk(signs, s.W) {
		rows = append(rows, string(row))
	}
	return rows
}

// refLadders lists the ladders as ladderText does, by plain search.
func refLadders(t *testing.T, b refBoard, ko board.Point) string {
	var list []string
	for p := range board.Point(b.size.Area()) {
		if b.at(p) == refEmpty || slices.Min(b.chain(p)) != p || b.liberties(p) > 2 {
			continue
		}
		c := board.Black
		if b.at(p) == 'O' {
			c = board.White
		}
		text := c.String()[:1] + ":" + b.size.Vertex(p)
		if b.liberties(p) == 1 {
			lost, ok := refCaptured(b, p)
			require.True(t, ok)
			if lost {
				list = append(list, text)
			}
			continue
		}
		var working []board.Point
		for _, m := range b.around(b.chain(p), refEmpty) {
			next := b.play(c.Opponent(), m)
			if m == ko || next.suicided > 0 {
				continue
			}
			lost, ok := refCaptured(next.after, p)
			require.True(t, ok)
			if lost {
				working = append(working, m)
			}
		}
		if len(working) > 0 {
			list = append(list, text+"<"+vertices(b.size, working))
		}
	}
	slices.Sort(list)
	return strings.Join(list, " | ")
}
