package main_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/internal/browsertest"
)

// wire counts the bytes of sent files. speed is the limit in bytes per second; 0: none.
type wire struct {
	sent, speed atomic.Int64
	mu          sync.Mutex // held while a limited write is under way
}

// counted serves the page's folder, and returns the wire that counts its bytes.
func counted(t *testing.T) (*httptest.Server, *wire) {
	w := new(wire)
	files := http.FileServer(http.Dir(folder(t)))
	s := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		files.ServeHTTP(wired{to, w}, r)
	}))
	t.Cleanup(s.Close)
	return s, w
}

type wired struct {
	http.ResponseWriter
	wire *wire
}

func (w wired) Write(data []byte) (int, error) {
	w.wire.sent.Add(int64(len(data)))
	if speed := w.wire.speed.Load(); speed > 0 {
		w.wire.mu.Lock()
		time.Sleep(time.Duration(len(data)) * time.Second / time.Duration(speed))
		w.wire.mu.Unlock()
	}
	return w.ResponseWriter.Write(data)
}

// mostSent bounds the uncompressed bytes sent until the page plays with the built-in network.
const mostSent = 9_700_000

// TestBytes opens the page in an empty browser: nothing is sent twice, and a second visit
// requests only files that may have changed.
func TestBytes(t *testing.T) {
	t.Parallel()
	s, wire := counted(t)
	p := browsertest.Open(t)
	p.Do(chromedp.Navigate(s.URL))
	p.Enter()
	p.Until(`navigator.serviceWorker.controller`)
	first := wire.sent.Load()
	t.Logf("%.2f MB", float64(first)/1e6)
	require.Less(t, first, int64(mostSent))
	p.Do(chromedp.Reload())
	p.Enter()
	require.Less(t, wire.sent.Load()-first, int64(100_000))
}
