package engines

import (
	"errors"
	"net/http"
)

// newClient returns what performs the requests of a library: nothing does in a page,
// since hardly a host of networks lets other sites' pages read them.
func newClient() func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return nil, errFinal{errors.New("a page cannot fetch from other addresses: download the file and add it here")}
	}
}
