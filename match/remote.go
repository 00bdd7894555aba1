package match

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"kosumi/sgf"
)

// Remote plays one game of a match, which counts from 0, on another machine, as
// [Play] does there.
type Remote func(ctx context.Context, c *Config, game int) (*Played, error)

// Played is a game that is over.
type Played struct {
	Result GameResult `json:"result"`
	Record []byte     `json:"record"` // SGF
	// Stderr and Warnings are what the programs wrote, as far as it was kept, and
	// what makes the game less fair than it looks; by side.
	Stderr   [2][]byte   `json:"stderr"`
	Warnings [2][]string `json:"warnings"`
}

// keptStderr bounds what of a program's messages travels.
const keptStderr = 128 << 10

// Play plays one game of a match, with programs of its own.
func Play(ctx context.Context, c Config, game int) (*Played, error) {
	p, err := newPlan(c)
	if err != nil {
		return nil, err
	}
	out := new(Played)
	warn := func(s side, text string) { out.Warnings[s] = append(out.Warnings[s], text) }
	var logs [2]bounded
	var processes [2]*process
	for s := range processes {
		processes[s] = &process{plan: p, side: side(s), warn: warn, log: &logs[s]}
	}
	m := &run{plan: p}
	p.Fresh = false // both are ended here, on every way
	played, err := m.playLocal(ctx, game, processes)
	for s := range processes {
		if err != nil {
			processes[s].kill()
		} else {
			processes[s].quit()
		}
	}
	if err != nil {
		return nil, err
	}
	out.Result, out.Record = played.Result, played.Record
	for s := range logs {
		out.Stderr[s] = logs[s].data
	}
	return out, nil
}

// bounded keeps the beginning of what is written.
type bounded struct{ data []byte }

func (b *bounded) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), keptStderr-len(b.data))]...)
	return len(p), nil
}

// playRemote has a game played on another machine, and checks what can be checked:
// that it is this game, and that every move is legal.
func (m *run) playRemote(ctx context.Context, number int, processes [2]*process) (*Played, error) {
	p, err := m.plan.Remote(ctx, &m.plan.Config, number)
	if err != nil {
		return nil, err
	}
	if err := m.plan.check(number, p); err != nil {
		return nil, fmt.Errorf("game %d, played elsewhere: %w", number+1, err)
	}
	for s := range processes {
		for _, text := range p.Warnings[s] {
			m.warn(side(s), text)
		}
		if log := processes[s].log; log != nil {
			log.Write(p.Stderr[s])
		}
	}
	return p, nil
}

// check holds a game that was played elsewhere against the match.
func (p *plan) check(number int, g *Played) error {
	r := &g.Result
	opening, index := p.opening(number)
	black := sideA
	if number%2 == 1 {
		black = sideB
	}
	r.Game, r.Opening, r.SGF = number+1, index, ""
	if r.Black != black.String() || !slices.Contains([]string{"", "a", "b"}, r.Winner) {
		return fmt.Errorf("%q has Black and %q wins", r.Black, r.Winner)
	}
	roots, err := sgf.Parse(g.Record)
	if err != nil {
		return err
	}
	if len(roots) != 1 {
		return fmt.Errorf("%d records", len(roots))
	}
	record, err := sgf.StrictRecordOf(roots[0])
	if err != nil {
		return err
	}
	moves := record.Moves()
	if record.Size != p.Size || record.Setup != nil || len(moves) < len(opening) && len(r.Faults) == 0 || len(moves) > p.MaxMoves {
		return fmt.Errorf("its record is one of %d moves on %v", len(moves), record.Size)
	}
	b, err := p.newGame()
	if err != nil {
		return err
	}
	for i, m := range moves {
		if i < len(opening) && m != opening[i] {
			return fmt.Errorf("it leaves the opening at move %d", i+1)
		}
		if err := b.Play(m.Color, m.Point); err != nil {
			return fmt.Errorf("move %d: %w", i+1, err)
		}
	}
	if r.Reason == ReasonScore && !b.Ended() {
		return fmt.Errorf("it was counted before its end")
	}
	r.Moves = b.NumMoves()
	g.Record = bytes.TrimSpace(g.Record)
	return nil
}
