//go:build !js

package networks

import (
	"errors"
	"net/http"
)

// newClient returns what performs the requests of a library.
func newClient() func(*http.Request) (*http.Response, error) {
	return (&http.Client{CheckRedirect: onlyHTTPS}).Do
}

// onlyHTTPS refuses redirects to where anybody could change what comes.
func onlyHTTPS(r *http.Request, via []*http.Request) error {
	if r.URL.Scheme != "https" {
		return errFinal{errors.New("the address leads to one that is not https")}
	}
	if len(via) > 10 {
		return errors.New("too many redirects")
	}
	return nil
}
