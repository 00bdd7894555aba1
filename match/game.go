package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/engine/clock"
	"kosumi/sgf"
)

// game is one game of a match, from its set-up to its result.
type game struct {
	plan      *plan
	processes [2]*process // by side
	number    int         // counted from 0
	board     *board.Game
	clocks    [2]clock.Clock // by side
	steps     []sgf.Step
	moved     [2]bool // by side: whether the program has chosen a move itself
	result    GameResult
}

// playGame plays one game, numbered from 0. After an error there is no result: the match
// was stopped or cannot be played.
func playGame(ctx context.Context, p *plan, processes [2]*process, number int) (*game, error) {
	b, err := p.newGame()
	if err != nil {
		return nil, err
	}
	_, opening := p.opening(number)
	t := &game{plan: p, processes: processes, number: number, board: b}
	t.result = GameResult{Game: number + 1, Opening: opening, Black: t.sideOf(board.Black).String()}
	for s := range t.clocks {
		t.clocks[s] = clock.New(p.Time, clock.Tolerant(p.TimeGrace))
	}
	err = t.play(ctx)
	if fault, ok := errors.AsType[*faultError](err); ok {
		t.lose(fault)
		err = nil
	}
	t.result.Moves = t.board.NumMoves()
	if answered := []Reason{ReasonResign, ReasonIllegal, ReasonRefusal}; t.moved[sideA] || t.moved[sideB] || slices.Contains(answered, t.result.Reason) {
		t.result.Line = lineOf(t.plan.Size, t.steps)
	}
	t.result.NameA, t.result.NameB = p.names(processes[sideA].name, processes[sideB].name)
	return t, err
}

// sideOf returns which program has a colour.
func (t *game) sideOf(c board.Color) side {
	if t.plan.color(sideA, t.number) == c {
		return sideA
	}
	return sideB
}

// play runs the game to its result, or to a fault.
func (t *game) play(ctx context.Context) error {
	if done, err := t.start(ctx); done || err != nil {
		return err
	}
	t.plan.begun()
	for _, s := range t.processes {
		if err := s.newGame(ctx); err != nil {
			return err
		}
	}
	if err := t.playOpening(ctx); err != nil {
		return err
	}
	for !t.board.Ended() {
		if t.board.NumMoves() >= t.plan.MaxMoves {
			if t.plan.rules.Scoring == board.ScoringTerritory {
				t.result.draw(ReasonUnscored, "?")
			} else {
				t.settle(t.board.Score(), ReasonMaxMoves)
			}
			return nil
		}
		if over, err := t.move(ctx); over || err != nil {
			return err
		}
	}
	return t.count(ctx)
}

// start starts both programs at the same time. A program that fails at its very first
// start ends the match. If both fail at a later start, the game is a draw, and done is true.
func (t *game) start(ctx context.Context) (done bool, err error) {
	var errs [2]error
	var wait sync.WaitGroup
	for i, s := range t.processes {
		wait.Go(func() { errs[i] = s.start(ctx) })
	}
	wait.Wait()
	a, okA := errors.AsType[*faultError](errs[sideA])
	b, okB := errors.AsType[*faultError](errs[sideB])
	switch {
	case okA && okB:
		t.result.Faults = []Fault{a.Fault, b.Fault}
		t.result.draw(ReasonCrash, "Void")
		return true, nil
	case okA && errs[sideB] != nil: // an unplayable match takes precedence over a lost game
		return false, errs[sideB]
	}
	return false, cmp.Or(errs[:]...)
}

func (t *game) playOpening(ctx context.Context) error {
	opening, _ := t.plan.opening(t.number)
	for _, m := range opening {
		if err := t.board.Play(m.Color, m.Point); err != nil {
			return fmt.Errorf("%w: opening: %w", ErrConfig, err)
		}
		t.steps = append(t.steps, sgf.Step{Move: m})
		for _, s := range t.processes {
			if err := s.play(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// move asks the side to move for a move and judges it. It returns true if the side resigned, which ends
// the game.
func (t *game) move(ctx context.Context) (over bool, err error) {
	c := t.board.ToMove()
	s := t.processes[t.sideOf(c)]
	k := &t.clocks[s.side]
	mark := s.client.stderr.total()
	word, took, err := s.genmove(ctx, c, k)
	*[2]*float64{&t.result.SecondsA, &t.result.SecondsB}[s.side] += took.Seconds()
	if err != nil {
		return false, err
	}
	if !k.Run(took) {
		return false, newFault(s.side, ReasonTime, "the move took %v", took.Round(time.Millisecond))
	}
	k.Moved()
	if strings.EqualFold(word, "resign") {
		t.result.win(s.side.other(), c.Opponent(), ReasonResign, "R")
		return true, nil
	}
	p, err := t.plan.Size.ParseVertex(word)
	if err == nil {
		err = t.board.Play(c, p)
	}
	if err != nil {
		return false, newFault(s.side, ReasonIllegal, "%s %s at move %d: %v", c, clipWord(word), t.board.NumMoves()+1, err)
	}
	m := board.Move{Color: c, Point: p}
	t.steps = append(t.steps, sgf.Step{Move: m})
	t.moved[s.side] = true
	info, err := s.explain(ctx, mark)
	t.annotate(s.side, c, took, info)
	if err != nil {
		return false, err
	}
	return false, t.processes[s.side.other()].play(ctx, m)
}

// annotate adds time and information to the last step.
func (t *game) annotate(s side, c board.Color, took time.Duration, info string) {
	step := &t.steps[len(t.steps)-1]
	step.Comment = strings.TrimSpace(fmt.Sprintf("%.3f s\n%s", took.Seconds(), info))
	if !t.clocks[s].Limited() {
		return
	}
	left, count := t.clocks[s].Shown()
	of := &step.Black
	if c == board.White {
		of = &step.White
	}
	*of = sgf.Clock{Known: true, Seconds: float64(left.Milliseconds()) / 1000, Stones: count}
}

// lose gives the game to the opponent of the program at fault.
func (t *game) lose(f *faultError) {
	t.result.Faults = append(t.result.Faults, f.Fault)
	if !t.moved[f.side] {
		t.result.Stillborn = f.Side
	}
	winner := f.side.other()
	how := "F" // forfeit
	if f.Kind == ReasonTime || f.Kind == ReasonTimeout {
		how = "T"
	}
	t.result.win(winner, t.plan.color(winner, t.number), f.Kind, how)
}

func (t *game) record(now time.Time) *sgf.Record {
	r := &t.result
	rec := &sgf.Record{
		Size: t.plan.Size, Komi: float64(t.plan.rules.Komi), HasKomi: true, Rules: t.plan.Rules,
		Name: fmt.Sprintf("game %d", r.Game), Date: now.Format(time.DateOnly), Result: r.Result,
		Comment: fmt.Sprintf("Ended by %s.", r.Reason),
		Steps:   t.steps,
		Black:   sgf.Player{Name: r.NameA}, White: sgf.Player{Name: r.NameB},
	}
	if t.sideOf(board.Black) == sideB {
		rec.Black, rec.White = rec.White, rec.Black
	}
	for _, f := range r.Faults {
		rec.Comment += fmt.Sprintf("\nProgram %s: %s: %s", f.Side, f.Kind, f.Detail)
	}
	return rec
}

// clipWord shortens a program's answer for a message.
func clipWord(word string) string {
	word = cleanText(word)
	if len(word) > 30 {
		return fmt.Sprintf("%q...", word[:30])
	}
	return fmt.Sprintf("%q", word)
}
