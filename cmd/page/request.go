//go:build js

package main

import (
	"bytes"
	"net/http"
	"syscall/js"
)

// answer performs a request of the page. args are the request's method, path, headers (names and
// values in turn) and body, then a function that is called with the reply's status, headers and body.
func answer(h http.Handler, args []js.Value) {
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	r, err := http.NewRequest(args[0].String(), args[1].String(), bytes.NewReader(bytesOf(args[3])))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	} else {
		for i := 0; i+1 < args[2].Length(); i += 2 {
			r.Header.Add(args[2].Index(i).String(), args[2].Index(i+1).String())
		}
		r.Header.Set("Authorization", "Bearer ") // nobody else reaches this server
		w.serve(h, r)
	}
	var headers []any
	for name, values := range w.header {
		for _, v := range values {
			headers = append(headers, name, v)
		}
	}
	body := js.Global().Get("Uint8Array").New(w.body.Len())
	js.CopyBytesToJS(body, w.body.Bytes())
	args[4].Invoke(w.status, headers, body)
}

// recorder is an [http.ResponseWriter] that keeps what is written.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// serve lets a handler answer; a panic of the handler gives status 500.
func (w *recorder) serve(h http.Handler, r *http.Request) {
	defer func() {
		if recover() != nil {
			*w = recorder{header: http.Header{}, status: http.StatusInternalServerError}
		}
	}()
	h.ServeHTTP(w, r)
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) { w.status = status }

func (w *recorder) Write(data []byte) (int, error) { return w.body.Write(data) }

func bytesOf(array js.Value) []byte {
	data := make([]byte, array.Length())
	js.CopyBytesToGo(data, array)
	return data
}
