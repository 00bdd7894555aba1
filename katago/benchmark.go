package katago

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/sgf"
)

// Positions returns n positions evenly spread over the game of a record. If record is nil, it plays
// a game in which each move is the network's favourite.
func Positions(ctx context.Context, net nn.Evaluator, p search.Params, size board.Size, n int, record *sgf.Record) ([]*board.Game, error) {
	game, err := board.NewGame(size, board.TrompTaylor())
	if err != nil {
		return nil, err
	}
	var all []*board.Game
	if record != nil {
		for i := 1; ; i++ {
			g, err := record.Game(board.TrompTaylor(), i)
			if err != nil {
				return nil, err
			}
			if g.NumMoves() < i {
				break
			}
			all = append(all, g)
		}
	}
	var out nn.Output
	query := nn.Query{Game: game}
	if meta, set := p.Human.Meta(); set {
		query.Meta = &meta
	}
	for record == nil && len(all) < size.Area()/2 && !game.Finished() {
		if err := net.Evaluate(ctx, &query, &out); err != nil {
			return nil, err
		}
		best, legal := board.Pass, game.LegalMoves(nil)
		for p := range board.Point(size.Area()) {
			if legal[p] && (best == board.Pass || out.Policy[p] > out.Policy[best]) {
				best = p
			}
		}
		if err := game.Play(game.ToMove(), best); err != nil {
			return nil, err
		}
		all = append(all, game.Clone())
	}
	if len(all) == 0 {
		return nil, errors.New("the game has no moves")
	}
	var some []*board.Game
	for i := range n {
		some = append(some, all[min(len(all)-1, (2*i+1)*len(all)/(2*n))])
	}
	return some, nil
}

// Speed is the result of a benchmark with one number of threads.
type Speed struct {
	threads               int
	visits, rows, batches int64
	seconds               float64
}

func (k Speed) rate(n int64) float64 { return float64(n) / max(k.seconds, 1e-9) }

// elo estimates the Elo advantage of k over another setting if both have the given seconds for each
// move: 250 points per doubling of visits, less 7 per thread at 800 visits, since parallel threads
// search worse.
func (k Speed) elo(than Speed, move float64) float64 {
	value := func(s Speed) float64 {
		visits := max(1, s.rate(s.visits)*move)
		return 250*math.Log2(visits) - 7*float64(s.threads)*math.Pow(1600/(800+visits), 0.85)
	}
	return value(k) - value(than)
}

// Measure searches each position with this number of threads and visits, and prints its progress to w.
func Measure(ctx context.Context, net nn.Network, p search.Params, threads int, visits int64, positions []*board.Game, w io.Writer) (Speed, error) {
	p.Parallel.Workers = threads
	tree, err := search.New(p, net, nil)
	if err != nil {
		return Speed{}, err
	}
	net.ClearCache()
	k := Speed{threads: threads}
	before, began := net.Stats(), time.Now()
	progress := func(i int, end string) {
		k.seconds = time.Since(began).Seconds()
		fmt.Fprintf(w, "\rnumSearchThreads = %2d: %d / %d positions, visits/s = %.2f (%.1f secs)      %s", threads, i, len(positions), k.rate(k.visits), k.seconds, end)
	}
	progress(0, "")
	for i, g := range positions {
		tree.Reset(g)
		r, err := tree.Search(ctx, search.Limits{Visits: visits})
		if err != nil {
			return k, err
		}
		k.visits += r.Root.Visits
		if ctx.Err() != nil {
			return k, context.Cause(ctx)
		}
		progress(i+1, "")
	}
	work := net.Stats().Sub(before)
	k.rows, k.batches = int64(work.Rows), int64(work.Batches)
	return k, nil
}

// Line returns KataGo's line of text for the result.
func (k Speed) Line(positions int) string {
	return fmt.Sprintf("\rnumSearchThreads = %2d: %d / %d positions, visits/s = %.2f nnEvals/s = %.2f nnBatches/s = %.2f avgBatchSize = %.2f (%.1f secs)",
		k.threads, positions, positions, k.rate(k.visits), k.rate(k.rows), k.rate(k.batches), float64(k.rows)/float64(max(1, k.batches)), k.seconds)
}

// Report measures each number of threads and recommends the best.
func Report(ctx context.Context, net nn.Network, p search.Params, threads []int, visits int64, move float64, positions []*board.Game, w io.Writer) error {
	var all []Speed
	var gains []float64 // Elo from the first setting to each
	for _, n := range threads {
		k, err := Measure(ctx, net, p, n, visits, positions, w)
		if err != nil {
			return err
		}
		all = append(all, k)
		gains = append(gains, k.elo(all[0], move))
		fmt.Fprintf(w, "%s (EloDiff %+.0f)\n", k.Line(len(positions)), gains[len(gains)-1])
	}
	best := slices.Index(gains, slices.Max(gains))
	fmt.Fprint(w, "\n\nOrdered summary of results: \n\n")
	for i, k := range all {
		gain := "   (baseline)"
		if i > 0 {
			gain = fmt.Sprintf(" %+5.0f Elo", gains[i])
		}
		if i == best {
			gain += " (recommended)"
		}
		fmt.Fprintf(w, "numSearchThreads = %2d:%s\n", k.threads, gain)
	}
	fmt.Fprintf(w, "\nSo APPROXIMATELY based on this benchmark, if you intend to do a %g second search: \nnumSearchThreads = %d is recommended\n", move, all[best].threads)
	return nil
}

// Threads reads a list of numbers of threads. Without a list it returns the powers of two up to the
// argument suits, the best number for this machine.
func Threads(list string, suits int) ([]int, error) {
	var all []int
	if list == "" {
		for n := 1; n <= max(1, suits); n *= 2 {
			all = append(all, n)
		}
		return all, nil
	}
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > 4096 {
			return nil, fmt.Errorf("-threads %s: numbers from 1 to 4096, separated by commas", list)
		}
		all = append(all, n)
	}
	return all, nil
}

// RecordFile reads the game to take positions from; nil if name is empty.
func RecordFile(name string) (*sgf.Record, error) {
	if name == "" {
		return nil, nil
	}
	data, err := file.Read(name, 16<<20)
	if err != nil {
		return nil, err
	}
	trees, err := sgf.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	trees[0].Remove("GM") // KataGo takes every game for Go
	return sgf.RecordOf(trees[0])
}

// Benchmark answers kata-benchmark: it measures one number of threads on positions of a game that the
// network plays against itself.
func Benchmark(ctx context.Context, net nn.Network, p search.Params, threads int, size board.Size, visits int64, w io.Writer) error {
	const n = 10
	positions, err := Positions(ctx, net, p, size, n, nil)
	if err != nil {
		return err
	}
	speed, err := Measure(ctx, net, p, threads, visits, positions, w)
	if err == nil {
		_, err = fmt.Fprintln(w, speed.Line(n))
	}
	return err
}
