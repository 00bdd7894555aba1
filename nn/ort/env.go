//go:build cgo

package ort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	ort "github.com/yalue/onnxruntime_go"

	"kosumi/internal/file"
	"kosumi/nn"
)

// env is onnxruntime's environment, which is unique in a process.
var env = struct {
	sync.Mutex
	loaded bool
	lib    Library
	hangs  error            // reason for not calling the library any more
	failed map[string]error // by path; a library that failed to load is not tried again
}{failed: map[string]error{}}

// Load finds the library as [Find] does and loads it, once for the process. A
// later call returns the same library; one that explicitly names another gets
// ErrOtherLibrary. [Open] calls it. Safe for concurrent use.
func Load(explicit string) (Library, error) {
	env.Lock()
	defer env.Unlock()
	if env.hangs != nil {
		return Library{}, env.hangs
	}
	if env.loaded && explicit == "" {
		return env.lib, nil
	}
	found, err := Find(explicit)
	if err != nil {
		return Library{}, err
	}
	if env.loaded {
		if !file.Same(found.Path, env.lib.Path) {
			return Library{}, fmt.Errorf("%w: %s is wanted, %s is in use", ErrOtherLibrary, found.Path, env.lib.Path)
		}
		return env.lib, nil
	}
	if err := env.failed[found.Path]; err != nil {
		return Library{}, err
	}
	lib, err := answer(answersIn, func() (Library, error) { return initialize(found) }, nil)
	if errors.Is(err, ErrHangs) {
		err = fmt.Errorf("%w: %s: %w", ErrLoad, found.Path, err)
		env.hangs = err
	}
	if err != nil {
		env.failed[found.Path] = err
		return Library{}, err
	}
	env.lib, env.loaded = lib, true
	return lib, nil
}

// Loaded returns the library that this process uses, if it has loaded one.
func Loaded() (Library, bool) {
	env.Lock()
	defer env.Unlock()
	return env.lib, env.loaded
}

// answersIn limits the time in which a library, a plugin or a provider loads.
const answersIn = 30 * time.Second

// answer returns the result of a call into the library or a driver, or [ErrHangs] after a time
// limit.
func answer[T any](in time.Duration, call func() (T, error), late func(T, error)) (T, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), in, fmt.Errorf("%w: no answer for %v", ErrHangs, in))
	defer cancel()
	return nn.Await(ctx, call, late)
}

func initialize(lib Library) (Library, error) {
	// Microsoft's builds report usage. On Linux and macOS they write an id of the device and a database
	// to the user's cache as soon as they are loaded; this variable turns off both the reports and the
	// files. On Windows DisableTelemetry turns off the reports.
	if err := os.Setenv("ORT_DISABLE_TELEMETRY", "1"); err != nil {
		return lib, fmt.Errorf("%w: %s: %v", ErrLoad, lib.Path, err)
	}
	loadCompanions(filepath.Dir(lib.Path))
	ort.SetSharedLibraryPath(lib.Path)
	if err := ort.InitializeEnvironment(); err != nil {
		// onnxruntime_go reports a library without the required interface only
		// by the number 2.
		if strings.Contains(err.Error(), "setting ORT API base: 2") {
			return lib, fmt.Errorf("%s: %w", lib.Path, tooOld(lib.Version))
		}
		return lib, fmt.Errorf("%w: %s: %v", ErrLoad, lib.Path, err)
	}
	if lib.api = apiBase(lib.Path); lib.api == nil {
		return lib, fmt.Errorf("%w: %s is not the library that is loaded", ErrLoad, lib.Path)
	}
	lib.Version = ort.GetVersion()
	_ = ort.DisableTelemetry()
	return lib, nil
}

// commonArena makes the memory pool that sessions with [Config.CommonArena] share.
var commonArena = sync.OnceValue(func() error {
	info, err := ort.GetMemoryInfo()
	if err != nil {
		return err
	}
	// Allocate the requested size, not the next power of two.
	arena, err := ort.NewArenaCfg(0, 1, -1, -1)
	if err != nil {
		return err
	}
	defer arena.Destroy()
	return ort.CreateAndRegisterAllocator(info, arena)
})

// Providers loads the library as [Load] does and reports which providers work here. Each provider
// is tried only once, and once more after a plugin has been registered.
func Providers(explicit string) ([]ProviderStatus, error) {
	if _, err := Load(explicit); err != nil {
		return nil, err
	}
	var all []ProviderStatus
	seen := map[string]bool{}
	add := func(name string) {
		if p, err := lookProvider(name); err == nil && !seen[name] {
			seen[name] = true
			all = append(all, ProviderStatus{Name: name, Err: probe(p)})
		}
	}
	for _, o := range pluginOffers() {
		add(o.Provider)
	}
	for _, p := range providers {
		add(p.name)
	}
	return all, nil
}

// Offers returns nil if a provider works with the library that [Load] loads. Otherwise it returns the error
// of Load, or one that wraps ErrProvider and says what is missing. It is cheaper than [Providers].
func Offers(explicit, name string) error {
	p, err := lookProvider(name)
	if err != nil {
		return err
	}
	if _, err := Load(explicit); err != nil {
		return err
	}
	return probe(p)
}

// probed caches the results of probe.
var probed = struct {
	sync.Mutex
	errs  map[string]error
	hangs string // first provider that hung
}{errs: map[string]error{}}

// probe tries a provider of the loaded library.
func probe(p provider) error {
	probed.Lock()
	defer probed.Unlock()
	if err, ok := probed.errs[p.name]; ok {
		return err
	}
	if probed.hangs != "" && p.name != CPU { // the hanging call may hold the system's lock for loading libraries
		return fmt.Errorf("%w: %s was not asked, since %s hangs", ErrProvider, p.name, probed.hangs)
	}
	_, err := answer(answersIn, func() (struct{}, error) {
		return struct{}{}, quietly(func() error {
			if err := p.lacking(); err != nil {
				return err
			}
			return tryOptions(p)
		})
	}, nil)
	if err != nil {
		lib, _ := Loaded()
		err = fmt.Errorf("%w: %s: %w", ErrProvider, p.name, explainModule(err, p.module, lib))
	}
	if errors.Is(err, ErrHangs) {
		probed.hangs = p.name
	}
	probed.errs[p.name] = err
	return err
}

func tryOptions(p provider) error {
	o, err := ort.NewSessionOptions()
	if err != nil {
		return err
	}
	defer func() { _ = o.Destroy() }()
	return p.appendTo(o, 0)
}

func (p provider) appendTo(o *ort.SessionOptions, device int) error {
	if p.offers != nil {
		if device >= len(p.offers) {
			return fmt.Errorf("it offers %d devices, counted from 0: there is no device %d", len(p.offers), device)
		}
		return p.offers[device].appendDevice(o)
	}
	options := map[string]string{}
	if device > 0 {
		if p.name != "cuda" && p.name != "tensorrt" && p.name != "directml" {
			return fmt.Errorf("it chooses its device itself: leave --device out")
		}
		options["device_id"] = strconv.Itoa(device)
	}
	switch p.name {
	case CPU:
		return nil
	case "cuda":
		return appendWith(ort.NewCUDAProviderOptions, o.AppendExecutionProviderCUDA, options)
	case "tensorrt":
		err := appendWith(ort.NewTensorRTProviderOptions, o.AppendExecutionProviderTensorRT, options)
		if err == nil { // CUDA runs the operators that TensorRT lacks
			_ = appendWith(ort.NewCUDAProviderOptions, o.AppendExecutionProviderCUDA, options)
		}
		return err
	case "coreml":
		return o.AppendExecutionProviderCoreMLV2(options)
	case "directml":
		return o.AppendExecutionProviderDirectML(device)
	case "openvino":
		return o.AppendExecutionProviderOpenVINO(options)
	}
	return o.AppendExecutionProvider(p.ortName, options)
}

type providerOptions interface {
	Update(map[string]string) error
	Destroy() error
}

func appendWith[O providerOptions](make func() (O, error), add func(O) error, options map[string]string) error {
	o, err := make()
	if err != nil {
		return err
	}
	defer o.Destroy()
	if len(options) > 0 {
		if err := o.Update(options); err != nil {
			return err
		}
	}
	return add(o)
}
