package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/katagocfg"
	"kosumi/nn"
	"kosumi/search"
	"kosumi/sgf"
)

// kataPositions returns positions of a game, evenly spread: of a record, or of one
// that the network plays with itself, always the move that it likes best.
func kataPositions(ctx context.Context, net nn.Evaluator, size board.Size, n int, record *sgf.Record) ([]*board.Game, error) {
	game, err := board.NewGame(size, board.TrompTaylor())
	if err != nil {
		return nil, err
	}
	var all []*board.Game
	keep := func(g *board.Game) {
		c := new(board.Game)
		c.CopyFrom(g)
		all = append(all, c)
	}
	if record != nil {
		for i := 1; ; i++ {
			g, err := record.Game(board.TrompTaylor(), i)
			if err != nil {
				return nil, err
			}
			if g.NumMoves() < i {
				break
			}
			keep(g)
		}
	}
	var out nn.Output
	for record == nil && len(all) < size.Area()/2 && !game.Finished() {
		if err := net.Evaluate(ctx, &nn.Query{Game: game}, &out); err != nil {
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
		keep(game)
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

// kataSpeed is what one setting of a benchmark gave.
type kataSpeed struct {
	threads               int
	visits, rows, batches int64
	seconds               float64
}

func (k kataSpeed) rate(n int64) float64 { return float64(n) / max(k.seconds, 1e-9) }

// elo estimates what a setting is worth over another: 250 points for each doubling
// of visits, less 7 for each thread, which searches as if it knew less of the
// others, at the number of visits that a move of so many seconds has.
func (k kataSpeed) elo(than kataSpeed, move float64) float64 {
	value := func(s kataSpeed) float64 {
		visits := max(1, s.rate(s.visits)*move)
		return 250*math.Log2(visits) - 7*float64(s.threads)*math.Pow(1600/(800+visits), 0.85)
	}
	return value(k) - value(than)
}

// kataMeasure searches positions and writes how far it is.
func kataMeasure(ctx context.Context, net *network, p search.Params, threads int, visits int64, positions []*board.Game, w io.Writer) (kataSpeed, error) {
	p.Parallel.Workers = threads
	tree, err := search.New(p, net, nil)
	if err != nil {
		return kataSpeed{}, err
	}
	net.ClearCache()
	k := kataSpeed{threads: threads}
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

// line is what is said of a setting once it is measured.
func (k kataSpeed) line(positions int) string {
	return fmt.Sprintf("\rnumSearchThreads = %2d: %d / %d positions, visits/s = %.2f nnEvals/s = %.2f nnBatches/s = %.2f avgBatchSize = %.2f (%.1f secs)",
		k.threads, positions, positions, k.rate(k.visits), k.rate(k.rows), k.rate(k.batches), float64(k.rows)/float64(max(1, k.batches)), k.seconds)
}

// benchmark is kata-benchmark.
func (k *kataSeat) benchmark(ctx context.Context, size board.Size, visits int64, w io.Writer) error {
	const n = 10
	positions, err := kataPositions(ctx, k.net, size, n, nil)
	if err != nil {
		return err
	}
	speed, err := kataMeasure(ctx, k.net, k.settings.params(), int(k.play.Search["numSearchThreads"].Int), visits, positions, w)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, speed.line(n))
	return err
}

// kataBenchmark is katago benchmark.
func kataBenchmark(ctx context.Context, f *kataFlags) error {
	c, err := f.config(kataStandIn)
	if err != nil {
		return err
	}
	g, err := c.GTP(false, func(string) {})
	if err != nil {
		return err
	}
	s, _, err := kataSettings(&g, c)
	if err != nil {
		return err
	}
	s.Model = f.model()
	quiet := &kataLog{conf: katagocfg.Log{}, stderr: os.Stderr}
	s.stderr = quiet.logger(false)
	side, err := f.number("boardsize", 19)
	if err == nil && (side < 7 || side > 19) {
		err = fmt.Errorf("getBenchmarkSGFData: unsupported board size: %d", side)
	}
	visits, errV := f.number("visits", 80)
	count, errN := f.number("numpositions", 10)
	batch, errB := f.number("fixed-batch-size", 0)
	move, errT := 5.0, error(nil)
	if text, ok := f.texts["time"]; ok {
		move, errT = strconv.ParseFloat(text, 64)
	}
	threads, errL := kataThreads(f.texts["threads"], s.workers())
	if err := errors.Join(err, errV, errN, errB, errT, errL); err != nil {
		return err
	}
	if batch > 0 {
		s.Batch = batch
	}
	fmt.Println("Loading model and initializing benchmark...")
	net := openNetwork(&s, board.Square(side), s.stderr)
	if err := net.wait(); err != nil {
		return err
	}
	defer net.Close()
	record, err := kataRecordFile(f.texts["sgf"])
	if err != nil {
		return err
	}
	size := board.Square(side)
	if record != nil {
		size = record.Size
	}
	positions, err := kataPositions(ctx, net, size, count, record)
	if err != nil {
		return err
	}
	d := net.model.Describe()
	current := int(g.Play.Search["numSearchThreads"].Int)
	fmt.Printf("Testing using %d visits.\n\nYour GTP config is currently set to use numSearchThreads = %d\n\n", visits, current)
	fmt.Printf("You are currently using the %s version of KataGo.\n\n", fmt.Sprintf("Kosumi %s (%s, %s)", version, d.Provider, d.Precision))
	if f.texts["threads"] == "" {
		fmt.Println("Automatically trying different numbers of threads to home in on the best:")
	}
	fmt.Printf("Possible numbers of threads to test: %s\n\n", strings.Trim(fmt.Sprint(threads), "[]"))
	return kataReport(ctx, net, s.params(), threads, int64(visits), move, positions)
}

// kataReport measures every number of threads and says which is best.
func kataReport(ctx context.Context, net *network, p search.Params, threads []int, visits int64, move float64, positions []*board.Game) error {
	var all []kataSpeed
	for _, n := range threads {
		k, err := kataMeasure(ctx, net, p, n, visits, positions, os.Stdout)
		if err != nil {
			return err
		}
		all = append(all, k)
		fmt.Printf("%s (EloDiff %+.0f)\n", k.line(len(positions)), k.elo(all[0], move))
	}
	best := 0
	for i := range all {
		if all[i].elo(all[0], move) > all[best].elo(all[0], move) {
			best = i
		}
	}
	fmt.Print("\n\nOrdered summary of results: \n\n")
	for i, k := range all {
		gain := "   (baseline)"
		if i > 0 {
			gain = fmt.Sprintf(" %+5.0f Elo", k.elo(all[0], move))
		}
		if i == best {
			gain += " (recommended)"
		}
		fmt.Printf("numSearchThreads = %2d:%s\n", k.threads, gain)
	}
	fmt.Printf("\nSo APPROXIMATELY based on this benchmark, if you intend to do a %g second search: \nnumSearchThreads = %d is recommended\n", move, all[best].threads)
	return nil
}

// kataThreads reads numbers of threads; without any, powers of two up to what suits
// this machine.
func kataThreads(list string, suits int) ([]int, error) {
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

// kataRecordFile reads the game to take positions from; nil if none is named.
func kataRecordFile(name string) (*sgf.Record, error) {
	if name == "" {
		return nil, nil
	}
	data, err := file.Read(name, 16<<20)
	if err != nil {
		return nil, err
	}
	trees, err := sgf.Parse(data)
	if err == nil && len(trees) == 0 {
		err = errors.New("it holds no game")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return sgf.RecordOf(trees[0])
}
