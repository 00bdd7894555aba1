package ort

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// fetcher downloads the library.
var fetcher struct {
	sync.Mutex
	fetch func(why string, cuda bool) error
	tried bool
	err   error
}

// SetFetcher sets the function by which [Need] downloads the library. The argument why of that function tells
// the user what needs the library; cuda asks for a library with CUDA's providers.
func SetFetcher(fetch func(why string, cuda bool) error) {
	fetcher.Lock()
	defer fetcher.Unlock()
	fetcher.fetch, fetcher.tried, fetcher.err = fetch, false, nil
}

// Need loads the library as [Load] does. If neither explicit nor the environment names one, and
// none is found (for the provider "cuda" or "tensorrt": none with CUDA), it first downloads one,
// once in a process. Safe for concurrent use.
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

// driver is the library of the GPU's driver.
const driver = "libcuda.so.1"

// lacksCUDA reports whether provider needs CUDA, the library here lacks CUDA, and onnxruntime has a
// build with CUDA for this system.
func lacksCUDA(provider string) bool {
	if provider != "cuda" && provider != "tensorrt" || runtime.GOOS+runtime.GOARCH != "linuxamd64" {
		return false
	}
	lib, err := Find("")
	return err != nil || !Plausible(lib, provider)
}

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
	err := fmt.Errorf("%w: %s: %w", ErrNoLibrary, why, fetcher.err)
	for _, c := range Candidates("") { // also name the libraries here that cannot be used
		if c.Err != nil && !errors.Is(c.Err, ErrNotFound) {
			err = c.explain(err)
		}
	}
	return Library{}, err
}
