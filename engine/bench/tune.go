package bench

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

	"golang.org/x/sys/cpu"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/nn"
)

// Plan is the numbers of sessions, positions per batch and parallel evaluations.
type Plan struct {
	Sessions int `json:"sessions"`
	Batch    int `json:"batch"`
	Threads  int `json:"threads"`
}

// String returns the flags that set the plan.
func (p Plan) String() string {
	return fmt.Sprintf("--sessions %d --batch %d --threads %d", p.Sessions, p.Batch, p.Threads)
}

// Trial is the speed of a search with a plan.
type Trial struct {
	Plan
	Evals float64 `json:"search_evals_per_second"` // median of the rounds
	Ratio float64 `json:"to_default"`              // median of the rounds' ratios to the first plan
}

// Plans returns plans to try, first the given one. A CPU gets at most one session per core; a GPU
// needs few sessions and large batches.
func Plans(first Plan, onCPU bool) []Plan {
	all := []Plan{first}
	add := func(sessions, batch, rounds int) { // rounds is the number of batches under way per session
		p := Plan{sessions, batch, min(sessions*batch*rounds, 1024)}
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	if onCPU {
		cores := nn.Cores()
		for _, batch := range []int{4, 8, 16} {
			for _, rounds := range []int{1, 2, 3} {
				add(cores, batch, rounds)
			}
		}
		add((cores+1)/2, 8, 2) // one session per physical core, if each core has two threads
		return all
	}
	for _, sessions := range []int{1, 2, 3} {
		for _, batch := range []int{8, 16, 32, 64, 128} {
			add(sessions, batch, 2)
		}
	}
	return all
}

// Tune measures all plans in each of several rounds, so that changes in the machine's speed
// favour none. It calls started at the start of each round.
func (s *Setup) Tune(ctx context.Context, plans []Plan, started func(round int)) ([]Trial, error) {
	rates, ratios := make([][]float64, len(plans)), make([][]float64, len(plans))
	for round := range s.Rounds {
		started(round)
		for i, p := range plans {
			rate, err := s.rate(ctx, p)
			if err != nil {
				return nil, err
			}
			rates[i] = append(rates[i], rate)
			ratios[i] = append(ratios[i], rate/max(rates[0][round], 1e-9))
		}
	}
	trials := make([]Trial, len(plans))
	for i, p := range plans {
		trials[i] = Trial{p, Median(rates[i]), Median(ratios[i])}
	}
	return trials, nil
}

// rate measures a search with a plan.
func (s *Setup) rate(ctx context.Context, p Plan) (float64, error) {
	server, err := s.Serve(p)
	if err != nil {
		return 0, err
	}
	defer server.Close()
	_, evals, err := s.Search(server, p.Threads).Rate(ctx, s.Length)
	return evals, err
}

// nearly is the fraction of the highest speed that counts as equal to it.
const nearly = 0.97

// Best returns a plan nearly as fast as the fastest: the one with the fewest parallel evaluations,
// because parallel evaluations weaken a search.
func Best(all []Trial) Trial {
	top := slices.MaxFunc(all, func(a, b Trial) int { return cmp.Compare(a.Ratio, b.Ratio) })
	good := slices.DeleteFunc(slices.Clone(all), func(t Trial) bool { return t.Ratio < nearly*top.Ratio })
	return slices.MinFunc(good, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(a.Threads, b.Threads), cmp.Compare(b.Ratio, a.Ratio))
	})
}

// Tuned is the best plan, as stored for later starts.
type Tuned struct {
	Plan
	Subject
	Evals float64 `json:"search_evals_per_second"`
}

// Use is what a tuning is valid for: a network file ("" is the built-in one), a board size,
// provider, precision and this machine.
type Use struct {
	File                string
	Size                board.Size
	Provider, Precision string
}

// Path returns the tuning's file.
func (u Use) Path() (string, error) {
	base, err := file.Cache()
	if err != nil {
		return "", err
	}
	name, bytes := "embedded", int64(0)
	if u.File != "" {
		info, err := os.Stat(u.File)
		if err != nil {
			return "", err
		}
		name, bytes = filepath.Base(u.File), info.Size()
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s|%d|%v|%s|%s|%d|%s|%+v|%+v", name, bytes, u.Size,
		strings.ToLower(u.Provider), u.Precision, nn.Cores(), runtime.GOARCH, cpu.X86, cpu.ARM64))
	return filepath.Join(base, "tuning", fmt.Sprintf("%dx%d-%s.json", u.Size.W, u.Size.H, hex.EncodeToString(sum[:8]))), nil
}

// MakeFolder makes the folder that Keep writes to, so that an error comes before the measurements.
// It returns the tuning's file.
func (u Use) MakeFolder() (path string, err error) {
	if path, err = u.Path(); err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return "", fmt.Errorf("the result cannot be kept: %w", err)
	}
	return path, nil
}

// Keep stores a tuning for later starts.
func (u Use) Keep(t Tuned) error {
	path, err := u.MakeFolder()
	if err != nil {
		return err
	}
	return file.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(t) })
}

// Kept returns the stored tuning and its file; os.ErrNotExist if there is none.
func (u Use) Kept() (Tuned, string, error) {
	var t Tuned
	path, err := u.Path()
	if err != nil {
		return t, "", os.ErrNotExist // most likely the network file is missing; loading it reports that
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err == nil && (t.Sessions < 1 || t.Batch < 1 || t.Threads < 1) {
		err = errors.New("numbers below 1")
	}
	return t, path, err
}
