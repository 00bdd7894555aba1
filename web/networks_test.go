package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/nn/open"
	"kosumi/web/engines"
)

// serveNetworks serves the real page with a folder of networks; request performs its downloads.
func serveNetworks(t *testing.T, request func(*http.Request) (*http.Response, error)) *Server {
	t.Helper()
	if _, err := os.Stat("ui/dist/index.html"); err != nil {
		testshared.Absent(t, "the page is not built: %v", err)
	}
	t.Parallel()
	dir := t.TempDir()
	nets := engines.NewNetworks(engines.NetworksConfig{Folder: filepath.Join(dir, "networks"), Request: request, Open: func(file string) engines.Network {
		return open.Start(open.Config{Open: func(file string) (nn.Model, error) { return model.Open(file, model.Config{Precision: "fp32"}) }, File: file,
			Server: nn.ServerConfig{Sessions: 1, MaxBatch: 4, CacheBytes: 4 << 20}, Size: board.Square(9), Log: slog.New(slog.DiscardHandler)})
	}})
	conf := engine.Defaults()
	conf.Search.Parallel.Workers = 8
	s, err := New(Config{Folder: dir, Version: "1.2.3", Page: os.DirFS("ui/dist"), Networks: nets, Engine: conf})
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve() }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-done)
		require.NoError(t, nets.Close())
	})
	return s
}

// training imitates KataGo's training site. Each of its files holds data; it announces the
// strongest network with the sha256 of data, and the newest one with a wrong sha256. gate holds
// back the second half of each file.
type training struct {
	data  []byte
	gate  chan struct{}
	asked atomic.Int64
}

// ServeHTTP implements [http.Handler].
func (s *training) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	answer := func(name string, sum [32]byte) {
		fmt.Fprintf(w, `{"name":"kata1-x","model_file":"https://media.katagotraining.org/%s","model_file_bytes":%d,"model_file_sha256":%q}`, name, len(s.data), hex.EncodeToString(sum[:]))
	}
	switch r.URL.Path {
	case "/api/networks/get_strongest/":
		answer("kata1-b28c512nbt-s1234567890-d1234567890.bin.gz", sha256.Sum256(s.data))
	case "/api/networks/newest_training/":
		answer("kata1-other.bin.gz", [32]byte{})
	default:
		w.Write(s.data[:len(s.data)/2])
		w.(http.Flusher).Flush()
		<-s.gate
		w.Write(s.data[len(s.data)/2:])
	}
}

// request sends every request to the test's site, whatever its host.
func (s *training) request(t *testing.T) func(*http.Request) (*http.Response, error) {
	site := httptest.NewTLSServer(s)
	t.Cleanup(site.Close)
	there := site.Client().Transport.(*http.Transport).Clone()
	there.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, site.Listener.Addr().String())
	}
	there.TLSClientConfig.ServerName = "example.com"
	return (&http.Client{Transport: there}).Do
}

// TestStrongestNetwork fetches KataGo's strongest network with one press, sees its speed on this
// machine, and plays against it; a network with another sha256 than announced is refused. Nothing
// is requested before the press.
func TestStrongestNetwork(t *testing.T) {
	testshared.Long(t)
	site := &training{data: []byte(testshared.Read(t, "../models/kosumi-zero.bin.gz")), gate: make(chan struct{})}
	open := sync.OnceFunc(func() { close(site.gate) })
	t.Cleanup(open)
	s := serveNetworks(t, site.request(t))
	p := openPage(t, s)
	p.Do(chromedp.Navigate(s.Address() + "networks"))
	p.Until(browsertest.Button("Fetch the strongest"))
	looked := func(name string) { p.Look("networks-" + name) }
	looked("before")
	require.Zero(t, site.asked.Load())
	p.Press("Fetch the strongest")
	p.Until(`/^kata1-b28c512nbt/.test(document.querySelector(".network-job[data-state=fetching]")?.innerText)`)
	looked("fetching")
	open()
	p.Until(`/b28c512nbt.* is ready\.[^]* evaluations a second on 19×19; a move in 2 s sees \d+/.test(document.querySelector(".network-job[data-state=ready]")?.innerText)`)
	looked("ready")
	p.Press("Fetch the newest")
	p.Until(`document.querySelector(".network-job[data-state=failed]")?.innerText.includes("its sha256 is")`)
	p.Until(`document.querySelector(".network-job[data-state=failed] a").href === "https://media.katagotraining.org/kata1-other.bin.gz"`)
	looked("refused")
	p.Do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	looked("dark")
	p.Press("Play against it")
	p.Until(`location.pathname === "/new" && document.querySelector("form.new")`)
	require.Eventually(t, func() bool { return strings.HasPrefix(s.engines.Networks.Status().Name, "kata1-b28") }, browsertest.Patience, 50*time.Millisecond)

	// A file named like a network, dropped on any screen, is taken for a network, not for a game record.
	p.Do(chromedp.Evaluate(`{ const d = new DataTransfer(); d.items.add(new File(["no network"], "mine.bin.gz")); document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true })); }`, nil))
	p.Until(`location.pathname === "/networks" && /mine.bin.gz is not kept/.test(document.querySelector(".toast.bad").innerText)`)
}
