package model

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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

// devices lists the providers that "auto" measures in addition to the CPU, if they work here.
var devices = []string{"cuda", "coreml", "directml", "webgpu"}

// onDevice reports whether a provider computes on a device, not on the processor's cores.
func onDevice(provider string) bool {
	return provider != ort.CPU && (slices.Contains(ort.ProviderNames(), provider) || provider != "" && provider == ort.PluginProvider())
}

// plan returns the number of sessions and the batch size that keep a provider busy, and
// how many batches a device runs at a time; 0 for cores. CUDA gets two, so that the
// second starts as soon as the first ends, and a third session prepares its batch
// meanwhile. Other devices get one: two crash WebGPU
// (github.com/microsoft/onnxruntime/issues/32561).
func plan(provider string) (sessions, batch, atOnce int) {
	switch {
	case provider == "cuda" || provider == "tensorrt":
		return 3, 64, 2
	case onDevice(provider):
		return 2, 64, 1
	}
	return nn.Cores(), 8, 0
}

// choice is the device that auto has chosen, or the mark of a start that crashed or hung.
type choice struct {
	Device string `json:"device"` // provider; "" is the CPU
	Why    string `json:"why"`
	// Offers lists the devices that existed when auto measured them; "" if it has not measured.
	// Loaded is only set in marks: whether library and plugin could be loaded.
	Offers string `json:"offers,omitempty"`
	Loaded bool   `json:"loaded,omitempty"`
}

// The time for measuring all providers together, and the time limit for a device to open its
// sessions before the measurement.
const (
	measureFor = 3 * time.Second
	readyIn    = 20 * time.Second
)

// chooser chooses a device or the CPU for a network.
type chooser struct {
	conf Config
	lib  ort.Library
	file string // network file; "" is the built-in network
	open func() (source, error)
	// Files for later starts, "" if the cache folder cannot be made: the choice, and marks
	// that exist while library and plugin are loaded and while devices are measured. If a mark
	// of an earlier start is still there, that start crashed or hung at this step.
	result, loading, measuring string
	// Tests replace these.
	load       func() error
	candidates func() ([]string, error)
	rate       func(ctx context.Context, src source, provider string, length time.Duration) (float64, error)
}

// chooseDevice chooses the provider of "auto" for the network in a file; open reads the network. It
// loads nothing if the system shows no sign of a device.
func chooseDevice(c Config, file string, open func() (source, error)) (choice, error) {
	lib, err := ort.Find(c.Library)
	named := c.Library != "" || os.Getenv(ort.EnvLibrary) != "" && ort.Available
	switch {
	case c.context().Err() != nil:
		return choice{}, c.context().Err()
	case c.Plugin != "" && err != nil:
		lib, err = ort.Need("--plugin is a part of it", "", c.Library)
	case c.Plugin == "" && err != nil && !named,
		c.Plugin == "" && err == nil && !(ort.Available && slices.ContainsFunc(devices, func(name string) bool { return ort.Plausible(lib, name) })):
		return choice{Why: "it needs no library"}, nil
	}
	if err != nil {
		return choice{}, fmt.Errorf("%w: %w", ErrProvider, err)
	}
	ch := &chooser{conf: c, lib: lib, file: file, open: open}
	ch.load = func() (err error) { ch.lib, err = c.load(); return err }
	ch.candidates, ch.rate = ch.working, ch.measured
	if err = ch.places(); err != nil {
		c.Log.Warn(notKept, "error", err)
	}
	found, err := nn.Await(c.context(), ch.choose, nil)
	switch {
	case c.context().Err() != nil:
		_, _ = os.Remove(ch.loading), os.Remove(ch.measuring)
	case err != nil && !named && c.Plugin == "":
		c.Log.Warn("no device is used: " + err.Error())
		return choice{Why: err.Error()}, nil
	}
	if err != nil { // the CPU does not replace a library or plugin that the user named
		return choice{}, fmt.Errorf("%w: %w", ErrProvider, err)
	}
	return found, nil
}

const notKept = "which provider is faster cannot be kept for later starts"

// working lists the providers of devices that work here. The error names a provider that hangs.
func (c *chooser) working() (names []string, err error) {
	if c.conf.Plugin != "" {
		names = append(names, ort.PluginProvider())
	}
	for _, name := range devices {
		if slices.Contains(names, name) || !ort.Plausible(c.lib, name) {
			continue
		}
		err := ort.Offers(c.conf.Library, name)
		if errors.Is(err, ort.ErrHangs) {
			return nil, err
		}
		if err == nil && (name != "webgpu" || c.hasGPU(name)) {
			names = append(names, name)
		}
	}
	return names, nil
}

// hasGPU reports whether a provider has found a GPU. WebGPU also accepts an emulator that
// runs on the CPU: it is many times slower than the CPU, and some emulators crash.
func (c *chooser) hasGPU(provider string) bool {
	offers, _ := ort.Devices(c.conf.Library)
	return slices.ContainsFunc(offers, func(o ort.Offer) bool { return o.Provider == provider && o.Kind == "gpu" })
}

// choose returns the device if it is faster than the CPU. If the devices are the same as at an
// earlier start, it uses that result, else it measures. Before it first loads a library or runs a
// device it writes a mark; if this start hangs or crashes, later ones see the mark and use the
// CPU. An error says that the library or the plugin cannot be used.
func (c *chooser) choose() (choice, error) {
	kept := read(c.result)
	if c.result != "" && (kept.Offers == "" || c.left() != (choice{})) {
		defer c.alone().Release()
		kept = read(c.result)
	}
	if left := c.left(); left != (choice{}) {
		return c.without(left)
	}
	first := kept.Offers == ""
	if first {
		c.leave(c.loading, "an earlier start ended while it loaded "+cmp.Or(c.conf.Plugin, c.lib.Path), false)
	}
	var names []string
	err := c.load()
	loaded := err == nil
	if loaded {
		if first {
			c.leave(c.loading, "an earlier start ended while it asked "+c.lib.Path+" for devices", true)
		}
		names, err = c.candidates()
	}
	switch {
	case errors.Is(err, ort.ErrHangs):
		return c.without(c.leave(c.loading, err.Error(), loaded))
	case first:
		_ = os.Remove(c.loading)
	}
	if err != nil {
		return choice{}, err
	}
	offers := c.offers(names)
	if kept.Offers == offers && (kept.Device == "" || slices.Contains(names, kept.Device)) {
		return kept, nil
	}
	found := choice{Why: "no GPU provider works here"}
	if len(names) > 0 {
		if !first {
			defer c.alone().Release()
		}
		c.leave(c.measuring, "an earlier start ended while it measured "+strings.Join(names, ", "), true)
		found = c.measure(names)
		_ = os.Remove(c.measuring)
	}
	found.Offers = offers
	if err := file.WriteJSON(c.result, found, ""); err != nil && c.result != "" {
		c.conf.Log.Warn(notKept, "error", err)
	}
	return found, nil
}

// without returns the choice of the CPU, for the reason that a mark gives; it fails if the mark says that the
// library or plugin did not load.
func (c *chooser) without(left choice) (choice, error) {
	if !left.Loaded {
		return choice{}, errors.New(left.Why)
	}
	c.conf.Log.Warn("no device is used: " + left.Why)
	return left, nil
}

// left returns the mark of an earlier start that crashed or hung.
func (c *chooser) left() choice { return cmp.Or(read(c.loading), read(c.measuring)) }

// leave writes a mark into a file. Later starts use no device until the file is removed.
func (c *chooser) leave(at, why string, loaded bool) choice {
	left := choice{Why: why, Loaded: loaded}
	if at != "" {
		left.Why += "; remove " + at + " to try again"
		_ = file.WriteJSON(at, left, "")
	}
	if c.conf.context().Err() != nil { // the user cancelled; the device is not at fault
		_ = os.Remove(at)
	}
	return left
}

// alone waits until no other process tries devices, a minute at most.
func (c *chooser) alone() *file.Hold {
	for range 300 {
		hold, err := file.Lock(filepath.Join(filepath.Dir(c.result), "provider"))
		if !errors.Is(err, file.ErrTaken) {
			return hold
		}
		time.Sleep(200 * time.Millisecond)
	}
	return nil
}

// read returns the choice in a file; the zero value if there is none.
func read(at string) (found choice) {
	if _, err := file.ReadJSON(at, &found); err != nil {
		return choice{}
	}
	return found
}

// places sets the paths of the files: c.loading depends on library and plugin, c.measuring also on
// network, device number and precision, c.result also on board size and machine.
func (c *chooser) places() error {
	base, err := file.Cache()
	if err == nil {
		err = os.MkdirAll(filepath.Join(base, "tuning"), 0o755)
	}
	if err != nil {
		return err
	}
	key := sha256.New()
	place := func(kind string) string {
		return filepath.Join(base, "tuning", kind+"-"+hex.EncodeToString(key.Sum(nil)[:8])+".json")
	}
	stamp := func(path string) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprint(key, filepath.Base(path), info.Size(), info.ModTime().Unix())
		}
	}
	stamp(c.lib.Path)
	stamp(c.conf.Plugin)
	c.loading = place("load")
	stamp(c.file)
	fmt.Fprint(key, c.conf.Device, c.conf.Precision)
	c.measuring = place("measure")
	fmt.Fprint(key, c.conf.Size, nn.Cores(), runtime.GOARCH, cpu.X86, cpu.ARM64)
	c.result = place("provider")
	return nil
}

// offers lists the providers that work here and all devices, as text.
func (c *chooser) offers(names []string) string {
	text := strings.Join(names, ", ") + ";"
	all, _ := ort.Devices(c.conf.Library)
	for _, o := range all {
		text += fmt.Sprintf(" %s %s %s;", o.Provider, o.Kind, o.Name)
	}
	return text
}

// measure measures the CPU and the devices, one after the other, and chooses the fastest.
func (c *chooser) measure(names []string) choice {
	src, err := c.open()
	if err != nil {
		return choice{Why: "no device was measured"} // opening the network reports the error
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
	found := choice{Device: all[best], Why: "the fastest here, in evaluations a second: " + strings.Join(texts, ", ")}
	c.conf.Log.Info(fmt.Sprintf("%s is %s", cmp.Or(found.Device, "the CPU"), found.Why))
	return found
}

// measured returns a provider's evaluations per second, with the sessions and batches of its
// [plan]. If a device is not ready when the context ends, it goes on opening in the background.
func (c *chooser) measured(ctx context.Context, src source, provider string, length time.Duration) (float64, error) {
	run := ortRunner(c.conf, provider, c.lib, "")
	var err error
	if provider == "" {
		if run, err = processorRunner(c.conf, src, ""); err != nil {
			return 0, err
		}
	}
	m := newModel(c.conf, src, run)
	if m.precision, _, err = precisionOf(c.conf, m.run); err != nil {
		return 0, err
	}
	return nn.Await(ctx, func() (float64, error) { return m.rate(ctx, length) }, nil)
}

// rate returns the evaluations per second of sessions that it opens.
func (m *Model) rate(ctx context.Context, length time.Duration) (float64, error) {
	size := m.conf.Size
	if size == (board.Size{}) || m.Serves(size) != nil {
		size = board.Square(19)
		if one, ok := m.source.(*onnxSource); ok && one.only.Sizes.Fixed != (board.Size{}) {
			size = one.only.Sizes.Fixed
		}
	}
	sessions, batch, _ := plan(m.run.name)
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
		for _, in := range b.Inputs() { // like a board's planes: mostly 0, a third 1
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

// Settle chooses the provider of "auto" for this network on boards of a size, so that the default
// numbers of sessions and positions suit the provider. It measures for some seconds if there is a
// device that was not measured before. Errors are reported when the network is opened.
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
