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
func onDevice(provider string) bool {
	return provider != ort.CPU && (slices.Contains(ort.ProviderNames(), provider) || provider != "" && provider == ort.PluginProvider())
}

// plan is how many sessions of how many positions keep a provider busy, and how many
// batches a device is given at a time; 0 of the cores. CUDA queues them: so the next one is
// there when one ends, and a third is made ready meanwhile. Others are given one at a time:
// by WebGPU two would crash (github.com/microsoft/onnxruntime/issues/32561).
func plan(provider string) (sessions, batch, atOnce int) {
	switch {
	case provider == "cuda" || provider == "tensorrt":
		return 3, 64, 2
	case onDevice(provider):
		return 2, 64, 1
	}
	return nn.Cores(), 8, 0
}

// choice is what auto has chosen, and why.
type choice struct {
	Device string `json:"device"` // provider; "" is the CPU, by whatever is best there
	Why    string `json:"why"`
}

// Time that is spent on measuring, all providers together, and that a device may take
// until it is ready to be measured.
const (
	measureFor = 3 * time.Second
	readyIn    = 20 * time.Second
)

// chooser chooses a device, or none, for a network.
type chooser struct {
	conf Config
	lib  ort.Library
	file string // of the network; "" is the one inside the program
	open func() (source, error)
	// rate measures a provider in so much time, the CPU by the name ""; measured unless a
	// test says otherwise.
	rate func(ctx context.Context, src source, provider string, length time.Duration) (float64, error)
}

// chooseDevice settles what auto is for the network in a file, which open opens. Nothing
// is loaded where no device is to be expected.
func chooseDevice(c Config, file string, open func() (source, error)) (choice, error) {
	none := choice{Why: "it needs no library"}
	lib, err := ort.Find(c.Library)
	switch {
	case c.Plugin != "":
		if lib, err = ort.Need("--plugin is a part of it", "", c.Library); err == nil {
			err = ort.Register(c.Library, c.Plugin)
		}
	case err != nil && c.Library == "" && (os.Getenv(ort.EnvLibrary) == "" || !ort.Available):
		return none, nil
	case err == nil && !slices.ContainsFunc(devices, func(name string) bool { return ort.Plausible(lib, name) }):
		return none, nil
	case err == nil:
		lib, err = ort.Load(c.Library)
	}
	if err != nil { // an explicit choice is never replaced
		return none, fmt.Errorf("%w: %w", ErrProvider, err)
	}
	none.Why = "no GPU provider works here"
	ch := &chooser{conf: c, lib: lib, file: file, open: open}
	ch.rate = ch.measured
	if names := ch.candidates(); len(names) > 0 {
		return ch.choose(names), nil
	}
	return none, nil
}

// candidates lists the devices' providers that work here.
func (c *chooser) candidates() (names []string) {
	if c.conf.Plugin != "" {
		names = append(names, ort.PluginProvider())
	}
	for _, name := range devices {
		if !slices.Contains(names, name) && ort.Plausible(c.lib, name) && ort.Offers(c.conf.Library, name) == nil && (name != "webgpu" || c.hasGPU(name)) {
			names = append(names, name)
		}
	}
	return names
}

// hasGPU reports whether a provider has found a GPU. WebGPU also takes a program that
// computes as one would, on the CPU: many times slower, and some of them crash.
func (c *chooser) hasGPU(provider string) bool {
	offers, err := ort.Devices(c.conf.Library)
	return err == nil && slices.ContainsFunc(offers, func(o ort.Offer) bool { return o.Provider == provider && o.Kind == "gpu" })
}

// choose returns the device that is faster than the CPU, or none: what was measured at an
// earlier start if nothing has changed since, else it measures.
func (c *chooser) choose(names []string) choice {
	at, err := c.keptAt(names)
	if err == nil {
		var kept choice
		if data, err := os.ReadFile(at); err == nil && json.Unmarshal(data, &kept) == nil && (kept.Device == "" || onDevice(kept.Device)) {
			return kept
		}
		// A driver that crashes while it is measured does so once.
		err = keep(at, choice{Why: "an earlier start ended while it measured " + strings.Join(names, ", ") + "; remove " + at + " to measure again"})
	}
	found := c.measure(names)
	if err == nil {
		err = keep(at, found)
	}
	if err != nil {
		c.conf.Log.Warn("which provider is faster cannot be kept for later starts", "error", err)
	}
	return found
}

// keep writes a choice for later starts.
func keep(at string, found choice) error {
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return file.Write(at, func(w io.Writer) error { return json.NewEncoder(w).Encode(found) })
}

// keptAt names the file of what was measured for this network, library, plugin, machine
// and board.
func (c *chooser) keptAt(names []string) (string, error) {
	base, err := file.Cache()
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
	fmt.Fprint(key, names, c.conf.Device, c.conf.Size, c.conf.Precision, nn.Cores(), runtime.GOARCH, cpu.X86, cpu.ARM64)
	return filepath.Join(base, "tuning", "provider-"+hex.EncodeToString(key.Sum(nil)[:8])+".json"), nil
}

// measure lets the CPU and the devices compute in turn, and says what came out.
func (c *chooser) measure(names []string) choice {
	src, err := c.open()
	if err != nil {
		return choice{Why: "no device was measured"} // who opens the network says why
	}
	all := append([]string{""}, names...)
	c.conf.Log.Info(fmt.Sprintf("measuring which is faster, the CPU or %s: %v, once", strings.Join(names, " or "), measureFor))
	best, rates, texts := 0, make([]float64, len(all)), make([]string, len(all))
	for i, name := range all {
		ctx, cancel := context.WithTimeout(context.Background(), readyIn)
		rates[i], err = c.rate(ctx, src, name, measureFor/time.Duration(len(all)))
		cancel()
		name = cmp.Or(name, "the CPU")
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			texts[i] = fmt.Sprintf("%s was not ready after %v", name, readyIn)
		case err != nil:
			texts[i] = name + " failed"
			c.conf.Log.Warn(name+" works here but not with this network", "error", withAdvice(err))
		default:
			texts[i] = fmt.Sprintf("%s %.0f", name, rates[i])
		}
		if rates[i] > rates[best] {
			best = i
		}
	}
	found := choice{all[best], "the fastest here, in evaluations a second: " + strings.Join(texts, ", ")}
	c.conf.Log.Info(fmt.Sprintf("%s is %s", cmp.Or(found.Device, "the CPU"), found.Why))
	return found
}

// measured returns how many evaluations a second a provider makes, with the sessions
// and batches that suit it. A device that is not ready when the context ends is left
// alone to finish what it does.
func (c *chooser) measured(ctx context.Context, src source, provider string, length time.Duration) (float64, error) {
	var run runner = newOrtRunner(c.conf, provider, c.lib, "")
	var err error
	if provider == "" {
		if run, err = processorRunner(c.conf, src, ""); err != nil {
			return 0, err
		}
	}
	m := &Model{conf: c.conf, source: src, run: run, specs: map[board.Size]nn.Spec{}}
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
	sessions, batch, _ := plan(m.run.name())
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
	if found, err := chooseDevice(c, s.Model, func() (source, error) { return openSource(s.Model, c.Overrides) }); err == nil {
		s.auto = &found
	}
}

func isAuto(provider string) bool { return provider == "" || strings.EqualFold(provider, "auto") }
