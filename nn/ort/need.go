package ort

import (
	"errors"
	"os"
	"sync"
)

// fetcher gets the library where there is none.
var fetcher struct {
	sync.Mutex
	fetch func(why string) error
	tried bool
	err   error
}

// SetFetcher says how [Need] gets the library where none is found. why is what needs it,
// for people.
func SetFetcher(fetch func(why string) error) {
	fetcher.Lock()
	defer fetcher.Unlock()
	fetcher.fetch, fetcher.tried, fetcher.err = fetch, false, nil
}

// Need loads the library as [Load] does. Where none is found and none was named by flag or
// environment, it is fetched first, once in the life of the process. Safe for concurrent
// use.
func Need(why, explicit string) (Library, error) {
	lib, err := Load(explicit)
	if err == nil || explicit != "" || os.Getenv(EnvLibrary) != "" || !errors.Is(err, ErrNoLibrary) {
		return lib, err
	}
	fetcher.Lock()
	defer fetcher.Unlock()
	if fetcher.fetch == nil {
		return lib, err
	}
	if !fetcher.tried {
		fetcher.tried, fetcher.err = true, fetcher.fetch(why)
	}
	if fetcher.err != nil {
		return lib, errors.Join(err, fetcher.err)
	}
	return Load(explicit)
}
