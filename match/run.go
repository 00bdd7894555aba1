package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"kosumi/internal/file"
	"kosumi/match/elo"
	"kosumi/sgf"
)

// errDecided ends the games in progress when the sequential test has decided.
var errDecided = errors.New("the test has decided")

// Run plays a match and returns its summary. Games in the journal are not played again.
//
// When ctx ends, Run stops the games in progress, which then have no result, and returns
// the context's error. Errors that wrap ErrConfig mean that the user must change
// something; ErrJournalConfig and ErrJournal are about the journal; any other error means
// that a file could not be written. The summary covers the finished games in every case.
func Run(ctx context.Context, c Config) (Summary, error) {
	p, err := newPlan(c)
	if err != nil {
		return Summary{}, err
	}
	if len(p.Openings) > 0 && p.Games%2 == 1 {
		return Summary{}, fmt.Errorf("%w: each opening is played with both colours, so the number of games is even: %d or %d, not %d",
			ErrConfig, max(2, p.Games-1), p.Games+1, p.Games)
	}
	m := &run{plan: p, results: map[int]GameResult{}}
	if p.Dir != "" {
		lock, err := file.LockFolder(p.Dir)
		if err != nil {
			return Summary{}, fmt.Errorf("the folder for games: %w", err)
		}
		defer lock.Release()
	}
	if p.Journal != "" {
		if _, err := os.Stat(p.Journal); err != nil && p.Dir != "" {
			if games, _ := filepath.Glob(filepath.Join(p.Dir, "game-*.sgf")); len(games) > 0 {
				return Summary{}, fmt.Errorf("%w: %s holds games already, and no journal says that they are of this match: name another folder", ErrConfig, p.Dir)
			}
		}
		j, results, err := openJournal(p.Journal, p.identity())
		if err != nil {
			return Summary{}, err
		}
		defer j.close()
		m.journal = j
		for i, r := range results {
			if i < p.Games && r.Stillborn == "" {
				m.results[i] = r
			}
		}
	}
	return m.play(ctx)
}

// run is a match in progress.
type run struct {
	plan    *plan
	journal *journal // nil if there is none

	mu        sync.Mutex // guards the fields below; also held while files are written and Progress is called
	results   map[int]GameResult
	next      int // number of the first game not yet played
	warnings  []string
	resumed   int
	stillborn [2]int // games in a row that a side lost before its first move
	decided   bool   // the SPRT has decided; later results do not count
	repeated  bool   // the warning about repeated games was printed
	different int    // number of different games
	again     int    // repeated games in a row so far
	err       error  // error that ended the match early
}

func (m *run) play(ctx context.Context) (Summary, error) {
	m.resumed = len(m.results)
	s := m.summary()
	if m.resumed > 0 && m.plan.Progress != nil {
		m.plan.Progress(Progress{Summary: s, Total: m.plan.Games})
	}
	if decided(s) {
		return s, nil
	}
	games, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var tables sync.WaitGroup
	for i := range min(m.plan.Parallel, m.plan.Games-len(m.results)) {
		tables.Go(func() { m.playTable(games, stop, i+1) })
	}
	tables.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	s = m.summary()
	switch {
	case m.err != nil:
		return s, m.err
	case ctx.Err() != nil && !decided(s) && s.Games < m.plan.Games:
		return s, context.Cause(ctx)
	}
	return s, nil
}

func decided(s Summary) bool { return s.SPRT != nil && s.SPRT.Decision != elo.Continue }

// summary describes the match so far. While games are being played, the caller must hold m.mu.
func (m *run) summary() Summary {
	s := m.plan.summarize(m.results)
	s.Resumed = m.resumed
	s.Warnings = slices.Clone(m.warnings)
	return s
}

// warn logs a warning about a side and keeps it for the summary, unless it has done so before.
func (m *run) warn(s side, text string) {
	text = fmt.Sprintf("program %s %s", s, text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.warnings, text) {
		m.warnings = append(m.warnings, text)
		m.plan.log.Warn(text)
	}
}

// take returns the next game without a result.
func (m *run) take() (number int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; m.next < m.plan.Games; m.next++ {
		if _, done := m.results[m.next]; !done {
			m.next++
			return m.next - 1, true
		}
	}
	return 0, false
}

// playTable plays games with one pair of processes until there are none left.
func (m *run) playTable(ctx context.Context, stop context.CancelCauseFunc, table int) {
	var processes [2]*process
	for s := range processes {
		processes[s] = &process{plan: m.plan, side: side(s), warn: m.warn}
		if f := m.openLog(side(s), table); f != nil {
			defer f.Close()
			processes[s].log = f
		}
	}
	defer func() {
		patience := quitPatience
		if ctx.Err() != nil {
			patience = 0
		}
		var wait sync.WaitGroup
		for _, s := range processes {
			wait.Go(func() { s.end(patience) })
		}
		wait.Wait()
	}()
	for ctx.Err() == nil {
		number, ok := m.take()
		if !ok {
			return
		}
		g, err := playGame(ctx, m.plan, processes, number)
		if ctx.Err() != nil && err != nil {
			return
		}
		if err == nil && m.plan.Fresh {
			for _, s := range processes {
				s.end(quitPatience)
			}
		}
		if err == nil {
			err = m.finish(g, stop)
		}
		if err != nil {
			m.mu.Lock()
			m.err = cmp.Or(m.err, err)
			m.mu.Unlock()
			stop(err)
			return
		}
	}
}

// openLog opens the file for a program's stderr; nil if the match has no folder or the file cannot be opened.
func (m *run) openLog(s side, table int) io.WriteCloser {
	if m.plan.Dir == "" {
		return nil
	}
	name := filepath.Join(m.plan.Dir, fmt.Sprintf("stderr-%s-%d.log", s, table))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		m.plan.log.Warn("no log of a program's stderr", "error", err)
		return nil
	}
	return f
}

// finish records a finished game: first its SGF file, then the journal, which names it.
func (m *run) finish(g *game, stop context.CancelCauseFunc) error {
	record, err := sgf.Marshal(g.record(time.Now()).Tree())
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.decided {
		return nil
	}
	if m.plan.Dir != "" {
		g.result.SGF = fmt.Sprintf("game-%05d.sgf", g.result.Game)
		if err := file.WriteBytes(filepath.Join(m.plan.Dir, g.result.SGF), record); err != nil {
			return err
		}
	}
	if m.journal != nil {
		if err := m.journal.append(&g.result); err != nil {
			return err
		}
	}
	m.results[g.number] = g.result
	for _, f := range g.result.Faults {
		m.plan.log.Warn("fault", "game", g.result.Game, "program", f.Side, "kind", f.Kind, "detail", f.Detail)
	}
	s := m.summary()
	if s.Repeats > 0 && !m.repeated {
		m.repeated = true
		m.plan.log.Warn("two games were the same, move for move: such games count once in Elo and tests; " +
			"openings, or a program that leaves something to chance, make games differ")
	}
	if m.again++; s.Distinct.Games() > m.different {
		m.different, m.again = s.Distinct.Games(), 0
	}
	m.decided = decided(s)
	if s.SPRT != nil && m.again == mostAgain && !m.decided {
		m.decided = true
		m.plan.log.Warn(fmt.Sprintf("the last %d games were earlier ones over again, from which the test learns nothing: the match ends", mostAgain))
	}
	if m.decided {
		stop(errDecided)
	}
	if m.plan.Progress != nil {
		m.plan.Progress(Progress{Game: &g.result, Summary: s, Total: m.plan.Games})
	}
	return m.hopeless(&g.result)
}

// mostAgain is how many repeated games in a row end a sequential test.
const mostAgain = 20

// mostStillborn is the number of games in a row after which the match ends, if a program lost each
// of them before its first move.
const mostStillborn = 3

// hopeless returns an error once a program has failed before its first move in
// mostStillborn games in a row. A resumed match plays those games again.
func (m *run) hopeless(r *GameResult) error {
	for s, name := range sideNames {
		if r.Stillborn != name {
			m.stillborn[s] = 0
			continue
		}
		if m.stillborn[s]++; m.stillborn[s] == mostStillborn {
			return fmt.Errorf("%w: program %s has failed before its first move in %d games in a row: %s",
				ErrConfig, side(s), mostStillborn, r.Faults[len(r.Faults)-1].Detail)
		}
	}
	return nil
}
