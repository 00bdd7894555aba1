package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/search"
)

// plan is how a network is put to use.
type plan struct {
	Sessions int `json:"sessions"`
	Batch    int `json:"batch"`
	Threads  int `json:"threads"`
}

func (p plan) String() string {
	return fmt.Sprintf("--sessions %d --batch %d --threads %d", p.Sessions, p.Batch, p.Threads)
}

// tuned is what `engine benchmark --tune` found, as it is kept for later starts.
type tuned struct {
	plan
	Model     string  `json:"model"`
	Board     string  `json:"board"`
	Provider  string  `json:"provider"`
	Precision string  `json:"precision"`
	Evals     float64 `json:"search_evals_per_second"`
}

// tuningTrial is the speed of a search with a plan.
type tuningTrial struct {
	plan
	Evals float64 `json:"search_evals_per_second"` // median of the rounds
	Ratio float64 `json:"to_default"`              // median of the rounds' ratios to the default plan
}

// defaultPlan is what is used where nothing was tuned or asked for.
func (s *settings) defaultPlan() plan {
	d := settings{}
	return plan{d.sessionCount(), d.batchSize(), d.workers()}
}

// use puts a plan into the settings.
func (s *settings) use(p plan) {
	s.Sessions, s.Batch, s.Play.Search.Parallel.Workers = p.Sessions, p.Batch, p.Threads
}

// plans are tried by --tune, the default first. On a CPU the sessions are at most
// one for each core; a GPU needs few of them and large batches.
func plans(first plan, provider string) []plan {
	all := []plan{first}
	add := func(sessions, batch, rounds int) { // rounds batches for each session under way
		p := plan{sessions, batch, min(sessions*batch*rounds, 1024)}
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	if provider == "cpu" || provider == model.OnnxGo {
		cores := runtime.NumCPU()
		for _, batch := range []int{4, 8, 16} {
			for _, rounds := range []int{1, 2, 3} {
				add(cores, batch, rounds)
			}
		}
		add((cores+1)/2, 8, 2) // for cores that are halves of one
		return all
	}
	for _, sessions := range []int{1, 2, 3} {
		for _, batch := range []int{8, 16, 32, 64, 128} {
			add(sessions, batch, 2)
		}
	}
	return all
}

// tune tries plans in turns and keeps the one with the fewest evaluations under
// way, which is best for the search, among those that are nearly as fast as the
// fastest.
func (out *benchmark) tune(ctx context.Context, s *settings, m *model.Model, games []*board.Game, length time.Duration) error {
	params := s.params()
	params.Seed = 1
	all := plans(s.defaultPlan(), out.Provider)
	rates, ratios := make([][]float64, len(all)), make([][]float64, len(all))
	for round := range out.Rounds {
		s.stderr.Info(fmt.Sprintf("trying %d settings, round %d of %d", len(all), round+1, out.Rounds))
		for i, p := range all {
			rate, err := p.rate(ctx, s, m, games, params, length)
			if err != nil {
				return err
			}
			rates[i] = append(rates[i], rate)
			ratios[i] = append(ratios[i], rate/max(rates[0][round], 1e-9))
		}
	}
	for i, p := range all {
		out.Tuning = append(out.Tuning, tuningTrial{p, median(rates[i]), median(ratios[i])})
	}
	best := choosePlan(out.Tuning)
	s.use(best.plan)
	out.Recommended = best.plan.String()
	return s.keepTuning(games[0].Size(), tuned{plan: best.plan, Model: out.Model, Board: out.Board, Provider: out.Provider, Precision: out.Precision, Evals: best.Evals})
}

// nearly is the share of the fastest plan's speed that is as good.
const nearly = 0.97

func choosePlan(all []tuningTrial) tuningTrial {
	top := slices.MaxFunc(all, func(a, b tuningTrial) int { return cmp.Compare(a.Ratio, b.Ratio) })
	good := slices.DeleteFunc(slices.Clone(all), func(t tuningTrial) bool { return t.Ratio < nearly*top.Ratio })
	return slices.MinFunc(good, func(a, b tuningTrial) int {
		return cmp.Or(cmp.Compare(a.Threads, b.Threads), cmp.Compare(b.Ratio, a.Ratio))
	})
}

// rate is the speed of a search with a plan.
func (p plan) rate(ctx context.Context, s *settings, m *model.Model, games []*board.Game, params search.Params, length time.Duration) (float64, error) {
	conf := s.serverConfig()
	conf.Sessions, conf.MaxBatch = p.Sessions, p.Batch
	server, err := nn.NewServer(m, conf)
	if err != nil {
		return 0, err
	}
	defer server.Close()
	if err := server.Warm(games[0].Size()); err != nil {
		return 0, err
	}
	params.Parallel.Workers = p.Threads
	run := searchRun{server: server, games: games, params: params}
	_, evals, err := run.rate(ctx, length)
	return evals, err
}

// tuningPath says where the result for a network on boards of a size is kept. The
// name stands for the network's file, how it is to run, and this machine.
func (s *settings) tuningPath(size board.Size) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name, bytes := "embedded", int64(0)
	if s.Model != "" {
		info, err := os.Stat(s.Model)
		if err != nil {
			return "", err
		}
		name, bytes = filepath.Base(s.Model), info.Size()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d|%v|%s|%s|%d|%s|%+v|%+v", name, bytes, size,
		strings.ToLower(s.Provider), s.Precision, runtime.NumCPU(), runtime.GOARCH, cpu.X86, cpu.ARM64))
	return filepath.Join(base, "kosumi", "tuning", fmt.Sprintf("%dx%d-%s.json", size.W, size.H, hex.EncodeToString(sum[:8]))), nil
}

// keepTuning writes the result for later starts.
func (s *settings) keepTuning(size board.Size, t tuned) error {
	path, err := s.tuningPath(size)
	if err != nil {
		return fmt.Errorf("the result cannot be kept: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("the result cannot be kept: %w", err)
	}
	return file.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(t) })
}

// useTuning takes over what an earlier `engine benchmark --tune` found for this
// network, machine and board, where none of --sessions, --batch and --threads
// was given.
func (s *settings) useTuning(size board.Size) {
	if s.Sessions != 0 || s.Batch != 0 || s.Play.Search.Parallel.Workers != 0 {
		return
	}
	path, err := s.tuningPath(size)
	if err != nil {
		return
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	var t tuned
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	with := *s
	with.use(t.plan)
	if err == nil && (t.Sessions < 1 || t.Batch < 1 || t.Threads < 1) {
		err = errors.New("numbers below 1")
	}
	if err == nil {
		err = errors.Join(append(table.Check(&with), with.check())...)
	}
	if err != nil {
		s.stderr.Warn("what engine benchmark --tune kept cannot be used", "file", path, "error", err)
		return
	}
	s.use(t.plan)
	s.stderr.Debug("settings by engine benchmark --tune", "settings", t.plan)
}
