package web

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"kosumi/engine"
	"kosumi/internal/browsertest"
	"kosumi/internal/testshared"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// loaded is a network whose Close does nothing, so that servers can share it.
type loaded struct{ nn.Network }

func (loaded) Wait() error           { return nil }
func (loaded) Loaded() (bool, error) { return true, nil }
func (loaded) Close() error          { return nil }

// only returns Networks that open net whatever file is asked for.
func only(net nn.Network, folder string) *engines.Networks {
	return engines.NewNetworks(engines.NetworksConfig{Folder: filepath.Join(folder, "networks"), Open: func(string) engines.Network { return loaded{net} }})
}

var bare = fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>Kosumi</title>")}, "assets/a.js": {Data: []byte("1")}, "build.txt": {Data: []byte("b1")}}

// serve starts a server with the embedded network. The network has a single session, to leave
// processors for other tests.
func serve(t *testing.T, folder string) *Server {
	t.Helper()
	return serveWith(t, "", Config{Folder: folder, Page: bare})
}

// serveWith starts a server with the network in a file, or with the embedded network if file is empty.
func serveWith(t *testing.T, file string, c Config) *Server {
	t.Helper()
	net, err := networkOf(file)
	require.NoError(t, err)
	conf := engine.Defaults()
	conf.Search.Parallel.Workers = 8
	c.Version, c.Networks, c.Engine = "1.2.3", only(nn.AsNetwork(net), c.Folder), conf
	s, err := New(c)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve() }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-done)
	})
	return s
}

// networks are the networks of the tests by file, each opened once.
var networks struct {
	sync.Mutex
	open map[string]*nn.Server
}

func networkOf(file string) (*nn.Server, error) {
	networks.Lock()
	defer networks.Unlock()
	if net := networks.open[file]; net != nil {
		return net, nil
	}
	m, err := model.Open(file, model.Config{Precision: "auto"})
	if err != nil {
		return nil, err
	}
	net, err := nn.NewServer(m, nn.ServerConfig{Sessions: 1, MaxBatch: 4, CacheBytes: 32 << 20})
	if err == nil {
		if networks.open == nil {
			networks.open = map[string]*nn.Server{}
		}
		networks.open[file] = net
	}
	return net, err
}

// client speaks to a server over a WebSocket, as the page does.
type client struct {
	t  *testing.T
	ws *websocket.Conn
	n  int

	since []message // events that came while the last request waited for its answer
}

type message struct {
	T  string          `json:"t"`
	Re string          `json:"re"`
	F  int64           `json:"f"`
	D  json.RawMessage `json:"d"`
}

func dial(t *testing.T, s *Server) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), s.Address()+"api/ws", &websocket.DialOptions{Subprotocols: []string{api.Subprotocol}})
	require.NoError(t, err)
	ws.SetReadLimit(8 << 20)
	t.Cleanup(func() { ws.CloseNow() })
	return ws
}

func join(t *testing.T, s *Server) *client {
	t.Helper()
	c := &client{t: t, ws: dial(t, s)}
	w := ask[api.Welcome](c, "hello", api.Hello{Token: s.access.Keys.Token, API: []int{1}, Client: store.NewID()})
	require.Equal(t, api.Version, w.API)
	return c
}

func (c *client) post(typ, id string, d any) {
	c.t.Helper()
	data, err := json.Marshal(map[string]any{"t": typ, "id": id, "d": d})
	require.NoError(c.t, err)
	require.NoError(c.t, c.ws.Write(c.t.Context(), websocket.MessageText, data))
}

func (c *client) read() message {
	c.t.Helper()
	ctx, done := context.WithTimeout(c.t.Context(), browsertest.Patience)
	defer done()
	var m message
	_, data, err := c.ws.Read(ctx)
	require.NoError(c.t, err)
	require.NoError(c.t, json.Unmarshal(data, &m))
	return m
}

// request sends a command and returns its answer. Events in between are kept for until.
func (c *client) request(typ string, d any) message {
	c.t.Helper()
	c.n++
	c.since = nil
	id := fmt.Sprint("c", c.n)
	c.post(typ, id, d)
	for {
		m := c.read()
		if m.Re == id {
			return m
		}
		c.since = append(c.since, m)
	}
}

func (c *client) ask(typ string, d, answer any) {
	c.t.Helper()
	m := c.request(typ, d)
	require.NotEqual(c.t, "err", m.T, string(m.D))
	if answer != nil {
		require.NoError(c.t, json.Unmarshal(m.D, answer))
	}
}

func (c *client) refused(typ string, d any) api.Error {
	c.t.Helper()
	m := c.request(typ, d)
	require.Equal(c.t, "err", m.T, string(m.D))
	var e api.Error
	require.NoError(c.t, json.Unmarshal(m.D, &e))
	return e
}

// until reads events of one kind, from the last request on, until one satisfies a condition.
func until[T any](c *client, typ string, want func(*T) bool) *T {
	c.t.Helper()
	for {
		var m message
		if len(c.since) > 0 {
			m, c.since = c.since[0], c.since[1:]
		} else {
			m = c.read()
		}
		if m.F > 0 {
			c.post("ack", "", api.Ack{F: m.F})
		}
		if m.T != typ {
			continue
		}
		v := new(T)
		require.NoError(c.t, json.Unmarshal(m.D, v))
		if want(v) {
			return v
		}
	}
}

// TestRefusals: requests from other sites, for other host names or without the token are refused,
// and no answer shows a secret.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret.sgf"), []byte("secret"), 0o600))
	s := serve(t, filepath.Join(dir, "home"))
	own := strings.TrimSuffix(strings.TrimPrefix(s.Address(), "http://"), "/")
	port := own[strings.LastIndex(own, ":"):]
	type header = map[string]string
	for _, tc := range []struct {
		name, method, path, host string
		header                   header
		want                     int
	}{
		{"the page", "GET", "/", "", nil, 200},
		{"a game's page", "GET", "/play/abc", "", nil, 200},
		{"an asset", "GET", "/assets/a.js", "", nil, 200},
		{"by localhost", "GET", "/", "localhost" + port, nil, 200},
		{"a link from elsewhere", "GET", "/", "", header{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200},
		{"who are you", "GET", "/api/hello", "", nil, 200},
		{"DNS rebinding", "GET", "/", "evil.example" + port, nil, 421},
		{"a name that begins like ours", "GET", "/", "127.0.0.1.evil.example" + port, nil, 421},
		{"another port", "GET", "/", "127.0.0.1:1", nil, 421},
		{"no port", "GET", "/", "127.0.0.1", nil, 421},
		{"another site", "GET", "/api/hello", "", header{"Origin": "http://evil.example"}, 403},
		{"another port's page", "GET", "/api/hello", "", header{"Origin": "http://127.0.0.1:1"}, 403},
		{"https for http", "GET", "/api/hello", "", header{"Origin": "https://" + own}, 403},
		{"origin null", "GET", "/api/hello", "", header{"Origin": "null"}, 403},
		{"a script of another site", "GET", "/assets/a.js", "", header{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"a frame's navigation to the API", "GET", "/api/hello", "", header{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403},
		{"another site's socket", "GET", "/api/ws", "", header{"Origin": "http://evil.example", "Connection": "Upgrade", "Upgrade": "websocket"}, 403},
		{"rebound socket", "GET", "/api/ws", "evil.example" + port, header{"Origin": "http://evil.example" + port, "Connection": "Upgrade", "Upgrade": "websocket"}, 421},
		{"no token", "GET", "/api/games/" + store.NewID() + ".sgf", "", nil, 401},
		{"wrong token", "POST", "/api/import", "", header{"Authorization": "Bearer x"}, 401},
		{"token in the query", "POST", "/api/import?token=" + s.access.Keys.Token, "", nil, 401},
		{"no such game", "GET", "/api/games/" + store.NewID() + ".sgf", "", header{"Authorization": "Bearer " + s.access.Keys.Token}, 404},
		{"a path for a game", "GET", "/api/games/..%2f..%2fsecret.sgf", "", header{"Authorization": "Bearer " + s.access.Keys.Token}, 404},
		{"a path for a document", "GET", "/api/docs/%2e%2e%2f%2e%2e%2fsecret.sgf", "", header{"Authorization": "Bearer " + s.access.Keys.Token}, 404},
		{"a path for a review", "GET", "/api/reviews/..%2f..%2ftoken.json", "", header{"Authorization": "Bearer " + s.access.Keys.Token}, 404},
		{"no such review", "GET", "/api/reviews/" + store.NewID() + ".html", "", header{"Authorization": "Bearer " + s.access.Keys.Token}, 404},
		{"a review without a token", "GET", "/api/reviews/" + store.NewID() + ".json", "", nil, 401},
		{"analysis without a token", "GET", "/api/analysis", "", nil, 401},
		{"analysis from another site", "GET", "/api/analysis?token=" + s.access.Keys.Token, "", header{"Origin": "http://evil.example"}, 403},
		{"a path for an asset", "GET", "/assets/..%2f..%2fsecret.sgf", "", nil, 404},
		{"the key file", "GET", "/token", "", nil, 404},
		{"not a method", "DELETE", "/", "", nil, 405},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req, err := http.NewRequest(tc.method, s.Address()+strings.TrimPrefix(tc.path, "/"), nil)
			require.NoError(t, err)
			if tc.host != "" {
				req.Host = tc.host
			}
			for k, v := range tc.header {
				req.Header.Set(k, v)
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			require.Equal(t, tc.want, resp.StatusCode, string(body))
			require.NotContains(t, string(body), "secret")
			require.NotContains(t, string(body), s.access.Keys.Token)
			require.Empty(t, resp.Header.Get("Access-Control-Allow-Origin"))
			require.Equal(t, wire.Policy, resp.Header.Get("Content-Security-Policy"))
			require.Equal(t, "nosniff", resp.Header.Get("X-Content-Type-Options"))
			require.Equal(t, "no-referrer", resp.Header.Get("Referrer-Policy"))
		})
	}
}

// TestStrangers: sockets without a valid hello are closed. Floods and silent sockets do not stop other clients.
func TestStrangers(t *testing.T) {
	testshared.Slow(t)
	t.Parallel()
	s := serve(t, t.TempDir())
	player := join(t, s)
	for _, tc := range []struct {
		name  string
		typ   websocket.MessageType
		send  string
		wants websocket.StatusCode
	}{
		{"no hello", websocket.MessageText, `{"t":"games"}`, closeNoToken},
		{"no token", websocket.MessageText, `{"t":"hello","d":{}}`, closeNoToken},
		{"wrong token", websocket.MessageText, `{"t":"hello","d":{"token":"` + wire.RandomText(32) + `"}}`, closeNoToken},
		{"an empty key", websocket.MessageText, `{"t":"hello","d":{"key":""}}`, closeNoToken},
		{"not JSON", websocket.MessageText, `hello`, closeNoToken},
		{"another version", websocket.MessageText, `{"t":"hello","d":{"token":"` + s.access.Keys.Token + `","api":[99]}}`, closePolicy},
		{"10 MB", websocket.MessageText, strings.Repeat("x", 10<<20), websocket.StatusMessageTooBig},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ws := dial(t, s)
			ws.Write(t.Context(), tc.typ, []byte(tc.send)) // fails once the server has closed the connection
			_, data, err := ws.Read(t.Context())
			require.Error(t, err, string(data))
			if got := websocket.CloseStatus(err); got != -1 {
				require.Equal(t, tc.wants, got)
			}
		})
	}
	t.Run("one-time key", func(t *testing.T) {
		key := s.access.Keys.OneTime()
		c := &client{t: t, ws: dial(t, s)}
		w := ask[api.Welcome](c, "hello", api.Hello{Key: key, API: []int{1}})
		require.Equal(t, s.access.Keys.Token, w.Token)
		ws := dial(t, s)
		data, err := json.Marshal(map[string]any{"t": "hello", "d": api.Hello{Key: key}})
		require.NoError(t, err)
		require.NoError(t, ws.Write(t.Context(), websocket.MessageText, data))
		_, _, err = ws.Read(t.Context())
		require.EqualValues(t, closeNoToken, websocket.CloseStatus(err), "it works once")
	})
	t.Run("binary", func(t *testing.T) {
		c := join(t, s)
		require.NoError(t, c.ws.Write(t.Context(), websocket.MessageBinary, []byte("x")))
		_, _, err := c.ws.Read(t.Context())
		require.Equal(t, websocket.StatusUnsupportedData, websocket.CloseStatus(err))
	})
	t.Run("10,000 messages", func(t *testing.T) {
		c := join(t, s)
		for range 10_000 {
			if c.ws.Write(t.Context(), websocket.MessageText, []byte(`{"t":"ping","id":"p","d":{}}`)) != nil {
				break
			}
		}
		for range 10_000 { // each command is answered, or the connection ends
			if _, _, err := c.ws.Read(t.Context()); err != nil {
				require.Contains(t, []websocket.StatusCode{closeTryAgain, -1}, websocket.CloseStatus(err))
				break
			}
		}
	})
	t.Run("silent sockets", func(t *testing.T) {
		for range 5 * maxNewcomers {
			dial(t, s)
		}
		c := join(t, s) // the owner can connect despite the silent sockets
		require.LessOrEqual(t, s.newcomers.count(), maxNewcomers)
		c.ask("ping", api.Ping{}, nil)
		require.Eventually(t, func() bool { return s.newcomers.count() == 0 }, browsertest.Patience, 50*time.Millisecond, "nobody waits beyond the time for a hello")
	})
	p := ask[api.Pong](player, "ping", api.Ping{T0: 7})
	require.Equal(t, 7.0, p.T0, "others go on")
	require.Equal(t, "unsupported", player.refused("no.such", nil).Code)
	require.Equal(t, "bad_request", player.refused("game.new", "text").Code)
	require.Equal(t, "not_found", player.refused("watch", api.Watch{What: "game:../../token"}).Code)
	require.Equal(t, "not_found", player.refused("watch", api.Watch{What: "doc:" + store.NewID()}).Code)
}

// TestOneServer requires that a folder has only one server: a second one learns the address of the
// first, and does not change the token.
func TestOneServer(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir)
	_, err := New(Config{Folder: dir, Page: bare, NewToken: true})
	var taken *store.TakenError
	require.ErrorAs(t, err, &taken)
	require.Equal(t, s.Address(), taken.Address)
	token, err := wire.LoadToken(dir, false, nil)
	require.NoError(t, err)
	require.Equal(t, s.access.Keys.Token, token)
}

// TestURLs requires that a server on all addresses of this machine lists them, except link-local
// ones, and answers at each.
func TestURLs(t *testing.T) {
	s := serveWith(t, "", Config{Folder: t.TempDir(), Page: bare, Listen: ":0"})
	all := s.URLs()
	require.Equal(t, s.URL(), all[0])
	require.Regexp(t, `^http://127\.0\.0\.1:`, all[0])
	own, err := wire.NetworkAddresses()
	require.NoError(t, err)
	for _, ip := range own {
		url := s.at(ip.String()) + "#k=" + s.access.Keys.Token
		if ip.IsLinkLocalUnicast() {
			require.NotContains(t, all, url, "needs a zone, which no browser takes")
			continue
		}
		require.Contains(t, all, url)
		at, err := http.NewRequest("GET", url, nil)
		require.NoError(t, err)
		require.True(t, s.access.Ours(at.URL.Host), url)
	}
	browser := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, url := range all {
		page, err := browser.Get(url)
		require.NoError(t, err)
		require.NoError(t, page.Body.Close())
		require.Equal(t, http.StatusOK, page.StatusCode, url)
	}
	require.Len(t, serve(t, t.TempDir()).URLs(), 1, "on loopback there is one")
}

// count returns the number of newcomers.
func (n *newcomers) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.conns)
}
