package engines

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"kosumi/web/api"
)

// Addresses of KataGo's training site, which knows its strongest and its newest network.
const (
	trainingHost = "katagotraining.org"
	trainingSite = "https://" + trainingHost + "/api/networks/"
	trainingPage = "https://" + trainingHost + "/networks/"
)

// latest has the site's paths for the network names in api.FetchNetwork.Latest.
var latest = map[string]string{"strongest": "get_strongest/", "newest": "newest_training/"}

// mostAnswer bounds the site's answer, in bytes.
const mostAnswer = 1 << 20

// offered is the part of the site's answer that is used.
type offered struct {
	File   string `json:"model_file"` // https address
	Bytes  int64  `json:"model_file_bytes"`
	SHA256 string `json:"model_file_sha256"`
}

// ask asks the site for a network. If the folder has the network's file already, j ends in the
// state ready; otherwise j becomes the download of this file.
func (l *Library) ask(ctx context.Context, j *job) error {
	o, err := l.question(ctx, j.Latest)
	if err != nil {
		return err
	}
	strange := api.Tell("bad_request", "net_answer", "host", trainingHost, "page", trainingPage)
	if o.File == "" || o.Bytes <= 0 {
		return strange
	}
	if o.Bytes > mostBytes {
		return api.Tell("bad_request", "net_large", "n", mostBytes>>30)
	}
	as, err := wanted(&api.FetchNetwork{URL: o.File, SHA256: o.SHA256, Latest: j.Latest})
	if err != nil {
		return strange
	}
	as.Total, j.bytes = o.Bytes, o.Bytes
	if path, there := l.networks.files()[as.Name]; there {
		if sum, err := sumOf(ctx, path); err != nil || sum != as.SHA256 {
			return cmp.Or(err, api.Tell("bad_request", "net_there"))
		}
		as.State, as.Done = ready, as.Total
	}
	return l.begin(j, as)
}

// question asks the site for its strongest or its newest network.
func (l *Library) question(ctx context.Context, name string) (o offered, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.silence)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, trainingSite+latest[name], nil)
	if err != nil {
		return o, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := l.request(req)
	if err != nil {
		return o, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return o, api.Tell("bad_request", "net_status", "status", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err == nil && json.Unmarshal(data, &o) != nil {
		o = offered{}
	}
	return o, err
}

// FetchLatest downloads KataGo's strongest or newest network into the folder of c, unless the
// folder has it already. It resumes a download that was broken off. It calls tell with the
// progress, and returns the network and its path.
func FetchLatest(ctx context.Context, c NetworksConfig, name string, tell func(api.NetworkJob)) (api.Network, string, error) {
	l := newLibrary(&Networks{conf: c})
	as, err := wanted(&api.FetchNetwork{Latest: name})
	if err != nil {
		return api.Network{}, "", err
	}
	j := &job{}
	l.changed = func() {
		l.mu.Lock()
		now := j.NetworkJob
		l.mu.Unlock()
		tell(now)
	}
	if err := l.begin(j, as); err != nil {
		return api.Network{}, "", err
	}
	err = l.fetch(ctx, j)
	l.end(ctx, j, err)
	path := l.path(j.Name)
	return api.Network{Name: j.Name, Bytes: sizeOf(path), Speed: l.networks.speedOf(j.Name)}, path, err
}
