// Package opening reads the openings of matches from files, and draws random ones from a
// network's policy.
package opening

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"kosumi/board"
	"kosumi/nn"
)

type Config struct {
	Count       int
	Least, Most int     // moves of an opening
	Temperature float64 // temperature of the policy; below 1 prefers its favourites
	Balance     float64 // largest distance of Black's winrate from one half
	Size        board.Size
	Rules       board.Rules
	Seed        uint64
	Found       func(n int) // called after each opening with the number so far
}

type book struct {
	Config
	eval nn.Evaluator
	rng  *rand.Rand
	seen map[string]bool // keys of the positions drawn so far
}

// triesPerOpening bounds the search for one more opening: there are few different short
// openings.
const triesPerOpening = 500

// Draw returns openings as lines of a text file, such as "C3 G7 F2". The same seed and
// network give the same openings.
func Draw(ctx context.Context, eval nn.Evaluator, c Config) ([]string, error) {
	b := book{Config: c, eval: eval, rng: rand.New(rand.NewPCG(c.Seed, 0x09e7)), seen: map[string]bool{}}
	var lines []string
	for failed := 0; len(lines) < c.Count; {
		line, ok, err := b.one(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, fmt.Errorf("interrupted after %d of %d openings; no file was written", len(lines), c.Count)
		case err != nil:
			return nil, err
		case ok:
			failed = 0
			lines = append(lines, line)
			c.Found(len(lines))
			continue
		}
		if failed++; failed == triesPerOpening {
			return nil, fmt.Errorf("%d openings found, and then none in %d tries: ask for fewer, longer or less balanced ones, or raise the temperature", len(lines), failed)
		}
	}
	return lines, nil
}

// one draws an opening. It returns false if the opening is known or unbalanced, or if no move is
// left.
func (b *book) one(ctx context.Context) (string, bool, error) {
	g, err := board.NewGame(b.Size, b.Rules)
	if err != nil {
		return "", false, err
	}
	query, out := nn.Query{Game: g}, nn.Output{} // in one fixed orientation, so that a seed gives one book
	var words []string
	for range b.Least + b.rng.IntN(b.Most-b.Least+1) {
		if err := b.eval.Evaluate(ctx, &query, &out); err != nil {
			return "", false, err
		}
		at := nn.Draw(out.Policy[:b.Size.Area()], b.Temperature, b.rng)
		if at < 0 {
			return "", false, nil
		}
		p := b.Size.FromIndex(at)
		if err := g.Play(g.ToMove(), p); err != nil {
			return "", false, err
		}
		words = append(words, b.Size.Vertex(p))
	}
	key := Key(g)
	if b.seen[key] {
		return "", false, nil
	}
	b.seen[key] = true
	if err := b.eval.Evaluate(ctx, &query, &out); err != nil {
		return "", false, err
	}
	return strings.Join(words, " "), math.Abs(float64(out.Win-out.Loss)) <= 2*b.Balance, nil
}

// Key returns a text that is the same for a position and its rotations and reflections: the
// smallest diagram of all orientations, and the side to move.
func Key(g *board.Game) string {
	size := g.Size()
	least := ""
	for k := range size.Symmetries() {
		diagram := make([]byte, size.Area()+1)
		for i := range size.Area() {
			p := size.FromIndex(i)
			diagram[size.SymMap(board.Symmetry(k), p)] = '0' + byte(g.At(p))
		}
		diagram[size.Area()] = '0' + byte(g.ToMove())
		if s := string(diagram); least == "" || s < least {
			least = s
		}
	}
	return least
}
