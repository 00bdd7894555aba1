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

// Library is a folder of networks to which pages add files: a browser uploads a file, or the server
// downloads it from an https address and checks its sha256. A file is added once its network has
// loaded and evaluated a position. Make one with [NewLibrary].
type Library struct {
	networks *Networks
	request  func(*http.Request) (*http.Response, error)
	changed  func()
	// Limits: silence is the longest time without a byte, pause the wait before the first retry,
	// measure the time for measuring a speed.
	silence, pause, measure time.Duration

	mu   sync.Mutex
	jobs map[string]*job // jobs by file name
	work sync.WaitGroup
}

// job is an upload or a download.
type job struct {
	api.NetworkJob
	stop  context.CancelFunc // nil: it does not run
	hold  *file.Hold         // lock of the incomplete file; nil: not locked
	bytes int64              // size of the whole file, if announced
	began time.Time
	first int64 // size of the incomplete file at the start
	told  time.Time
}

// States of a job.
const (
	asking   = "asking"
	fetching = "fetching"
	checking = "checking"
	trying   = "trying"
	stopped  = "stopped"
	failed   = "failed"
	ready    = "ready"
)

// Bounds of downloads and uploads.
const (
	mostBytes   = 4 << 30
	tellEvery   = 200 * time.Millisecond
	mostRetries = 4
)

// partPrefix begins the names of incomplete files. Lists of networks omit these files.
const partPrefix = ".part-"

// note is the JSON file beside an incomplete download. It has the data that are needed to resume it.
type note struct {
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
	Latest string `json:"latest,omitempty"`
	ETag   string `json:"etag,omitempty"`
	Total  int64  `json:"total,omitempty"`
}

// NewLibrary returns the library for the folder of n. changed is called after every change, by any
// goroutine.
func NewLibrary(n *Networks, changed func()) *Library {
	l := newLibrary(n)
	l.changed = changed
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
		l.jobs[name] = &job{NetworkJob: api.NetworkJob{Name: name, Latest: about.Latest, URL: about.URL, SHA256: about.SHA256, State: stopped, Done: sizeOf(l.part(name)), Total: about.Total}}
	}
	return l
}

func newLibrary(n *Networks) *Library {
	l := &Library{networks: n, jobs: map[string]*job{}, request: n.conf.Request, silence: time.Minute, pause: time.Second, measure: 2 * time.Second}
	if l.request == nil {
		l.request = newClient()
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
	all := l.networks.files()
	for _, j := range l.jobs {
		if _, there := all[j.Name]; j.State != ready || there {
			s.Jobs = append(s.Jobs, j.NetworkJob)
		}
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

// begin makes j the job for a file. It refuses if another job runs for the file, or if j is a download and
// the folder has the file already.
func (l *Library) begin(j *job, as api.NetworkJob) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.jobs[as.Name]; now != nil && now.stop != nil && now != j {
		return api.Tell("busy", "net_coming", "name", as.Name)
	}
	if err := os.MkdirAll(l.networks.conf.Folder, 0o755); err != nil { // if the folder cannot be made, no request is sent
		return api.NotSaved(err)
	}
	if as.State == fetching {
		if err := l.clear(j, as); err != nil {
			return err
		}
		as.Done = sizeOf(l.part(as.Name))
	}
	if l.jobs[j.Name] == j {
		delete(l.jobs, j.Name)
	}
	j.NetworkJob, j.first, j.began = as, as.Done, time.Now()
	l.jobs[j.Name] = j
	return nil
}

// clear locks the incomplete file for j. It deletes the file if the address or the sha256 of its
// download differs from those of the new job.
func (l *Library) clear(j *job, as api.NetworkJob) (err error) {
	if _, there := l.networks.files()[as.Name]; there {
		return api.Tell("bad_request", "net_there")
	}
	if j.hold, err = file.Lock(l.part(as.Name)); errors.Is(err, file.ErrTaken) { // another program is fetching the file
		return api.Tell("busy", "net_coming", "name", as.Name)
	} else if err != nil {
		return api.NotSaved(err)
	}
	if old, err := l.about(as.Name); err != nil || old.URL != as.URL || old.SHA256 != as.SHA256 {
		if err := l.discard(as.Name); err != nil {
			return errors.Join(err, l.release(j, as.Name))
		}
	}
	return nil
}

// release unlocks the incomplete file.
func (l *Library) release(j *job, name string) error {
	if j.hold == nil {
		return nil
	}
	err := j.hold.Release()
	j.hold = nil
	_ = os.Remove(l.part(name) + ".lock") // a left-over is ignored
	return err
}

// tell changes a job and calls l.changed, but for unimportant changes at most once every tellEvery.
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

// Fetch starts or resumes a download. It returns before the download ends.
func (l *Library) Fetch(ctx context.Context, f *api.FetchNetwork) error {
	as, err := wanted(f)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	j := &job{stop: cancel}
	if err := l.begin(j, as); err != nil {
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

// wanted checks a request and returns it as a job that has not begun.
func wanted(f *api.FetchNetwork) (j api.NetworkJob, err error) {
	if f.Latest != "" && latest[f.Latest] == "" {
		return j, api.Tell("bad_request", "net_latest")
	}
	if f.Latest != "" && f.URL == "" {
		return api.NetworkJob{Name: f.Latest, Latest: f.Latest, State: asking}, nil
	}
	u, err := url.Parse(strings.TrimSpace(f.URL))
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return j, api.Tell("bad_request", "net_https")
	}
	sum := strings.ToLower(strings.TrimSpace(f.SHA256))
	if !sumText.MatchString(sum) {
		return j, api.Tell("bad_request", "net_sha")
	}
	name := path.Base(u.Path)
	return api.NetworkJob{Name: name, Latest: f.Latest, URL: u.String(), SHA256: sum, State: fetching}, nameOf(name)
}

// end records the result of a job.
func (l *Library) end(ctx context.Context, j *job, err error) {
	err = errors.Join(err, l.release(j, j.Name))
	l.tell(j, func() {
		j.stop, j.Speed = nil, 0
		switch {
		case err == nil && j.Latest != "":
			j.State = ready
		case err == nil:
			delete(l.jobs, j.Name)
		case ctx.Err() != nil:
			j.State = stopped
		default:
			j.State, j.Error, j.Say, j.Done = failed, plain(err), api.Said(err), sizeOf(l.part(j.Name))
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
	j := &job{stop: cancel}
	if err := l.begin(j, api.NetworkJob{Name: name, Total: size, State: fetching}); err != nil {
		return err
	}
	err := l.put(ctx, j, from)
	if err != nil {
		err = errors.Join(err, l.discard(name))
	}
	l.end(ctx, j, err)
	if err != nil {
		l.Forget(&api.NetworkName{Name: name}) // the answer reports the error
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

// Stop ends a job; an incomplete download stays, and Fetch resumes it.
func (l *Library) Stop(n *api.NetworkName) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[n.Name]
	if j == nil {
		return api.Refuse("not_found", "no such file is being fetched")
	}
	if j.stop != nil {
		j.stop()
	}
	return nil
}

// Forget removes a job that does not run, and the part of its file that has arrived.
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

// Remove deletes a network from the folder. It refuses the network in use.
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
			_ = os.Remove(l.path(speedFile(n.Name))) // a left-over is ignored
			l.changed()
			return nil
		}
	}
	return api.Tell("not_found", "net_gone")
}

// Close ends all jobs and waits for them; incomplete downloads stay.
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
