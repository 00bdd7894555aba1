package katago

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/katago/config"
	"kosumi/sgf"
)

// ReadRecord reads a game record as KataGo does: only the longest variation, rules by the names that
// KataGo knows, komi in half points, and no set-up after the first node. A record without rules, or with rules that
// cannot be read, gets the rules in the argument now; in the second case say gets a warning.
func ReadRecord(data []byte, now board.Rules, say func(string)) (*sgf.Record, board.Rules, error) {
	trees, err := sgf.Parse(data)
	if err != nil {
		return nil, now, err
	}
	if notes := trees[0].Notes(); len(notes) > 0 {
		return nil, now, errors.New(notes[0]) // KataGo refuses damaged records
	}
	root := longest(trees[0])
	root.Remove("GM") // KataGo takes every game for Go
	if err := checkSize(root); err != nil {
		return nil, now, err
	}
	for n := range root.MainLine() {
		if n != root && (n.Has("AB") || n.Has("AW") || n.Has("AE")) {
			return nil, now, errors.New("Found stone placements after the root, game records that are not simply ordinary play not currently supported") //nolint:staticcheck // KataGo's wording
		}
		if n != root {
			n.Remove("PL")
		}
	}
	root.Remove("HA") // the stones determine the handicap
	record, err := sgf.StrictRecordOf(root)
	if err != nil {
		return nil, now, err
	}
	if record.Setup != nil && len(record.Steps) > 0 {
		record.Setup.ToMove = board.Empty // the first move determines the side to move
	}
	return record, recordRules(root, now, say), nil
}

func checkSize(root *sgf.Node) error {
	text := root.Get("SZ")
	size, err := sgf.SizeOf(root)
	switch n, _ := fmt.Sscanf(text+":"+text, "%d:%d", &size.W, &size.H); { // a single number is both sides
	case err != nil && n < 2:
		return fmt.Errorf("Could not parse board size in sgf: %s", text) //nolint:staticcheck // KataGo's wording
	case min(size.W, size.H) <= 1:
		return fmt.Errorf("Board size in sgf is <= 1: %s", text) //nolint:staticcheck // KataGo's wording
	case max(size.W, size.H) > config.MaxSize:
		return fmt.Errorf("Board size in sgf is > Board::MAX_LEN = %d, if larger sizes are desired, consider increasing and recompiling: %s", config.MaxSize, text) //nolint:staticcheck // KataGo's wording
	}
	return nil
}

// longest copies the variation with the most nodes, the first if several have as many.
func longest(root *sgf.Node) *sgf.Node {
	depth := map[*sgf.Node]int{}
	for _, n := range slices.Backward(slices.Collect(root.All())) { // visits children before their parents
		for _, c := range n.Children {
			depth[n] = max(depth[n], depth[c]+1)
		}
	}
	line := &sgf.Node{Properties: root.Properties}
	at, to := root, line
	for len(at.Children) > 0 {
		deepest := slices.MaxFunc(at.Children, func(a, b *sgf.Node) int { return depth[a] - depth[b] })
		to = to.NewChild()
		to.Properties = slices.Clone(deepest.Properties)
		at = deepest
	}
	return line
}

// CheckRecord plays a record's moves. before is the number of the first move left out, counted from
// 1; 0 plays all moves. It returns a [sgf.MoveError] for the first move on an occupied point or
// suicide of a single stone.
func CheckRecord(record *sgf.Record, before int) error {
	g, err := record.Game(board.TrompTaylor(), 0)
	if err != nil {
		return err
	}
	for i, s := range record.Steps {
		c, p := s.Move.Color, s.Move.Point
		if i+1 == before {
			break
		}
		if p >= 0 && g.At(p) == board.Empty && g.Board().IsIllegalSuicide(c, p, true) {
			err = board.ErrSuicide
		} else {
			err = g.PlayTolerant(c, p)
		}
		if err != nil {
			return &sgf.MoveError{Move: i + 1, Step: i + 1, Color: c, Vertex: record.Size.Vertex(p), Err: err}
		}
	}
	return nil
}

func recordRules(root *sgf.Node, now board.Rules, say func(string)) board.Rules {
	rules, err := now, error(nil)
	if root.Has("RU") {
		if rules, _, err = board.ParseKataGoRules(root.Get("RU")); err == nil {
			err = rules.Check()
		}
		if err != nil {
			rules = now
		}
	}
	if komi, komiErr := recordKomi(root); komiErr == nil {
		rules.Komi = komi
	}
	if err != nil {
		say("WARNING: using default rules " + rules.Text() + "komi" + strconv.FormatFloat(float64(rules.Komi), 'g', 6, 32) +
			" because could not parse sgf rules: Could not parse rules in sgf: " + root.Get("RU"))
	}
	return rules
}

var errKomi = errors.New("no komi")

// recordKomi reads the property KM. Some programs write it in hundredths of a point, or of a stone (two points).
func recordKomi(root *sgf.Node) (float32, error) {
	k, err := strconv.ParseFloat(strings.TrimSpace(root.Get("KM")), 32)
	if err != nil || math.IsNaN(k) || math.IsInf(k, 0) {
		return 0, errKomi
	}
	if k*2 != math.Trunc(k*2) {
		chinese := []string{"chinese", "chinese, pair go"}
		if k*4 != math.Trunc(k*4) || !strings.HasPrefix(root.Get("US"), "GoGoD") || !slices.Contains(chinese, strings.ToLower(root.Get("RU"))) {
			return 0, errKomi
		}
		k *= 2
	}
	if by := root.Values("AP"); slices.Contains(by, "foxwq") || slices.Contains(by, "SGFC:2.0") {
		hundredths := map[float64]float64{275: 5.5, 550: 5.5, 325: 6.5, 650: 6.5, 375: 7.5, 750: 7.5, 350: 7, 700: 7}
		if points, ok := hundredths[k]; ok {
			k = points
		} else if k != 0 && k != 6.5 && k != 7 && k != 7.5 {
			return 0, errKomi
		}
	}
	return float32(k), nil
}
