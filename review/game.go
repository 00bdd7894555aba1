package review

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"kosumi/board"
	"kosumi/sgf"
)

// ErrGame is wrapped by the errors about records that cannot be reviewed.
var ErrGame = errors.New("this record cannot be reviewed")

// MaxPlies is the longest game that is reviewed.
const MaxPlies = 2000

// Game is a record that can be reviewed. Make one with [Load].
type Game struct {
	Record *sgf.Record
	Rules  board.Rules // komi included
	// Moves are those of the main line, up to the first one that cannot be
	// played.
	Moves []board.Move
	// Notes say in plain sentences what was assumed, or left out.
	Notes []string

	root   *sgf.Node
	nodes  []*sgf.Node // of the moves
	judged []bool      // plies that can have a loss
}

// Load reads the main line of a game tree. Rules that the record does not name,
// or names in a way that nobody knows, are taken from the fallback, and a note
// says so. A move on an occupied point ends the game there, with a note. Errors
// wrap ErrGame; they say on one line why there is nothing to review.
func Load(root *sgf.Node, fallback board.Rules) (*Game, error) {
	if gm := strings.TrimSpace(root.SimpleText("GM")); gm != "" && gm != "1" {
		return nil, fmt.Errorf("%w: it is not a game of Go (GM[%.10s])", ErrGame, gm)
	}
	record, err := sgf.RecordOf(root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGame, err)
	}
	g := &Game{Record: record, root: root, Moves: record.Moves()}
	g.settleRules(fallback)
	if err := g.cut(); err != nil {
		return nil, err
	}
	g.judge()
	for n := range root.MainLine() {
		for _, p := range n.Properties {
			if (p.ID == "B" || p.ID == "W") && len(p.Values) > 0 && len(g.nodes) < len(g.Moves) {
				g.nodes = append(g.nodes, n)
			}
		}
	}
	return g, nil
}

func (g *Game) note(format string, args ...any) {
	g.Notes = append(g.Notes, fmt.Sprintf(format, args...))
}

// settleRules decides under which rules and komi the game was played.
func (g *Game) settleRules(fallback board.Rules) {
	r := g.Record
	rules, err := r.BoardRules()
	named := strings.TrimSpace(r.Rules) != ""
	if err != nil || !named {
		rules = fallback
		if named {
			g.note("The rules %q are not known; %s were taken.", clip(r.Rules, 40), describeRules(fallback))
		} else {
			g.note("The record names no rules; %s were taken.", describeRules(fallback))
		}
	}
	komi, usual := r.Komi, float64(rules.Komi)
	if err != nil || !named {
		usual = float64(fallback.Komi)
	}
	if r.Handicap > 1 {
		usual = 0.5
	}
	switch {
	case !r.HasKomi:
		komi = usual
		g.note("The record names no komi; %g was taken.", komi)
	case math.Abs(komi) > float64(r.Size.Area()) || 2*komi != math.Trunc(2*komi):
		g.note("The komi %g of the record makes no sense; %g was taken.", komi, usual)
		komi = usual
	}
	rules.Komi = float32(komi)
	g.Rules = rules
}

func describeRules(r board.Rules) string {
	if r.Scoring == board.ScoringTerritory {
		return "rules with territory scoring"
	}
	return "rules with area scoring"
}

// cut ends the game before the first move that cannot be played.
func (g *Game) cut() error {
	if len(g.Moves) == 0 {
		return fmt.Errorf("%w: it has no moves", ErrGame)
	}
	if len(g.Moves) > MaxPlies {
		return fmt.Errorf("%w: it has %d moves, more than %d", ErrGame, len(g.Moves), MaxPlies)
	}
	if _, err := g.Record.Game(g.Rules, 0); err != nil {
		return fmt.Errorf("%w: %w", ErrGame, err)
	}
	_, err := g.Record.Game(g.Rules, len(g.Moves))
	if err == nil {
		return nil
	}
	playable := sort.Search(len(g.Moves), func(n int) bool {
		_, err := g.Record.Game(g.Rules, n+1)
		return err != nil
	})
	if playable == 0 {
		return fmt.Errorf("%w: %w", ErrGame, err)
	}
	g.note("The record ends after move %d for this review: %v.", playable, err)
	g.Moves = g.Moves[:playable]
	return nil
}

// Position returns position t: the game before ply t, with the mover of that ply
// to move. Position len(Moves) is the end.
func (g *Game) Position(t int) (*board.Game, error) {
	game, err := g.Record.Game(g.Rules, t)
	if err != nil {
		return nil, err
	}
	if t < len(g.Moves) && game.ToMove() != g.Moves[t].Color {
		game.SetToMove(g.Moves[t].Color)
	}
	return game, nil
}

// judge finds the plies that can have a loss: the opponent answers, and no set-up
// comes between.
func (g *Game) judge() {
	g.judged = make([]bool, len(g.Moves))
	for t := range g.Moves {
		g.judged[t] = t+1 == len(g.Moves) || g.Moves[t+1].Color != g.Moves[t].Color
	}
	ply := 0
	for _, s := range g.Record.Steps {
		switch {
		case s.Setup == nil:
			ply++
		case ply > 0 && ply <= len(g.judged):
			g.judged[ply-1] = false
		}
	}
}

// clip shortens a text for a message.
func clip(text string, most int) string {
	runes := []rune(strings.TrimSpace(text))
	if len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return string(runes)
}
