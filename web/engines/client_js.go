package engines

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall/js"

	"kosumi/web/api"
)

// newClient returns the function that sends the requests of a [Library] by the browser's fetch. It
// works only with sites that let this page read their answers. The client of net/http would make
// the page's program a quarter larger.
func newClient() func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		headers := js.Global().Get("Object").New()
		for name := range r.Header {
			if name != "If-Range" { // sites must permit If-Range; without it, the sha256 still detects a changed file
				headers.Set(name, r.Header.Get(name))
			}
		}
		abort := js.Global().Get("AbortController").New()
		v, err := await(r.Context(), abort, js.Global().Call("fetch", r.URL.String(), map[string]any{"headers": headers, "signal": abort.Get("signal"), "credentials": "omit"}))
		if err != nil && r.Context().Err() == nil {
			err = errFinal{api.Tell("unsupported", "net_page", "host", r.URL.Host)}
		}
		if err != nil {
			return nil, err
		}
		status := v.Get("status").Int()
		resp := &http.Response{StatusCode: status, Status: strings.TrimSpace(strconv.Itoa(status) + " " + v.Get("statusText").String()), ContentLength: -1, Body: http.NoBody}
		if stream := v.Get("body"); !stream.IsNull() {
			resp.Body = &body{ctx: r.Context(), abort: abort, reader: stream.Call("getReader")}
		}
		return resp, nil
	}
}

// body reads the body of a response to the browser's fetch.
type body struct {
	ctx           context.Context
	abort, reader js.Value
	rest          []byte
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		v, err := await(b.ctx, b.abort, b.reader.Call("read"))
		if err != nil {
			return 0, err
		}
		if v.Get("done").Bool() {
			return 0, io.EOF
		}
		b.rest = make([]byte, v.Get("value").Length())
		js.CopyBytesToGo(b.rest, v.Get("value"))
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close implements [io.Closer].
func (b *body) Close() error {
	b.abort.Call("abort")
	return nil
}

// await waits for a promise, and calls abort when ctx has ended.
func await(ctx context.Context, abort, promise js.Value) (js.Value, error) {
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	defer stop()
	type result struct {
		v   js.Value
		err error
	}
	came := make(chan result, 1)
	done := js.FuncOf(func(_ js.Value, args []js.Value) any {
		came <- result{v: args[0]}
		return nil
	})
	defer done.Release()
	failed := js.FuncOf(func(_ js.Value, args []js.Value) any {
		came <- result{err: errors.New(args[0].Get("message").String())}
		return nil
	})
	defer failed.Release()
	promise.Call("then", done, failed)
	r := <-came
	if r.err != nil && ctx.Err() != nil {
		r.err = ctx.Err()
	}
	return r.v, r.err
}
