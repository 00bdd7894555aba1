package ort

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// fetcher gets the library where there is none.
var fetcher struct {
	sync.Mutex
	fetch func(why string, cuda bool) error
	tried bool
	err   error
}

// SetFetcher says how [Need] gets the library where none is found, with the providers of
// CUDA or without. why is what needs it, for people.
func SetFetcher(fetch func(why string, cuda bool) error) {
	fetcher.Lock()
	defer fetcher.Unlock()
	fetcher.fetch, fetcher.tried, fetcher.err = fetch, false, nil
}

// Need loads the library as [Load] does. Where none is found and none was named by flag or
// environment, or none with CUDA where provider is "cuda" or "tensorrt", it is fetched
// first, once in the life of the process. Safe for concurrent use.
func Need(why, provider, explicit string) (Library, error) {
	named := explicit != "" || os.Getenv(EnvLibrary) != ""
	_, loaded := Loaded()
	if Available && !named && !loaded && lacksCUDA(provider) {
		if !onLoaderPath(driver, "") {
			return Library{}, fmt.Errorf("%s is missing on the library path: it is a part of NVIDIA's driver", driver)
		}
		return fetched(why, true)
	}
	lib, err := Load(explicit)
	if err == nil || named || !errors.Is(err, ErrNoLibrary) {
		return lib, err
	}
	return fetched(why, false)
}

// driver is the library by which CUDA reaches the GPU.
const driver = "libcuda.so.1"

// lacksCUDA reports whether provider is one of CUDA's, on a system that onnxruntime is
// built for with them, and the library here comes without it.
func lacksCUDA(provider string) bool {
	if provider != "cuda" && provider != "tensorrt" || runtime.GOOS+runtime.GOARCH != "linuxamd64" {
		return false
	}
	lib, err := Find("")
	return err != nil || !Plausible(lib, provider)
}

// fetched fetches the library and loads it.
func fetched(why string, cuda bool) (Library, error) {
	fetcher.Lock()
	defer fetcher.Unlock()
	if fetcher.fetch == nil {
		return Load("")
	}
	if !fetcher.tried {
		fetcher.tried, fetcher.err = true, fetcher.fetch(why, cuda)
	}
	if fetcher.err == nil {
		return Load("")
	}
	reasons := []error{fmt.Errorf("%w: %s: %w", ErrNoLibrary, why, fetcher.err)}
	for _, c := range Candidates("") { // what is here and of no use is worth a word
		if c.Err != nil && !errors.Is(c.Err, ErrNotFound) {
			reasons = append(reasons, fmt.Errorf("%s: %s: %w", c.Source, c.Path, c.Err))
		}
	}
	return Library{}, joined{reasons}
}
