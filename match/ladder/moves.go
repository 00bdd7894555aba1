package ladder

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"kosumi/board"
	"kosumi/engine/level"
	"kosumi/sgf"
)

// readMoves fills in the statistics of the moves that a dial (the level with this number) played. It finds the
// points lost in the logs of the engine's stderr, the nonsense and the habits in the game records.
func (c *Config) readMoves(name string, s *level.Support) error {
	var lost, known, large float64
	var silly Nonsense
	for side, pattern := range map[string]string{"a": fileName(name) + "-*", "b": "*-" + fileName(name)} {
		logs, err := filepath.Glob(filepath.Join(c.Dir, pattern, "stderr-"+side+"-*.log"))
		if err != nil {
			return err
		}
		for _, file := range logs {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for line := range strings.SplitSeq(string(text), "\n") {
				loss, ok := level.ParseCost(line)
				if ok {
					lost, known = lost+loss, known+1
				}
				if ok && level.LargeLoss(loss) {
					large++
				}
			}
		}
		games, err := filepath.Glob(filepath.Join(c.Dir, pattern, "*.sgf"))
		if err != nil {
			return err
		}
		for _, file := range games {
			n, err := c.nonsenseOf(file, name)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			silly.add(n)
		}
	}
	round := func(x float64) float64 { return math.Round(1000*x) / 1000 }
	s.PointsLost, s.LargeLosses = round(lost/max(known, 1)), round(large/max(known, 1))
	s.Suspects = silly.Suspects
	s.Moves, s.Nonsense = silly.Moves, round(1000*float64(silly.Eyes+silly.SelfAtaris)/float64(max(silly.Moves, 1)))
	s.Habits = silly.Habits
	c.addKnown(s)
	return nil
}

func (c *Config) nonsenseOf(file, player string) (Nonsense, error) {
	roots, err := sgf.ReadFile(file)
	if err != nil {
		return Nonsense{}, err
	}
	by, err := CountNonsense(roots[0], c.Judge)
	if err != nil {
		return Nonsense{}, err
	}
	if strings.TrimSpace(roots[0].SimpleText("PB")) == player {
		return by[board.Black], nil
	}
	return by[board.White], nil
}
