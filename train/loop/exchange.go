package loop

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kosumi/nn/features"
	"kosumi/train/selfplay"
)

// Exchange has games played elsewhere and brings them in through [Loop.File]. They
// may come at any time, also while the learner is at work.
type Exchange interface {
	// Offer says what is to be played from now on. It is called again whenever the
	// loop goes on, mostly with the same work.
	Offer(w Work) error
	// Play has this machine play too, until the context ends; nil if it does not.
	Play(ctx context.Context) error
}

// Players are exchanges that know who has played for them.
type Players interface {
	// Players counts the games that were filed, by the name of the machine that played
	// them.
	Players() map[string]int64
}

// Work is what is to be played.
type Work struct {
	Network string // its name; "random" where no network plays
	SHA256  string // of its file, hex
	Path    string
	Seed    uint64
	Recipe  selfplay.Config
	Closed  uint64 // games of lower numbers come too late
}

const randomPlayer = "random"

// exchangeSeed is the seed of games that are played elsewhere, which differs from
// that of all games played here.
func exchangeSeed(seed uint64) uint64 { return seed ^ 0xe8c4a96e }

// store is what an exchange and the loop share.
type store struct {
	mu       sync.Mutex // held while games are filed
	writers  map[string]*selfplay.Writer
	encoding features.Encoding

	arriving sync.Mutex
	arrived  []dataFile
	goal     int64         // games at which the bootstrap ends, those that arrived included; -1: it has ended
	filed    int64         // games so far
	news     chan struct{} // capacity 1
	most     atomic.Int64  // rows that may wait to be counted
	wait     atomic.Int64  // rows that do
	work     Work
}

// written notes a file of self-play, to be counted by the loop.
func (l *Loop) written(f selfplay.FileInfo) {
	d := dataFile{path: f.Path, first: f.First, games: f.Games, rows: f.Rows, moves: f.Moves, network: f.Network}
	if l.o.Exchange != nil {
		d.ids = f.IDs
	}
	l.store.arriving.Lock()
	l.store.arrived = append(l.store.arrived, d)
	l.store.filed += int64(d.games)
	l.store.arriving.Unlock()
	l.store.wait.Add(int64(d.rows))
	if l.store.news != nil {
		select {
		case l.store.news <- struct{}{}:
		default:
		}
	}
}

// count counts the files that have been written.
func (l *Loop) count() {
	l.store.arriving.Lock()
	arrived := l.store.arrived
	l.store.arrived = nil
	l.store.arriving.Unlock()
	for _, d := range arrived {
		l.known[d.path] = d
		l.state.count(d)
		if l.by != nil {
			l.by[orNone(strings.TrimPrefix(d.network, randomPlayer))] += d.games
		}
		l.store.wait.Add(-int64(d.rows))
	}
}

// offer tells the exchange what is to be played now.
func (l *Loop) offer() error {
	if l.o.Exchange == nil {
		return nil
	}
	s, c := l.state, l.stageConfig()
	if l.store.news == nil {
		encoding, err := l.encoding()
		if err != nil {
			return err
		}
		l.store.mu.Lock()
		l.store.encoding, l.store.writers = encoding, map[string]*selfplay.Writer{}
		l.store.mu.Unlock()
		l.store.news = make(chan struct{}, 1)
	}
	// Games may run ahead of the learner by four iterations; random ones are counted.
	l.store.most.Store(4 * int64(max(c.Iteration.Rows, 32*c.Iteration.Games)))
	l.bound(&c)
	w := Work{Network: randomPlayer, Seed: exchangeSeed(s.Seed), Recipe: c.Selfplay, Closed: s.Closed}
	if !l.bootstrapping() {
		w.Network, w.Path = s.Current, modelPath(l.dir, s.Arch, s.Current)
		w.SHA256 = l.store.work.SHA256
		if w.Path != l.store.work.Path {
			data, err := os.ReadFile(w.Path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			w.SHA256 = hex.EncodeToString(sum[:])
		}
	}
	l.store.work = w
	return l.o.Exchange.Offer(w)
}

// bound says how many games of the bootstrap there may be.
func (l *Loop) bound(c *Config) {
	s := l.state
	goal := int64(-1)
	if l.bootstrapping() {
		goal = s.Games
		if s.Stage == stageSelfplay {
			goal = cmp.Or(s.GoalGames, s.Games+int64(c.Iteration.Games))
			if l.o.Games > 0 {
				goal = min(goal, s.Games+l.remaining())
			}
		}
	}
	l.store.arriving.Lock()
	defer l.store.arriving.Unlock()
	l.store.goal, l.store.filed = goal, s.Games
	for _, d := range l.store.arrived {
		l.store.filed += int64(d.games)
	}
}

// Left is how many games of the bootstrap are to come, those that somebody plays already
// included; unbounded: it has ended. It may be called at any time.
func (l *Loop) Left() (games int64, unbounded bool) {
	l.store.arriving.Lock()
	defer l.store.arriving.Unlock()
	return max(0, l.store.goal-l.store.filed), l.store.goal < 0
}

// Wanted is how many rows of games may come in now; 0 where the learner is far
// behind. It may be called at any time.
func (l *Loop) Wanted() int64 { return max(0, l.store.most.Load()-l.store.wait.Load()) }

// Stored returns the games of an exchange that lie in the folder. Not while Run
// runs.
func (l *Loop) Stored() []selfplay.Filed {
	var all []selfplay.Filed
	for _, d := range l.known {
		all = append(all, d.ids...)
	}
	return all
}

// File writes games that were played for some work into the loop's folder, synced.
// Games that make no rows are left out and have an error at their place. It may be
// called at any time between the first offer and Close.
func (l *Loop) File(w Work, games []*selfplay.Finished) ([]error, error) {
	s := &l.store
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(w.Network, w.SHA256, w.Recipe)
	writer := s.writers[key]
	if writer == nil {
		var err error
		writer, err = selfplay.NewWriter(selfplay.WriterConfig{Dir: filepath.Join(l.dir, "selfplay", w.Network), Encoding: s.encoding,
			Side: w.Recipe.Side(), QValues: w.Recipe.Rows.QValues, PerFile: 1 << 20, Filing: &l.filing, Network: w.Network,
			SHA256: w.SHA256, Seed: w.Seed, Settings: w.Recipe, Written: l.written})
		if err != nil {
			return nil, err
		}
		if len(s.writers) > 8 {
			clear(s.writers)
		}
		s.writers[key] = writer
	}
	faults := make([]error, len(games))
	for i, f := range games {
		_, faults[i] = writer.Add(f)
	}
	if err := writer.Flush(); err != nil {
		writer.Discard()
		return nil, err
	}
	return faults, nil
}

// await lets others play until the goal of the iteration is reached.
func (l *Loop) await(ctx context.Context, c *Config) error {
	s := l.state
	began, gamesThen, rowsThen, movesThen := time.Now(), s.Games, s.Rows, s.Moves
	before := players(l.o.Exchange)
	l.by = map[string]int{}
	ctx, cancel := l.limit(ctx)
	defer cancel()
	playing, stop := context.WithCancel(ctx)
	var here sync.WaitGroup
	var played error
	here.Go(func() { played = l.o.Exchange.Play(playing) })
	stretch, beat := l.stretch(c, l.remaining()), l.pulse()
	stats := func() *selfplay.Stats {
		return &selfplay.Stats{Games: int(s.Games - gamesThen), Rows: int(s.Rows - rowsThen), Length: s.Moves - movesThen}
	}
	l.count()
	for ctx.Err() == nil && !l.goalReached() && !l.enough() {
		select {
		case <-l.store.news:
			l.count()
		case <-time.After(time.Until(beat.next)):
			beat.due(time.Now())
			l.tell(stretch.progress(stats(), 0))
		case <-ctx.Done():
		}
	}
	stop()
	here.Wait()
	spent := time.Since(began).Seconds()
	s.Seconds.Selfplay += spent
	l.noteSelfplay(*stats(), 0, spent)
	if played != nil || !l.goalReached() {
		return errors.Join(played, s.save(l.dir))
	}
	l.say("self-play by %s: %s%s", whoPlayed(orNone(s.Current), l.by), awaitLine(stats(), time.Since(began), s.Games), machines(before, players(l.o.Exchange)))
	s.GoalGames, s.GoalRows = 0, 0
	l.setTarget(c)
	return l.enter(stageTrain)
}

// whoPlayed names the networks by which games came in, the one that plays now first:
// games that were under way when it took over are of others.
func whoPlayed(now string, by map[string]int) string {
	if len(by) == 0 || len(by) == 1 && by[now] > 0 {
		return now
	}
	var list []string
	for _, name := range append([]string{now}, slices.Sorted(maps.Keys(by))...) {
		if games := by[name]; games > 0 && (name != now || list == nil) {
			list = append(list, fmt.Sprintf("%s (%d games)", name, games))
		}
	}
	return strings.Join(list, ", ")
}

func players(e Exchange) map[string]int64 {
	if p, ok := e.(Players); ok {
		return p.Players()
	}
	return nil
}

// machines says how many games each machine has played between two counts; "" where none
// is known.
func machines(before, after map[string]int64) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if n := after[name] - before[name]; n > 0 {
			list = append(list, fmt.Sprintf("%d on %s", n, name))
		}
	}
	if list == nil {
		return ""
	}
	return "; played " + strings.Join(list, ", ")
}

func awaitLine(st *selfplay.Stats, took time.Duration, all int64) string {
	return fmt.Sprintf("%d games (%.0f/h), %d rows, length %.1f; %d games in all",
		st.Games, float64(st.Games)/took.Hours(), st.Rows, st.MeanLength(), all)
}
