//go:build !js

package engines

import (
	"net/http"

	"kosumi/web/api"
)

// newClient returns the function that sends the requests of a [Library].
func newClient() func(*http.Request) (*http.Response, error) {
	return (&http.Client{CheckRedirect: onlyHTTPS}).Do
}

// onlyHTTPS refuses redirects to plain http, where the content could be changed on the way.
func onlyHTTPS(r *http.Request, via []*http.Request) error {
	if r.URL.Scheme != "https" {
		return errFinal{api.Tell("bad_request", "net_redirect")}
	}
	if len(via) > 10 {
		return api.Tell("bad_request", "net_redirects")
	}
	return nil
}
