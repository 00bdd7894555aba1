//go:build !js

package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"kosumi/web/api"
	"kosumi/web/wire"
)

// port is a server's listener and its HTTP server.
type port struct {
	ln   net.Listener
	http *http.Server
}

// Close ends all connections.
func (p *port) Close() { p.http.Close() }

// openPort reads the token and begins to listen.
func (s *Server) openPort() error {
	token, err := wire.LoadToken(s.conf.Folder, s.conf.NewToken, func(text string) { s.conf.Log.Warn(text) })
	if err != nil {
		return fmt.Errorf("the token cannot be kept: %w", err)
	}
	if s.port.ln, err = listen(s.conf.Listen, s.folder.LastPort()); err != nil {
		return err
	}
	if s.access, err = wire.NewAccess(s.port.ln.Addr(), s.conf.Names, s.conf.TLS != nil, token, s.warnings); err != nil {
		s.port.ln.Close()
		return err
	}
	if err := s.folder.KeepAddress(s.Address(), s.port.ln.Addr().(*net.TCPAddr).Port); err != nil {
		s.port.ln.Close()
		return err
	}
	s.port.http = &http.Server{Handler: s.access.Guard(s.routes(), isRoute), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(s.conf.Log.Handler(), slog.LevelDebug), TLSConfig: s.conf.TLS}
	return nil
}

// listen opens addr. Without addr it opens a port of the loopback interface, if possible the one
// used last, so that the page keeps its address and its data in the browser.
func listen(addr string, last int) (net.Listener, error) {
	if addr != "" {
		return net.Listen("tcp", addr)
	}
	if last > 0 {
		if ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", last)); err == nil {
			return ln, nil
		}
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

// Address is the page's address without the token.
func (s *Server) Address() string {
	host := s.port.ln.Addr().(*net.TCPAddr)
	name := host.IP.String()
	if host.IP.IsUnspecified() {
		name = "127.0.0.1"
	}
	if len(s.conf.Names) > 0 {
		name = s.conf.Names[0]
	}
	return s.at(name)
}

// at returns the page's address under a name of this machine.
func (s *Server) at(name string) string {
	return fmt.Sprintf("%s://%s/", s.access.Scheme(), net.JoinHostPort(name, fmt.Sprint(s.port.ln.Addr().(*net.TCPAddr).Port)))
}

// URL is the page's address with the token, for the owner of this server.
func (s *Server) URL() string { return s.Address() + "#k=" + s.access.Keys.Token }

// URLs are all addresses of the page: [Server.URL] first, then, if the server listens on every
// address, those on this machine's networks.
func (s *Server) URLs() []string {
	all := []string{s.URL()}
	at := s.port.ln.Addr().(*net.TCPAddr)
	if !at.IP.IsUnspecified() {
		return all
	}
	own, err := wire.NetworkAddresses()
	if err != nil {
		return all // cannot happen: New has checked the addresses
	}
	for _, ip := range own {
		if at.IP.To4() != nil && ip.To4() == nil || ip.IsLinkLocalUnicast() {
			continue
		}
		all = append(all, s.at(ip.String())+"#k="+s.access.Keys.Token)
	}
	return all
}

// OneTimeURL is an address that works once, within a minute. Use it on the command line of other
// programs, since all users of a machine can see command lines.
func (s *Server) OneTimeURL() string { return s.Address() + "#o=" + s.access.Keys.OneTime() }

// Serve answers until Close.
func (s *Server) Serve() error {
	var err error
	if s.conf.TLS != nil {
		err = s.port.http.ServeTLS(s.port.ln, "", "")
	} else {
		err = s.port.http.Serve(s.port.ln)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (s *Server) routes() http.Handler {
	mux := s.Handler()
	mux.HandleFunc("GET /api/hello", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]any{"app": "kosumi", "api": api.Version, "version": s.conf.Version})
	})
	mux.HandleFunc("GET /api/ws", s.serveSocket)
	mux.HandleFunc("GET /api/analysis", s.serveKataGo)
	mux.HandleFunc("POST /api/analysis", s.serveKataGo)
	mux.HandleFunc("POST /api/key", s.access.WithToken(func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]string{"url": s.OneTimeURL()})
	}))
	mux.HandleFunc("GET /assets/", s.page.ServeAsset)
	for _, name := range []string{"/manifest.webmanifest", "/icon.svg"} {
		mux.HandleFunc("GET "+name, s.page.ServeAsset)
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		if !isRoute(r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		s.page.ServePage(w, r)
	})
	return mux
}

// routes are the paths that get index.html; the page's script resolves them.
var routes = []string{"/", "/play", "/new", "/analyse", "/review", "/drills", "/training", "/settings", "/more", "/learn", "/problems", "/you", "/networks"}

func isRoute(p string) bool {
	return slices.ContainsFunc(routes, func(r string) bool { return p == r || r != "/" && strings.HasPrefix(p, r+"/") })
}

// serveSocket takes a WebSocket and serves it to its end.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{api.Subprotocol}})
	if err != nil {
		return // Accept has already sent the error
	}
	defer ws.CloseNow()
	ws.SetReadLimit(maxMessage)
	from, _, _ := net.SplitHostPort(r.RemoteAddr)
	s.Attend(webSocket{ws}, from)
}

// webSocket is a [Socket].
type webSocket struct{ ws *websocket.Conn }

// Read implements [Socket].
func (w webSocket) Read(ctx context.Context) ([]byte, error) {
	kind, data, err := w.ws.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = errNotText
	}
	return data, err
}

// Write implements [Socket].
func (w webSocket) Write(ctx context.Context, message []byte) error {
	return w.ws.Write(ctx, websocket.MessageText, message)
}

// Close implements [Socket]. It does not wait for a client that does not answer.
func (w webSocket) Close(code int, reason string) {
	end := time.AfterFunc(time.Second, func() { w.ws.CloseNow() })
	w.ws.Close(websocket.StatusCode(code), reason)
	end.Stop()
}
