package model

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/cpu"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/nn"
	"kosumi/nn/ort"
)

// devices lists the providers that auto measures beside the CPU where they work.
var devices = []string{"cuda", "coreml", "directml", "webgpu"}

// onDevice reports whether a provider computes elsewhere than on the processor's cores.
func onDevice(provider string) bool { return provider != ort.CPU && provider != OnnxGo }

// plan is how many sessions of how many positions keep a provider busy. A device
// computes one batch after the other: two sessions, so that one is made ready meanwhile.
func plan(provider string) (sessions, batch int) {
	if onDevice(provider) {
		return 2, 64
	}
	return runtime.NumCPU(), 8
}

// choice is what auto has chosen, and why.
type choice struct {
	Provider string `json:"provider"`
	Why      string `json:"why"`
}

// Time that is spent on measuring, all providers together, and that a device may take
// until it is ready to be measured.
const (
	measureFor = 3 * time.Second
	readyIn    = 20 * time.Second
)

// chooser chooses a provider for a network.
type chooser struct {
	conf Config
	lib  ort.Library
	file string // of the network; "" is the one inside the program
	open func() (source, error)
	// rate measures a provider in so much time; measured unless a test says otherwise.
	rate func(ctx context.Context, src source, provider string, length time.Duration) (float64, error)
}

// candidates lists the devices' providers that work here.
func (c *chooser) candidates() (names []string) {
	if c.conf.Plugin != "" {
		names = append(names, ort.PluginProvider())
	}
	for _, name := range devices {
		if !slices.Contains(names, name) && ort.Offers(c.conf.Library, name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// choose returns the provider that is fastest here: the CPU if no device works, what was
// measured at an earlier start if nothing has changed since, else it measures.
func (c *chooser) choose(names []string) choice {
	if len(names) == 0 {
		return choice{ort.CPU, "no GPU provider works here"}
	}
	at, err := c.keptAt(names)
	if err == nil {
		var kept choice
		if data, err := os.ReadFile(at); err == nil && json.Unmarshal(data, &kept) == nil && (kept.Provider == ort.CPU || onDevice(kept.Provider)) {
			return kept
		}
	}
	found := c.measure(names)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(at), 0o755)
	}
	if err == nil {
		err = file.Write(at, func(w io.Writer) error { return json.NewEncoder(w).Encode(found) })
	}
	if err != nil {
		c.conf.Log.Warn("which provider is faster cannot be kept for later starts", "error", err)
	}
	return found
}

// keptAt names the file of what was measured for this network, library, plugin, machine
// and board.
func (c *chooser) keptAt(names []string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	key := sha256.New()
	for _, path := range []string{c.file, c.lib.Path, c.conf.Plugin} {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprint(key, filepath.Base(path), info.Size(), info.ModTime().Unix())
		}
	}
	offers, err := ort.Devices(c.conf.Library)
	if err != nil {
		return "", err
	}
	for _, o := range offers {
		fmt.Fprint(key, o.Provider, o.Kind, o.Name)
	}
	fmt.Fprint(key, names, c.conf.Device, c.conf.Size, c.conf.Precision, runtime.NumCPU(), runtime.GOARCH, cpu.X86, cpu.ARM64)
	return filepath.Join(base, "kosumi", "tuning", "provider-"+hex.EncodeToString(key.Sum(nil)[:8])+".json"), nil
}

// measure lets the CPU and the devices compute in turn, and says what came out.
func (c *chooser) measure(names []string) choice {
	src, err := c.open()
	if err != nil {
		return choice{ort.CPU, "no device was measured"} // who opens the network says why
	}
	all := append([]string{ort.CPU}, names...)
	c.conf.Log.Info(fmt.Sprintf("measuring which is faster, %s: %v, once", strings.Join(all, " or "), measureFor))
	best, rates, texts := 0, make([]float64, len(all)), make([]string, len(all))
	for i, name := range all {
		ctx, cancel := context.WithTimeout(context.Background(), readyIn)
		rates[i], err = c.rate(ctx, src, name, measureFor/time.Duration(len(all)))
		cancel()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			texts[i] = fmt.Sprintf("%s was not ready after %v", name, readyIn)
		case err != nil:
			texts[i] = name + " failed"
			c.conf.Log.Warn(name+" works here but not with this network", "error", err)
		default:
			texts[i] = fmt.Sprintf("%s %.0f", name, rates[i])
		}
		if rates[i] > rates[best] {
			best = i
		}
	}
	found := choice{all[best], "the fastest here, in evaluations a second: " + strings.Join(texts, ", ")}
	c.conf.Log.Info(fmt.Sprintf("%s is %s", found.Provider, found.Why))
	return found
}

// measured returns how many evaluations a second a provider makes, with the sessions
// and batches that suit it. A device that is not ready when the context ends is left
// alone to finish what it does.
func (c *chooser) measured(ctx context.Context, src source, provider string, length time.Duration) (float64, error) {
	m := &Model{conf: c.conf, source: src, run: newOrtRunner(c.conf, provider, c.lib, ""), specs: map[board.Size]nn.Spec{}}
	var err error
	if m.precision, _, err = precisionOf(c.conf, src, m.run); err != nil {
		return 0, err
	}
	type answer struct {
		rate float64
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		rate, err := m.rate(ctx, length)
		done <- answer{rate, err}
	}()
	select {
	case a := <-done:
		return a.rate, a.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// rate opens sessions and lets them run.
func (m *Model) rate(ctx context.Context, length time.Duration) (float64, error) {
	size := m.conf.Size
	if size == (board.Size{}) || m.Serves(size) != nil {
		size = board.Square(19)
		if one, ok := m.source.(*onnxSource); ok && one.only.Sizes.Fixed != (board.Size{}) {
			size = one.only.Sizes.Fixed
		}
	}
	sessions, batch := plan(m.run.name())
	var all []nn.Backend
	defer func() {
		for _, b := range all {
			b.Close()
		}
	}()
	for range sessions {
		b, err := m.openOn(m.run, m.precision, size, batch)
		if err != nil {
			return 0, err
		}
		all = append(all, b)
		for _, in := range b.Inputs() { // planes are mostly 0: a third of them 1 is what kernels meet
			for i := range in {
				if i%3 == 0 {
					in[i] = 1
				}
			}
		}
		if err := b.Run(batch); err != nil {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	var wg sync.WaitGroup
	runs, errs := make([]int, len(all)), make([]error, len(all))
	start := time.Now()
	for i, b := range all {
		wg.Go(func() {
			for runs[i] == 0 || time.Since(start) < length && errs[i] == nil && ctx.Err() == nil {
				errs[i] = b.Run(batch)
				runs[i]++
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range runs {
		total += n * batch
	}
	return float64(total) / time.Since(start).Seconds(), errors.Join(errs...)
}

// Settle finds out which provider "auto" is for this network on boards of a size, so that
// the numbers of sessions and positions that nobody set suit it. It asks for devices, and
// measures for some seconds where there is one that was not measured before. Whatever
// fails is reported where the network is opened.
func (s *Settings) Settle(size board.Size, log *slog.Logger) {
	if !isAuto(s.Provider) || s.auto != nil {
		return
	}
	c := s.Config(cmp.Or(log, slog.New(slog.DiscardHandler)))
	c.Size = size
	lib, err := ort.Load(c.Library)
	if err == nil && c.Plugin != "" {
		err = ort.Register(c.Library, c.Plugin)
	}
	if err != nil {
		return
	}
	ch := newChooser(c, lib, s.Model, func() (source, error) { return openSource(s.Model, c.Overrides) })
	found := ch.choose(ch.candidates())
	s.auto = &found
}

func isAuto(provider string) bool { return provider == "" || strings.EqualFold(provider, "auto") }

func newChooser(c Config, lib ort.Library, file string, open func() (source, error)) *chooser {
	ch := &chooser{conf: c, lib: lib, file: file, open: open}
	ch.rate = ch.measured
	return ch
}
