//go:build cgo

package ort

/*
#include <stdlib.h>
#include "operators.h"
#include "plugin.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"
)

// plugins are the libraries of execution providers that the process has registered.
var plugins = struct {
	sync.Mutex
	environment unsafe.Pointer
	tried       map[string]error // result of registering each plugin, by real path
	offers      []Offer          // devices of the working plugins, in order of registration
}{tried: map[string]error{}}

// Register loads onnxruntime's library by [Load], then a plugin, which is a library of execution
// providers. The plugin is loaded once and stays registered as long as the program runs. Its providers
// can be named from then on, see [Offer]. Errors wrap ErrPlugin if the file does not exist, is not a
// plugin or is made for another version of onnxruntime, or if the plugin finds no device or hangs.
func Register(library, path string) error {
	lib, err := Load(library)
	if err != nil {
		return err
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPlugin, path, notFound(err))
	}
	if err := registerOnce(lib, real); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPlugin, path, err)
	}
	return nil
}

func registerOnce(lib Library, path string) error {
	plugins.Lock()
	err, known := plugins.tried[path]
	if !known {
		var found []Offer
		found, err = answer(answersIn, func() ([]Offer, error) { return register(lib, path) }, nil)
		plugins.offers = append(plugins.offers, found...)
		plugins.tried[path] = err
	}
	plugins.Unlock()
	if errors.Is(err, ErrHangs) { // onnxruntime still holds its lock, so every later call would wait
		env.Lock()
		env.hangs = fmt.Errorf("%w: %s: %w", ErrPlugin, path, err)
		env.Unlock()
	}
	if !known {
		probed.Lock()
		clear(probed.errs) // provider names may have a new meaning
		probed.Unlock()
	}
	return err
}

// register loads a plugin and returns its devices. The caller holds the lock of plugins.
func register(lib Library, path string) ([]Offer, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New("it is a folder: name the library in it")
	}
	if _, err := inspect(path, pluginEntry, runtime.GOOS, runtime.GOARCH); err != nil {
		return nil, err
	}
	before, err := offers(lib)
	if err != nil {
		return nil, err
	}
	loadCompanions(filepath.Dir(path))
	if err := quietly(func() error { return ort.RegisterExecutionProviderLibrary(path, path) }); err != nil {
		return nil, fmt.Errorf("onnxruntime %s does not take it, it may be made for another version: %w", lib.Version, err)
	}
	after, err := offers(lib)
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(after, func(o Offer) bool {
		return slices.ContainsFunc(before, func(b Offer) bool { return b.device == o.device })
	})
	if len(found) == 0 {
		return nil, errors.New("it finds no device here that it can use")
	}
	for i := range found {
		found[i].Plugin = path
	}
	return found, nil
}

// quietly calls a function while onnxruntime's log is off, since the log would repeat the function's
// error in many lines.
func quietly(do func() error) error {
	_ = ort.SetEnvironmentLogLevel(ort.LoggingLevelFatal)
	defer func() { _ = ort.SetEnvironmentLogLevel(ort.LoggingLevelError) }()
	return do()
}

// pluginOffers lists the devices of plugins: GPUs, then NPUs, others, and CPUs.
func pluginOffers() []Offer {
	plugins.Lock()
	defer plugins.Unlock()
	return numbered(plugins.offers)
}

// numbered sorts devices, the best first, and numbers the devices of each provider from 0.
func numbered(all []Offer) []Offer {
	order := []string{"gpu", "npu", "device", "cpu"}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Offer) int {
		return cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind))
	})
	count := map[string]int{}
	for i := range all {
		all[i].Device = count[all[i].Provider]
		count[all[i].Provider]++
	}
	return all
}

// Devices loads the library as [Load] does and lists the devices of its providers and of registered plugins.
func Devices(library string) ([]Offer, error) {
	lib, err := Load(library)
	if err != nil {
		return nil, err
	}
	plugins.Lock()
	defer plugins.Unlock()
	all, err := offers(lib)
	if err != nil {
		return nil, err
	}
	for i := range all {
		for _, o := range plugins.offers {
			if o.device == all[i].device {
				all[i].Plugin = o.Plugin
			}
		}
	}
	return numbered(all), nil
}

// apiBase returns the OrtApiBase of a loaded library.
func apiBase(file string) unsafe.Pointer {
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	return C.find_api_base(path)
}

// offers asks onnxruntime for all devices. The caller holds the lock of plugins.
func offers(lib Library) ([]Offer, error) {
	if plugins.environment == nil {
		if err := failure(C.plugin_environment(lib.api, &plugins.environment)); err != nil {
			return nil, err
		}
	}
	var list *C.offer
	var count C.size_t
	if err := failure(C.plugin_offers(lib.api, plugins.environment, &list, &count)); err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(list))
	all := make([]Offer, count)
	for i, o := range unsafe.Slice(list, count) {
		all[i] = Offer{Provider: strings.ToLower(strings.TrimSuffix(C.GoString(o.provider), "ExecutionProvider")), Kind: "device", device: unsafe.Pointer(o.device)}
		if kinds := []string{"cpu", "gpu", "npu"}; int(o.kind) < len(kinds) {
			all[i].Kind = kinds[o.kind]
		}
		about := metadata(o.keys, o.values, o.entries)
		about = append(about, metadata(o.more_keys, o.more_values, o.more_entries)...)
		all[i].Name = describeDevice(C.GoString(o.vendor), uint32(o.id), about)
	}
	return all, nil
}

func metadata(keys, values **C.char, n C.size_t) (pairs [][2]string) {
	k, v := unsafe.Slice(keys, n), unsafe.Slice(values, n)
	for i := range k {
		pairs = append(pairs, [2]string{C.GoString(k[i]), C.GoString(v[i])})
	}
	return pairs
}

// appendDevice makes a session prefer a device to the CPU.
func (o Offer) appendDevice(to *ort.SessionOptions) error {
	lib, _ := Loaded()
	plugins.Lock()
	environment := plugins.environment
	plugins.Unlock()
	return failure(C.plugin_append(lib.api, environment, optionsOf(to), o.device))
}
