package match

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
)

// count settles a game that two passes have ended; doc.go has the rules.
func (t *game) count(ctx context.Context) error {
	if t.board.NoResult() {
		t.result.draw(ReasonNoResult, "Void")
		return nil
	}
	dead, agreed, err := t.deadStones(ctx)
	if err != nil {
		return err
	}
	switch territory := t.plan.rules.Scoring == board.ScoringTerritory; {
	case agreed && (territory || len(dead) > 0):
		t.settle(t.board.ScoreWithDead(dead), ReasonScore)
	case !territory:
		t.settle(t.board.Score(), ReasonScore)
	default:
		score, agreed, err := t.finalScore(ctx)
		if err != nil {
			return err
		}
		if !agreed {
			t.result.draw(ReasonUnscored, "?")
			return nil
		}
		t.settle(score, ReasonScore)
	}
	return nil
}

// settle decides the game by a score (White minus Black).
func (t *game) settle(score float32, reason Reason) {
	winner := board.White
	switch {
	case score == 0:
		t.result.draw(reason, "0")
		return
	case score < 0:
		winner = board.Black
	}
	points := strconv.FormatFloat(math.Abs(float64(score)), 'f', -1, 32)
	t.result.win(t.sideOf(winner), winner, reason, points)
}

// both sends a command to both programs after the game and passes each answer to the callback. It
// reports whether both programs answered and the callback accepted both answers. If a program fails,
// its fault is recorded, but the game still counts. The error is the context's.
func (t *game) both(ctx context.Context, command, argument string, use func(side, string) bool) (bool, error) {
	all := true
	for _, s := range t.processes {
		if s.client == nil || !s.can(command) {
			all = false
			continue
		}
		r, err := s.ask(ctx, "%s", strings.TrimSpace(command+" "+argument))
		fault, failed := errors.AsType[*faultError](err)
		switch {
		case failed:
			t.result.Faults = append(t.result.Faults, fault.Fault)
			all = false
		case err != nil:
			return false, err
		case !r.ok || !use(s.side, r.text):
			all = false
		}
	}
	return all, nil
}

// deadStones returns the stones that both programs call dead, without pass-alive ones, and
// reports whether the programs agree. If they do not, it returns no stones.
func (t *game) deadStones(ctx context.Context) (dead []board.Point, agreed bool, err error) {
	var lists [2][]board.Point
	agreed, err = t.both(ctx, "final_status_list", "dead", func(s side, text string) (ok bool) {
		lists[s], ok = deadList(t.board, text)
		return ok
	})
	if err != nil || !agreed || !slices.Equal(lists[sideA], lists[sideB]) {
		return nil, false, err
	}
	alive := t.board.Board().PassAlive(nil, t.plan.rules.Suicide)
	return slices.DeleteFunc(lists[sideA], func(p board.Point) bool { return alive[p] == t.board.At(p) }), true, nil
}

// deadList reads a list of vertices and returns the stones of their chains in board order,
// ignoring empty points; ok is false if a word is not a point of the board.
func deadList(g *board.Game, text string) (dead []board.Point, ok bool) {
	for _, word := range strings.Fields(text) {
		p, err := g.Size().ParseVertex(word)
		if err != nil || p < 0 {
			return nil, false
		}
		if !slices.Contains(dead, p) {
			dead = g.Board().Chain(dead, p)
		}
	}
	slices.Sort(dead)
	return dead, true
}

// finalScore returns the score (White minus Black) that the first program gives, and reports
// whether both programs give the same.
func (t *game) finalScore(ctx context.Context) (score float32, agreed bool, err error) {
	var scores [2]float32
	agreed, err = t.both(ctx, "final_score", "", func(s side, text string) (ok bool) {
		scores[s], ok = parseScore(text)
		return ok
	})
	return scores[sideA], agreed && scores[sideA] == scores[sideB], err
}

// parseScore reads "B+3.5", "W+0.5", "0" or "draw" as White minus Black.
func parseScore(text string) (float32, bool) {
	text, _, _ = strings.Cut(strings.ToUpper(strings.TrimSpace(text)), " ")
	if text == "0" || text == "DRAW" || text == "JIGO" {
		return 0, true
	}
	winner, points, ok := strings.Cut(text, "+")
	n, err := strconv.ParseFloat(points, 32)
	if !ok || err != nil || math.IsNaN(n) || n < 0 || n > 2*board.MaxPoints {
		return 0, false
	}
	switch winner {
	case "B":
		return float32(-n), true
	case "W":
		return float32(n), true
	}
	return 0, false
}
