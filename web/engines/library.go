package engines

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"kosumi/internal/file"
	"kosumi/web/api"
	"kosumi/web/wire"
)

// Library is the folder of networks that pages add to: files that a browser uploads, or that are
// downloaded from an https address and checked by sha256. A file is added once it has loaded and
// evaluated. Make one with [NewLibrary].
type Library struct {
	networks *Networks
	request  func(*http.Request) (*http.Response, error)
	changed  func()

	mu   sync.Mutex
	jobs map[string]*job // by name of the file
	work sync.WaitGroup
}

// job is an upload or a download.
type job struct {
	api.NetworkJob
	stop  context.CancelFunc // nil: it does not run
	began time.Time
	first int64 // bytes that were there when it began
	told  time.Time
}

// States of a job.
const (
	fetching = "fetching"
	checking = "checking"
	trying   = "trying"
	stopped  = "stopped"
	failed   = "failed"
)

// Bounds of downloads and uploads.
const (
	mostBytes   = 4 << 30
	silence     = 60 * time.Second // without a byte
	tellEvery   = 200 * time.Millisecond
	mostRetries = 4
)

// partPrefix begins the names of incomplete files, which no list shows.
const partPrefix = ".part-"

// note is the JSON file beside an incomplete download, for resuming.
type note struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
	ETag   string `json:"etag,omitempty"`
	Total  int64  `json:"total,omitempty"`
}

// NewLibrary returns the library of networks that have a folder. changed is called after
// every change, by any goroutine.
func NewLibrary(n *Networks, changed func()) *Library {
	l := &Library{networks: n, changed: changed, jobs: map[string]*job{}, request: newClient()}
	entries, _ := os.ReadDir(n.conf.Folder) // no folder: no downloads
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), partPrefix)
		name, isNote := strings.CutSuffix(name, ".json")
		if !ok || !isNote {
			continue
		}
		about, err := l.about(name)
		if err != nil {
			continue // the next download starts anew
		}
		l.jobs[name] = &job{NetworkJob: api.NetworkJob{Name: name, URL: about.URL, SHA256: about.SHA256, State: stopped, Done: sizeOf(l.part(name)), Total: about.Total}}
	}
	return l
}

func (l *Library) path(name string) string { return filepath.Join(l.networks.conf.Folder, name) }
func (l *Library) part(name string) string { return l.path(partPrefix + name) }

func (l *Library) about(name string) (n note, err error) {
	data, err := file.ReadPlain(l.networks.conf.Folder, partPrefix+name+".json", 1<<16)
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	return n, err
}

func sizeOf(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// State lists networks and jobs.
func (l *Library) State() *api.NetworkList {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &api.NetworkList{Networks: l.networks.List(), Jobs: []api.NetworkJob{}, Folder: l.networks.conf.Folder}
	for _, j := range l.jobs {
		s.Jobs = append(s.Jobs, j.NetworkJob)
	}
	slices.SortFunc(s.Jobs, func(a, b api.NetworkJob) int { return strings.Compare(a.Name, b.Name) })
	return s
}

var (
	fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,119}$`)
	sumText  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// nameOf checks the name of a network's file.
func nameOf(name string) error {
	if !fileName.MatchString(name) || !isNetwork(name) {
		return api.Tell("bad_request", "net_name", "endings", strings.Join(endings, ", "))
	}
	return nil
}

// begin makes a job, unless there is one or the file is there.
func (l *Library) begin(j *job) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.jobs[j.Name]; now != nil && now.stop != nil {
		return api.Tell("busy", "net_coming", "name", j.Name)
	}
	if _, there := l.networks.files()[j.Name]; there {
		return api.Tell("bad_request", "net_there")
	}
	if err := os.MkdirAll(l.networks.conf.Folder, 0o755); err != nil {
		return api.NotSaved(err)
	}
	j.State, j.began = fetching, time.Now()
	l.jobs[j.Name] = j
	return nil
}

// tell changes a job and calls changed: at once if the change is important, else every tellEvery.
func (l *Library) tell(j *job, change func(), important bool) {
	l.mu.Lock()
	change()
	if spent := time.Since(j.began).Seconds(); spent > 0.5 && j.State == fetching {
		j.Speed = float64(j.Done-j.first) / spent
	}
	if important = important || time.Since(j.told) > tellEvery; important {
		j.told = time.Now()
	}
	l.mu.Unlock()
	if important {
		l.changed()
	}
}

// Fetch starts or resumes a download. It does not wait for it.
func (l *Library) Fetch(ctx context.Context, f *api.FetchNetwork) error {
	u, err := url.Parse(strings.TrimSpace(f.URL))
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return api.Tell("bad_request", "net_https")
	}
	sum := strings.ToLower(strings.TrimSpace(f.SHA256))
	if !sumText.MatchString(sum) {
		return api.Tell("bad_request", "net_sha")
	}
	name := path.Base(u.Path)
	if err := nameOf(name); err != nil {
		return err
	}
	if old, err := l.about(name); err == nil && (old.URL != u.String() || old.SHA256 != sum) {
		if err := l.discard(name); err != nil { // of another file
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	j := &job{NetworkJob: api.NetworkJob{Name: name, URL: u.String(), SHA256: sum, Done: sizeOf(l.part(name))}, stop: cancel}
	j.first = j.Done
	if err := l.begin(j); err != nil {
		cancel()
		return err
	}
	l.work.Go(func() {
		defer cancel()
		l.end(ctx, j, l.fetch(ctx, j))
	})
	l.changed()
	return nil
}

// end records the result of a job.
func (l *Library) end(ctx context.Context, j *job, err error) {
	l.tell(j, func() {
		j.stop, j.Speed = nil, 0
		switch {
		case err == nil:
			delete(l.jobs, j.Name)
		case ctx.Err() != nil:
			j.State = stopped
		default:
			j.State, j.Error, j.Say = failed, plain(err), api.Said(err)
		}
	}, true)
}

func plain(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Put adds a network that a browser uploads. size is in bytes; 0: not known.
func (l *Library) Put(ctx context.Context, name string, from io.Reader, size int64) error {
	if err := nameOf(name); err != nil {
		return err
	}
	if size > mostBytes {
		return api.Tell("bad_request", "net_large", "n", mostBytes>>30)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j := &job{NetworkJob: api.NetworkJob{Name: name, Total: size}, stop: cancel}
	if err := l.begin(j); err != nil {
		return err
	}
	_ = os.Remove(l.part(name) + ".json") // of an earlier download
	err := l.put(ctx, j, from)
	if err != nil {
		err = errors.Join(err, l.discard(name))
	}
	l.end(ctx, j, err)
	if err != nil {
		l.Forget(&api.NetworkName{Name: name}) // the answer has the error
	}
	return err
}

// ServePut handles an upload; the answer is an api.Imported.
func (l *Library) ServePut(w http.ResponseWriter, r *http.Request) {
	a := api.Imported{Name: wire.Shown(r.PathValue("file"), 200)}
	if err := l.Put(r.Context(), r.PathValue("file"), r.Body, max(0, r.ContentLength)); err != nil {
		a.Error, a.Say = plain(err), api.Said(err)
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(a)
}

func (l *Library) put(ctx context.Context, j *job, from io.Reader) error {
	f, err := os.OpenFile(l.part(j.Name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return api.NotSaved(err)
	}
	err = l.copy(f, from, j, nil)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if j.Total > 0 && j.Done != j.Total {
		return api.Tell("bad_request", "net_short")
	}
	return l.take(ctx, j)
}

// discard removes an incomplete file and its note.
func (l *Library) discard(name string) error {
	var errs []error
	for _, p := range []string{l.part(name), l.part(name) + ".json"} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Stop ends a job; the incomplete file stays, and Fetch resumes it.
func (l *Library) Stop(n *api.NetworkName) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[n.Name]
	if j == nil {
		return api.Refuse("not_found", "no such file is on its way")
	}
	if j.stop != nil {
		j.stop()
	}
	return nil
}

// Forget removes a stopped job and the part of the file that has arrived.
func (l *Library) Forget(n *api.NetworkName) error {
	l.mu.Lock()
	j := l.jobs[n.Name]
	if j == nil || j.stop != nil {
		l.mu.Unlock()
		return api.Tell("busy", "net_stop")
	}
	delete(l.jobs, n.Name)
	err := l.discard(n.Name)
	l.mu.Unlock()
	l.changed()
	return err
}

// Remove deletes a network of the folder that is not in use.
func (l *Library) Remove(n *api.NetworkName) error {
	for _, net := range l.networks.List() {
		switch {
		case net.Name != n.Name:
		case net.InUse:
			return api.Tell("busy", "net_used")
		case !net.Removable:
			return api.Tell("bad_request", "net_foreign")
		default:
			if err := os.Remove(l.path(n.Name)); err != nil {
				return api.Refuse("internal", "%v", err)
			}
			l.changed()
			return nil
		}
	}
	return api.Tell("not_found", "net_gone")
}

// Close ends all jobs and waits for them; incomplete files stay.
func (l *Library) Close() {
	l.mu.Lock()
	for _, j := range l.jobs {
		if j.stop != nil {
			j.stop()
		}
	}
	l.mu.Unlock()
	l.work.Wait()
}
