package learn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kosumi/train/rows"
)

// heldMemory bounds the memory of held-back rows, in bytes. A measurement needs few rows.
const heldMemory = 16 << 20

func (r *run) stream() (*rows.Mix, error) { return rows.OpenMix(r.options(false), r.sources()...) }

func (r *run) heldStream(l *Learner) (*rows.Folder, error) {
	o := r.options(true)
	if l != r.l {
		o.Wants, o.Encoding = l.Wants(), l.Encoding()
		o.Size = cmp.Or(l.spec.Sizes.Fixed, o.Size)
	}
	if len(r.Validate) > 0 {
		return rows.OpenFolder(o, r.Validate...)
	}
	return rows.OpenFolder(o, r.Data...)
}

// sources returns the data with their shares. Data without a share are one source, the first.
func (r *run) sources() []rows.Source {
	rest := rows.Source{Share: 1}
	var list []rows.Source
	for _, path := range r.Data {
		share, given := r.Shares[path]
		if !given {
			rest.Paths = append(rest.Paths, path)
			continue
		}
		list = append(list, rows.Source{Paths: []string{path}, Share: share})
		rest.Share -= share
	}
	if len(rest.Paths) > 0 {
		list = slices.Insert(list, 0, rest)
	}
	return list
}

func (r *run) checkShares() error {
	sum, alike := 0.0, 0
	for k, path := range r.Data {
		share, given := r.Shares[path]
		switch {
		case !given:
			alike++
			continue
		case !(share >= rows.LeastShare && share <= 1):
			return fmt.Errorf("%s: a share of %v of the batches: use %v to 1", path, share, rows.LeastShare)
		case slices.Contains(r.Data[:k], path):
			return fmt.Errorf("%s is named twice; give it one share", path)
		}
		sum += share
	}
	switch {
	case alike > 0 && sum > 1-rows.LeastShare:
		return fmt.Errorf("the shares of the data add up to %.6g: nothing is left for data without a share", sum)
	case alike == 0 && math.Abs(sum-1) > 1e-6:
		return fmt.Errorf("the shares of the data add up to %.6g, not 1; data without a share would have the rest", sum)
	}
	return nil
}

func (r *run) options(held bool) rows.Options {
	o := rows.Options{
		Size:  cmp.Or(r.Size, r.l.spec.Sizes.Fixed), // the requested size, else the only one that the network serves
		Batch: r.l.conf.Batch, Wants: r.l.Wants(), Encoding: r.l.Encoding(), Seed: r.Seed,
		Symmetries: !r.NoSymmetries, HistoryDropout: !r.NoHistoryDropout,
		WindowRows: r.WindowRows, MemoryBytes: r.MemoryBytes,
		Split: rows.Split{Share: r.Validation}, Catalog: &r.catalog, Log: r.Learn.Log,
	}
	if held {
		o.Split.Held, o.Symmetries, o.HistoryDropout = len(r.Validate) == 0, false, false
		o.Batch = min(o.Batch, EvalBatch)
		o.MemoryBytes = heldMemory
		if r.MemoryBytes > 0 {
			o.MemoryBytes = min(heldMemory, r.MemoryBytes)
		}
	}
	return o
}

// fewRows is the number of rows up to which holdBack checks that both sides of the split have rows.
const fewRows = 20_000

// holdBack moves the share held back towards 0.5 until some games are held back and some are not. It
// returns an error if one of the data has no row at all.
func (r *run) holdBack() error {
	for _, s := range append(r.sources(), rows.Source{Paths: r.Validate}) {
		if err := r.some(rows.Split{}, s.Paths...); err != nil && len(s.Paths) > 0 {
			return fmt.Errorf("%s: %w", strings.Join(s.Paths, ", "), err)
		}
	}
	if r.asked == 0 || r.train.WindowRows() > fewRows {
		return nil
	}
	for _, share := range shares(r.asked) {
		err := r.some(rows.Split{Share: share, Held: true}, r.Data...)
		if err == nil {
			err = r.some(rows.Split{Share: share}, r.Data...)
		}
		if err == nil {
			return r.split(share)
		}
		if !errors.Is(err, rows.ErrNoRows) {
			return err
		}
	}
	r.Learn.Log.Warn("nothing is held back to measure on: there are too few games that differ")
	return r.split(0)
}

// shares lists the shares to try: from the requested one to 0.5.
func shares(asked float64) []float64 {
	var all []float64
	for share := asked; share <= 0.5; share = min(share*1.5, share+0.05) {
		all = append(all, share)
	}
	for share := asked; share > 0.5; share -= 0.05 {
		all = append(all, share)
	}
	return all
}

// split reopens the rows to train on with another share held back.
func (r *run) split(share float64) error {
	r.Validation = share
	train, err := r.stream()
	if err != nil {
		return err
	}
	r.train.Close()
	r.train = train
	return nil
}

// some returns an error, rows.ErrNoRows, if there are no rows on one side of a split.
func (r *run) some(split rows.Split, paths ...string) error {
	o := r.options(true)
	o.Batch, o.Split = 1, split
	s, err := rows.OpenFolder(o, paths...)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Next(new(rows.Batch))
}

func (r *run) total() int64 {
	if r.Steps > 0 {
		return r.Steps
	}
	rows := float64(r.train.WindowRows()) * (1 - r.Validation)
	return max(1, int64(math.Round(r.Epochs*rows/float64(r.l.conf.Batch))))
}

// measure evaluates up to ValidationRows of the held-back rows. It returns nil if there are none.
func (r *run) measure(average bool) (*Result, error) {
	if r.Validation == 0 && len(r.Validate) == 0 || r.heldEmpty {
		return nil, nil
	}
	r.tell("measuring")
	sum, games, err := r.measureHeld(r.l, average)
	if err != nil {
		return nil, err
	}
	r.held.rows, r.held.games = sum.Rows, games
	if sum.Rows == 0 && len(r.Validate) > 0 {
		return nil, fmt.Errorf("%w: nothing to measure on in %s: no row fits the network and the board size", ErrConfig, strings.Join(r.Validate, ", "))
	}
	if sum.Rows == 0 {
		r.heldEmpty = true
		r.Learn.Log.Warn("no rows are held back for validation: there are too few games", "share", r.Validation)
		return nil, nil
	}
	if !finite(float32(sum.Loss)) {
		return nil, fmt.Errorf("%w: on rows held back the loss is not a finite number", ErrDiverged)
	}
	kind := "validation"
	if average {
		kind = "averaged"
	}
	return &sum, r.metrics.write(kind, r.l.Counters(), &sum, 0)
}

// measureHeld evaluates up to ValidationRows of the held-back rows with a learner, and counts their
// games.
func (r *run) measureHeld(l *Learner, average bool) (sum Result, games int, err error) {
	s, err := r.heldStream(l)
	if err != nil {
		return sum, 0, err
	}
	defer s.Close()
	return l.evaluateSome(s, r.ValidationRows, average)
}

// evaluateSome evaluates batches of a stream until the first pass ends or the limit of rows (most) is
// reached, and counts their games.
func (l *Learner) evaluateSome(s *rows.Folder, most int, average bool) (sum Result, games int, err error) {
	var b rows.Batch
	told, untold := map[gameHash]bool{}, 0
	for sum.Rows < most {
		err := s.Next(&b)
		if errors.Is(err, rows.ErrNoRows) || err == nil && s.Passes() > 1 && sum.Rows > 0 {
			break
		}
		if err != nil {
			return sum, 0, err
		}
		res, err := l.Evaluate(&b, average)
		if err != nil {
			return sum, 0, err
		}
		sum.Add(&res)
		untold += countGames(told, &b)
	}
	return sum, len(told) + untold, nil
}

func (r *run) measureBeside() error {
	for _, path := range r.Beside {
		r.tell("measuring " + filepath.Base(path))
		c := Config{Model: path, Batch: r.Learn.Batch, Provider: r.Learn.Provider, Library: r.Learn.Library, Threads: r.Learn.Threads, Log: r.Learn.Log}
		l, err := New(c.WithDefaults())
		if err != nil {
			return fmt.Errorf("--beside: %w", err)
		}
		sum, _, err := r.measureHeld(l, false)
		l.Close()
		switch {
		case err != nil:
			return fmt.Errorf("--beside %s: %w", path, err)
		case sum.Rows == 0:
			return fmt.Errorf("%w: --beside %s: no row held back fits this network", ErrConfig, path)
		}
		r.report.Beside = append(r.report.Beside, Beside{path, sum})
	}
	return nil
}

// gameHash identifies the game of a row.
type gameHash [6]float32

// countGames adds the games of a batch, and returns the number of rows without a game's hash.
func countGames(games map[gameHash]bool, b *rows.Batch) (untold int) {
	for i := range b.N {
		h := gameHash(b.Globals[i*rows.Targets+rows.TargetHash:])
		if h == (gameHash{}) {
			untold++
			continue
		}
		games[h] = true
	}
	return untold
}

// speedometer measures samples a second over the latest steps.
type speedometer struct {
	at   []time.Time
	rows []int
}

const speedWindow = 20

func (s *speedometer) add(rows int, now time.Time) {
	s.at, s.rows = append(s.at, now), append(s.rows, rows)
	if len(s.at) > speedWindow {
		s.at, s.rows = s.at[1:], s.rows[1:]
	}
}

// rate returns samples a second; 0 before the second step.
func (s *speedometer) rate() float64 {
	if len(s.at) < 2 {
		return 0
	}
	sum := 0
	for _, n := range s.rows[1:] {
		sum += n
	}
	return float64(sum) / max(s.at[len(s.at)-1].Sub(s.at[0]).Seconds(), 1e-9)
}
