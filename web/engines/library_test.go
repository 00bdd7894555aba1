package engines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/web/api"
)

// tried is a network that works unless its file is cut short.
type tried struct{ fakeNetwork }

func (n *tried) Close() error            { return nil }
func (n *tried) Serves(board.Size) error { return nil }
func (n *tried) BatchSize() int          { return 1 }
func (n *tried) Evaluate(context.Context, *nn.Query, *nn.Output) error {
	time.Sleep(time.Microsecond)
	return nil
}

// content holds the bytes of a network's file. A file that does not end in "end" is cut short.
var content = []byte(strings.Repeat("a network ", 100_000) + "end")

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// site serves a file and ranges of it. It breaks off each answer after breakAfter bytes.
type site struct {
	*httptest.Server
	breakAfter atomic.Int64 // bytes; 0: never
	asked      atomic.Int64
	ranges     atomic.Int64 // requests for a range
	answer     string       // the answer to a request for KataGo's network
}

func newSite(t *testing.T) *site {
	s := new(site)
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if r.Header.Get("Range") != "" {
			s.ranges.Add(1)
		}
		switch r.URL.Path {
		case "/to-http.bin.gz":
			http.Redirect(w, r, "http://127.0.0.1:1/net.bin.gz", http.StatusFound)
			return
		case "/api/networks/get_strongest/":
			io.WriteString(w, s.answer)
			return
		case "/missing.bin.gz":
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"one"`)
		if n := s.breakAfter.Load(); n > 0 {
			w = &breaking{w, n}
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(content)))
	}))
	t.Cleanup(s.Close)
	return s
}

// breaking ends the connection after some bytes.
type breaking struct {
	http.ResponseWriter
	left int64
}

func (b *breaking) Write(p []byte) (int, error) {
	if b.left <= 0 {
		panic(http.ErrAbortHandler)
	}
	n, err := b.ResponseWriter.Write(p[:min(int64(len(p)), b.left)])
	b.ResponseWriter.(http.Flusher).Flush()
	b.left -= int64(n)
	if n < len(p) && err == nil {
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// testConfig configures a folder of networks; all requests go to the site, whatever their host.
func testConfig(dir string, s *site) NetworksConfig {
	c := NetworksConfig{Folder: dir, Open: func(file string) Network {
		net := &tried{fakeNetwork{name: filepath.Base(file)}}
		if data, err := os.ReadFile(file); file != "" && (err != nil || !strings.HasSuffix(string(data), "end")) {
			net.broken = errors.New("unexpected end of the file")
		}
		return net
	}}
	if s != nil {
		there := s.Client().Transport.(*http.Transport).Clone()
		there.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
		}
		there.TLSClientConfig.ServerName = "example.com" // the name in the server's certificate
		c.Request = (&http.Client{CheckRedirect: onlyHTTPS, Transport: there}).Do
	}
	return c
}

func testLibrary(t *testing.T, dir string, s *site) *Library {
	t.Helper()
	l := NewLibrary(NewNetworks(testConfig(dir, s)), func() {})
	l.pause, l.measure = time.Millisecond, time.Millisecond
	t.Cleanup(l.Close)
	return l
}

// settled waits until no job runs and returns the only job, nil if there is none.
func (l *Library) settled(t *testing.T) *api.NetworkJob {
	t.Helper()
	var last *api.NetworkJob
	require.Eventually(t, func() bool {
		last = nil
		for _, j := range l.State().Jobs {
			last = &j
		}
		return last == nil || last.State == failed || last.State == stopped || last.State == ready
	}, time.Minute, 5*time.Millisecond)
	return last
}

func fileNames(l *Library) (all []string) {
	for _, n := range l.State().Networks {
		if n.Removable {
			all = append(all, n.Name)
		}
	}
	return all
}

// TestFetch: a file is added if it arrives whole or in parts. A wrong sha256, a missing file and a
// redirect to http give a one-line error and leave no files.
func TestFetch(t *testing.T) {
	s := newSite(t)
	dir := t.TempDir()
	l := testLibrary(t, dir, s)
	get := func(path, sha string) *api.NetworkJob {
		t.Helper()
		require.NoError(t, l.Fetch(t.Context(), &api.FetchNetwork{URL: s.URL + path, SHA256: sha}))
		return l.settled(t)
	}
	require.Nil(t, get("/whole.bin.gz", " "+strings.ToUpper(sum(content))+"\n"))
	require.Equal(t, sum(content), sum([]byte(testshared.Read(t, filepath.Join(dir, "whole.bin.gz")))))
	require.Equal(t, []string{"whole.bin.gz"}, fileNames(l))
	require.ErrorContains(t, l.Fetch(t.Context(), &api.FetchNetwork{URL: s.URL + "/whole.bin.gz", SHA256: sum(content)}), "already")

	// Each answer breaks off after a third; the next request asks for the missing part.
	s.breakAfter.Store(int64(len(content)/3 + 1))
	s.ranges.Store(0)
	require.Nil(t, get("/parts.bin.gz", sum(content)))
	require.GreaterOrEqual(t, s.ranges.Load(), int64(2))
	s.breakAfter.Store(0)

	for path, why := range map[string]string{"/other.bin.gz": "its sha256 is " + sum(content), "/missing.bin.gz": "404", "/to-http.bin.gz": "not https"} {
		sha := sum([]byte("another one"))
		j := get(path, sha)
		require.Equal(t, failed, j.State, path)
		require.Contains(t, j.Error, why)
		require.NotContains(t, j.Error, "\n")
		require.NoError(t, l.Forget(&api.NetworkName{Name: j.Name}))
	}
	require.Equal(t, []string{"parts.bin.gz", "whole.bin.gz"}, fileNames(l))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 4, "the speeds beside the files, and nothing else")

	for _, bad := range []api.FetchNetwork{{URL: "http://x/net.bin.gz", SHA256: sum(nil)}, {URL: s.URL + "/net.bin.gz", SHA256: "abc"}, {URL: s.URL + "/net.exe", SHA256: sum(nil)},
		{URL: s.URL + "/.bin.gz", SHA256: sum(nil)}, {URL: "", SHA256: sum(nil)}} {
		require.Equal(t, "bad_request", api.AsError(l.Fetch(t.Context(), &bad)).Code, bad.URL)
	}
}

// TestFetchResumes stops a download and closes the library: a new library resumes the download.
func TestFetchResumes(t *testing.T) {
	s := newSite(t)
	dir := t.TempDir()
	l := testLibrary(t, dir, s)
	s.breakAfter.Store(300_000)
	require.NoError(t, l.Fetch(t.Context(), &api.FetchNetwork{URL: s.URL + "/net.bin.gz", SHA256: sum(content)}))
	require.Eventually(t, func() bool { jobs := l.State().Jobs; return len(jobs) == 1 && jobs[0].Done >= 300_000 }, time.Minute, time.Millisecond)
	require.NoError(t, l.Stop(&api.NetworkName{Name: "net.bin.gz"}))
	require.NotNil(t, l.settled(t), "each answer brings a third, and a pause follows")
	l.Close()

	l = testLibrary(t, dir, s)
	again := l.settled(t)
	require.Equal(t, stopped, again.State)
	require.GreaterOrEqual(t, again.Done, int64(300_000))
	require.Equal(t, int64(len(content)), again.Total)
	require.Empty(t, fileNames(l), "it is not offered yet")
	s.breakAfter.Store(0)
	s.ranges.Store(0)
	require.NoError(t, l.Fetch(t.Context(), &api.FetchNetwork{URL: again.URL, SHA256: again.SHA256}))
	require.Nil(t, l.settled(t))
	require.Equal(t, int64(1), s.ranges.Load(), "the rest alone was asked for")
	require.Equal(t, []string{"net.bin.gz"}, fileNames(l))

	// Remove deletes a network once, and refuses the network in use.
	require.NoError(t, l.Remove(&api.NetworkName{Name: "net.bin.gz"}))
	require.Empty(t, fileNames(l))
	require.ErrorContains(t, l.Remove(&api.NetworkName{Name: "net.bin.gz"}), "no network")
	require.ErrorContains(t, l.Remove(&api.NetworkName{Name: embeddedName}), "in use")
}

// TestPut takes files that a browser sends: whole, cut short, broken, or with a bad name.
func TestPut(t *testing.T) {
	dir := t.TempDir()
	l := testLibrary(t, dir, nil)
	put := func(name string, data []byte, size int64) error {
		return l.Put(t.Context(), name, strings.NewReader(string(data)), size)
	}
	require.NoError(t, put("mine.onnx", content, int64(len(content))))
	require.Equal(t, []string{"mine.onnx"}, fileNames(l))
	require.ErrorContains(t, put("mine.onnx", content, 0), "already")
	require.ErrorContains(t, put("short.onnx", content[:1000], 0), "not a network that works here: unexpected end")
	require.ErrorContains(t, put("torn.onnx", content[:1000], int64(len(content))), "ends too early")
	require.ErrorContains(t, put("large.onnx", nil, mostBytes+1), "GB")
	for _, bad := range []string{"", "a b.onnx", "../a.onnx", ".a.onnx", "a.txt", "ä.onnx", strings.Repeat("a", 200) + ".onnx"} {
		require.Equal(t, "bad_request", api.AsError(put(bad, content, 0)).Code, bad)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, l.Put(ctx, "late.onnx", strings.NewReader(string(content)), 0))
	require.Empty(t, l.State().Jobs)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2, "the speed beside the file, and nothing else")
	require.NoError(t, l.Remove(&api.NetworkName{Name: "mine.onnx"}))
	left, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
