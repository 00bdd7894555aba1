package search

import "kosumi/board"

// Patterns are moves of earlier games, with their surroundings, and what a move like
// them costs whoever makes it: see [RepeatPenalty.History]. Fill one game by game; while
// trees search with it, it must not change.
type Patterns struct {
	worth map[patternKey]float64 // in White's utility
}

// NewPatterns returns an empty set.
func NewPatterns() *Patterns { return &Patterns{worth: map[patternKey]float64{}} }

// Len returns the number of moves that differ, however turned and in both colours.
func (p *Patterns) Len() int { return len(p.worth) }

// PatternGame adds the moves of one game, each pattern once.
type PatternGame struct {
	to   *Patterns
	seen map[patternKey]struct{}
}

// Game begins a game.
func (p *Patterns) Game() *PatternGame {
	return &PatternGame{to: p, seen: map[patternKey]struct{}{}}
}

// Len returns how many patterns the game has added.
func (g *PatternGame) Len() int { return len(g.seen) }

// Add charges utility for moves like m on b, the board before it; a negative one is a
// gain. Passes and captures in a ko are passed over, and what the game has had
// already.
func (g *PatternGame) Add(b *board.Board, m board.Move, utility float64) {
	eachTurned(b, m, func(key patternKey, player board.Color) {
		if _, had := g.seen[key]; had {
			return
		}
		g.seen[key] = struct{}{}
		if player == board.White {
			g.to.worth[key] -= utility
		} else {
			g.to.worth[key] += utility
		}
	})
}
