package level

import (
	"fmt"
	"strconv"
	"strings"
)

// Rank is an amateur's rank as the number of ranks above 20k: 30k is -10, 20k 0, 1k 19, 1d 20,
// 9d 28. Files keep this number. Two neighbouring ranks differ by one handicap stone.
type Rank int

// The ends of the scale.
const (
	Lowest  Rank = -10
	Highest Rank = 28
	dan     Rank = 20 // 1d
)

// ParseRank reads 30k to 1k and 1d to 9d, in either case.
func ParseRank(text string) (Rank, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	if len(lower) > 1 {
		n, err := strconv.Atoi(lower[:len(lower)-1])
		switch unit := lower[len(lower)-1]; {
		case err != nil:
		case unit == 'k' && n >= 1 && n <= 30:
			return dan - Rank(n), nil
		case unit == 'd' && n >= 1 && n <= 9:
			return dan + Rank(n) - 1, nil
		}
	}
	return 0, fmt.Errorf("no level %q: 30k to 1k, or 1d to 9d", text)
}

// String returns the rank as ParseRank reads it.
func (r Rank) String() string {
	if r < dan {
		return fmt.Sprintf("%dk", dan-r)
	}
	return fmt.Sprintf("%dd", r-dan+1)
}
