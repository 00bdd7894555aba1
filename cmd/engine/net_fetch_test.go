package main

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/wire"
)

// training imitates KataGo's training site behind a proxy: it serves the bytes in data as the
// strongest network.
type training struct {
	env    []string // environment of the program under test
	data   []byte
	sum    string
	status int          // status of the answers; 0: OK
	stall  atomic.Bool  // half of the file is sent, then nothing
	from   atomic.Value // Range header of the last request for the file
	asked  atomic.Int64 // requests of any kind
}

func newTraining(t *testing.T, data []byte) *training {
	t.Helper()
	s := &training{data: data, sum: fmt.Sprintf("%x", sha256.Sum256(data))}
	dir := t.TempDir()
	cert, _, err := wire.OwnCertificate(dir, []string{"katagotraining.org", "media.katagotraining.org"}, func(string) {})
	require.NoError(t, err)
	site := httptest.NewUnstartedServer(s)
	site.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	site.StartTLS()
	t.Cleanup(site.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		there, err := net.Dial("tcp", site.Listener.Addr().String())
		if err != nil || r.Method != http.MethodConnect {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		defer there.Close()
		here, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { defer there.Close(); io.Copy(there, here) }()
		io.Copy(here, there)
	}))
	t.Cleanup(proxy.Close)
	s.env = []string{"HTTPS_PROXY=" + proxy.URL, "SSL_CERT_FILE=" + filepath.Join(dir, "cert.pem"), "KOSUMI_HOME=" + filepath.Join(dir, "home")}
	return s
}

// ServeHTTP implements [http.Handler].
func (s *training) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	switch {
	case s.status != 0:
		http.Error(w, "no", s.status)
	case r.Host == "katagotraining.org" && r.URL.Path == "/api/networks/get_strongest/":
		fmt.Fprintf(w, `{"name":"kata1-x","model_file":"https://media.katagotraining.org/uploaded/kata1-x.bin.gz","model_file_bytes":%d,"model_file_sha256":%q}`, len(s.data), s.sum)
	case r.Host == "media.katagotraining.org" && s.stall.Load():
		w.Header().Set("Content-Length", fmt.Sprint(len(s.data)))
		w.Write(s.data[:len(s.data)/2])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case r.Host == "media.katagotraining.org":
		s.from.Store(r.Header.Get("Range"))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(s.data)))
	default:
		http.NotFound(w, r)
	}
}

// TestNetFetch: an interrupted download of the strongest network is resumed; the file is
// verified, measured and not fetched again. A bad answer of the site is reported in one line.
func TestNetFetch(t *testing.T) {
	testshared.Slow(t)
	data := []byte(testshared.Read(t, "../../models/kosumi-zero.bin.gz"))
	s := newTraining(t, data)
	dir := filepath.Join(t.TempDir(), "nets")
	fetch := func(code int, args ...string) outcome {
		return exits(t, code, s.env, "", append([]string{"net", "fetch", "strongest", "--networks", dir}, args...)...)
	}
	s.stall.Store(true)
	p := start(t, s.env, "net", "fetch", "strongest", "--networks", dir)
	part := filepath.Join(dir, ".part-kata1-x.bin.gz")
	require.Eventually(t, func() bool { info, err := os.Stat(part); return err == nil && info.Size() == int64(len(data)/2) }, time.Minute, 10*time.Millisecond)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	o := p.finish(t, "")
	require.Equal(t, exitFailed, o.code)
	require.Contains(t, o.stderr, "the same command resumes")

	s.stall.Store(false)
	o = fetch(exitDone)
	require.Equal(t, filepath.Join(dir, "kata1-x.bin.gz")+"\n", o.stdout)
	require.Equal(t, fmt.Sprintf("bytes=%d-", len(data)/2), s.from.Load(), "the rest alone")
	require.Contains(t, o.stderr, "evaluations a second on 19x19; a move in 2 s sees ")
	require.True(t, string(data) == testshared.Read(t, strings.TrimSpace(o.stdout)))

	before := s.asked.Load()
	o = fetch(exitDone, "--json")
	var now fetched
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &now))
	require.Equal(t, fetched{"kata1-x.bin.gz", filepath.Join(dir, "kata1-x.bin.gz"), int64(len(data)), now.Speed}, now)
	require.Positive(t, now.Speed.Evals)
	require.Equal(t, before+1, s.asked.Load(), "the file is there")

	require.NoError(t, os.RemoveAll(dir))
	for _, c := range []struct {
		status int
		sum    string
		want   string
	}{{status: 500, want: "the server answers 500 Internal Server Error"}, {sum: fmt.Sprintf("%x", sha256.Sum256(nil)), want: "its sha256 is " + s.sum}} {
		s.status, s.sum = c.status, c.sum
		o = fetch(exitFailed)
		lines := strings.Split(strings.TrimSpace(o.stderr), "\n")
		require.Contains(t, lines[len(lines)-1], "engine: net fetch strongest: ")
		require.Contains(t, lines[len(lines)-1], c.want)
		require.Empty(t, o.stdout)
	}
}
