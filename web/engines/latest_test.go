package engines

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/internal/file"
	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// latestName is the network's file at the tests' training site.
const latestName = "kata1-b18c384nbt-s1-d2.bin.gz"

// answer imitates the site's answer: address, size and sha256 of a file.
func answer(address string, bytes int, sum string) string {
	return fmt.Sprintf(`{"url":"https://katagotraining.org/api/networks/kata1-x/","run":"https://katagotraining.org/api/runs/kata1/","name":"kata1-x","created_at":"2026-11-01T00:00:00Z","is_random":false,"model_file":%q,"model_file_bytes":%d,"model_file_sha256":%q}`, address, bytes, sum)
}

const media = "https://media.katagotraining.org/uploaded/networks/models/kata1/"

// training imitates the training site. It answers a request for a network with a status and a text.
// The handler named file serves the network's file; nil: the variable content is served.
func training(t *testing.T, status int, text string, file http.HandlerFunc) *site {
	s := new(site)
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/networks/") && status == http.StatusFound:
			http.Redirect(w, r, text, status)
		case r.URL.Path == "/api/networks/get_strongest/" || r.URL.Path == "/api/networks/newest_training/":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, text)
		case file != nil:
			file(w, r)
		default:
			w.Header().Set("ETag", `"one"`)
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(content)))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestLatest uses a fake of KataGo's site: nothing is requested before Fetch, the network is
// fetched, checked, tried and measured, and a network in the folder is not fetched again.
func TestLatest(t *testing.T) {
	for which, sum := range map[string]string{"strongest": sum(content), "newest": strings.ToUpper(sum(content))} {
		s := training(t, 200, answer(media+latestName, len(content), sum), nil)
		dir := t.TempDir()
		l := testLibrary(t, dir, s)
		require.Zero(t, s.asked.Load(), "nothing is asked unasked")
		ask := &api.FetchNetwork{Latest: which}
		require.NoError(t, l.Fetch(t.Context(), ask))
		j := l.settled(t)
		require.Equal(t, api.NetworkJob{Name: latestName, Latest: which, URL: media + latestName, SHA256: strings.ToLower(sum), State: ready, Done: int64(len(content)), Total: int64(len(content))}, *j)
		net := l.State().Networks[0]
		require.Equal(t, latestName, net.Name)
		require.Equal(t, "19x19", net.Speed.Size)
		require.Positive(t, net.Speed.Evals)
		require.EqualValues(t, 2, s.asked.Load())

		require.NoError(t, l.Fetch(t.Context(), ask))
		require.Equal(t, ready, l.settled(t).State)
		require.EqualValues(t, 3, s.asked.Load(), "the site was asked, and the file not fetched")

		got, path, err := FetchLatest(t.Context(), testConfig(dir, s), which, func(api.NetworkJob) {})
		require.NoError(t, err)
		require.Equal(t, api.Network{Name: latestName, Bytes: int64(len(content)), Speed: net.Speed}, got)
		require.Equal(t, content, []byte(testshared.Read(t, path)))

		require.NoError(t, l.Remove(&api.NetworkName{Name: latestName}))
		require.Empty(t, l.State().Jobs, "it is not ready any more")
	}
}

// TestLatestRefused asks sites that answer badly: the page has a one-line sentence for each
// failure, and only a download that can be resumed is kept.
func TestLatestRefused(t *testing.T) {
	good := answer(media+latestName, len(content), sum(content))
	for title, c := range map[string]struct {
		status int
		text   string
		file   http.HandlerFunc
		key    string
		kept   bool // the incomplete file is kept
	}{
		"error of the site":        {status: 500, text: "oops", key: "net_status"},
		"not there":                {status: 404, key: "net_status"},
		"nothing":                  {status: 200, key: "net_answer"},
		"a page":                   {status: 200, text: "<!doctype html>", key: "net_answer"},
		"other JSON":               {status: 200, text: `{"detail":"Not found."}`, key: "net_answer"},
		"a list":                   {status: 200, text: `[` + good + `]`, key: "net_answer"},
		"no file":                  {status: 200, text: `{"name":"random","model_file":null,"model_file_bytes":0,"model_file_sha256":"` + sum(nil) + `"}`, key: "net_answer"},
		"other types":              {status: 200, text: `{"model_file":7,"model_file_bytes":"many"}`, key: "net_answer"},
		"no end":                   {status: 200, text: `{"a":"` + strings.Repeat("a", mostAnswer) + `",` + good[1:], key: "net_answer"},
		"an address without https": {status: 200, text: answer("http://media.katagotraining.org/"+latestName, len(content), sum(content)), key: "net_answer"},
		"a name with a space":      {status: 200, text: answer(media+"a b.bin.gz", len(content), sum(content)), key: "net_answer"},
		"a zip":                    {status: 200, text: answer(media+"net.zip", len(content), sum(content)), key: "net_answer"},
		"no sha256":                {status: 200, text: answer(media+latestName, len(content), "abc"), key: "net_answer"},
		"too large":                {status: 200, text: answer(media+latestName, mostBytes+1, sum(content)), key: "net_large"},
		"redirect to http":         {status: http.StatusFound, text: "http://katagotraining.org/", key: "net_redirect"},
		"other sha256":             {status: 200, text: answer(media+latestName, len(content), sum(nil)), key: "net_other"},
		"smaller than announced":   {status: 200, text: answer(media+latestName, len(content)+1, sum(content)), key: "net_size"},
		"larger than announced": {status: 200, text: answer(media+latestName, 1000, sum(content)), key: "net_size", file: func(w http.ResponseWriter, _ *http.Request) {
			for range 1000 { // several writes, so that no length is announced
				w.Write(content[:1000])
				w.(http.Flusher).Flush()
			}
		}},
		"file: error":     {status: 200, text: good, key: "net_status", file: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }},
		"file: not there": {status: 200, text: good, key: "net_status", file: http.NotFound},
		"file: redirect to http": {status: 200, text: good, key: "net_redirect", file: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://x/"+latestName, http.StatusFound)
		}},
		"file: always cut at the same byte": {status: 200, text: good, key: "net_short", kept: true, file: func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				w.Write(content[:1000])
				w.(http.Flusher).Flush()
			}
			panic(http.ErrAbortHandler)
		}},
		"file: silence": {status: 200, text: good, key: "cause_time", kept: true, file: func(w http.ResponseWriter, r *http.Request) {
			w.Write(content[:1000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}},
		"not a network": {status: 200, text: answer(media+latestName, 1000, sum(content[:1000])), key: "net_broken", file: func(w http.ResponseWriter, _ *http.Request) { w.Write(content[:1000]) }},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l := testLibrary(t, dir, training(t, c.status, c.text, c.file))
			if c.key == "cause_time" {
				l.silence = 500 * time.Millisecond
			}
			require.NoError(t, l.Fetch(t.Context(), &api.FetchNetwork{Latest: "strongest"}))
			j := l.settled(t)
			require.NotNil(t, j)
			require.Equal(t, failed, j.State)
			require.NotNil(t, j.Say, j.Error)
			require.Equal(t, c.key, j.Say.Key, j.Error)
			require.NotContains(t, j.Error, "\n")
			require.Equal(t, "strongest", j.Latest, "the button that was pressed says it")
			require.Equal(t, c.kept, j.Done > 0, "there is something to resume")
			require.Empty(t, fileNames(l))
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			if c.kept {
				require.Len(t, left, 2, "the part and its note")
				return
			}
			for _, e := range left {
				info, err := e.Info()
				require.NoError(t, err)
				require.Less(t, info.Size(), int64(500), "%s: no bytes of a file are left", e.Name())
			}
		})
	}
	l := testLibrary(t, t.TempDir(), nil)
	require.Equal(t, "bad_request", api.AsError(l.Fetch(t.Context(), &api.FetchNetwork{Latest: "weakest"})).Code)
}

// TestLatestResumed breaks the download twice: each time only the missing part is fetched. A file
// that another program is fetching is not fetched here.
func TestLatestResumed(t *testing.T) {
	s := newSite(t)
	s.answer = answer(media+latestName, len(content), sum(content))
	s.breakAfter.Store(int64(len(content)/3 + 1))
	dir := t.TempDir()
	l := testLibrary(t, dir, s)
	hold, err := file.Lock(l.part(latestName))
	require.NoError(t, err)
	require.NoError(t, l.Fetch(t.Context(), &api.FetchNetwork{Latest: "strongest"}))
	require.Equal(t, "net_coming", l.settled(t).Say.Key)
	require.NoError(t, hold.Release())
	require.NoError(t, l.Fetch(t.Context(), &api.FetchNetwork{Latest: "strongest"}))
	require.Equal(t, ready, l.settled(t).State)
	require.EqualValues(t, 2, s.ranges.Load())
	require.Equal(t, []string{latestName}, fileNames(l))
}
