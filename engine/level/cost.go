package level

import (
	"fmt"
	"math"
	"strings"
)

const bestMove, unknownCost, costFormat = "the best move that it found", "a move of unknown cost", "a move that costs %f points"

// Cost describes by how many points a move is worse than the best; NaN is unknown. [ParseCost]
// reads the text.
func Cost(loss float64) string {
	switch {
	case math.IsNaN(loss):
		return unknownCost
	case loss < 0.05:
		return bestMove
	}
	return fmt.Sprintf(strings.Replace(costFormat, "%f", "%.1f", 1), loss)
}

// ParseCost returns the cost of a move, in points, from a line of a log; ok is false for other
// lines and for an unknown cost.
func ParseCost(line string) (loss float64, ok bool) {
	text, ok := strings.CutPrefix(line, "played ")
	if !ok || strings.HasPrefix(text, bestMove) {
		return 0, ok
	}
	_, err := fmt.Sscanf(text, costFormat, &loss)
	return loss, err == nil
}
