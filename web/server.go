package web

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kosumi/engine"
	"kosumi/life"
	"kosumi/review"
	"kosumi/web/access"
	"kosumi/web/api"
	"kosumi/web/documents"
	"kosumi/web/engines"
	"kosumi/web/folder"
	"kosumi/web/hub"
	"kosumi/web/levels"
	"kosumi/web/networks"
	"kosumi/web/player"
	"kosumi/web/proofs"
	"kosumi/web/record"
	"kosumi/web/reviews"
	"kosumi/web/training"
	"kosumi/web/ui"
)

// Config is what a server is made of.
type Config struct {
	Folder   string // where games, documents and the token are kept
	Version  string
	Backend  engines.Backend
	Networks *networks.Networks // the backend, where networks can be added to it; else nil
	Engine   engine.Config      // of every seat; size, rules and limits come from the game
	Reviews  string             // where reviews are kept; "" is the folder reviews of Folder
	Loops    []string           // folders of engine loop to show
	Life     life.Network       // what questions of life and death ask; nil: they are answered without
	Listen   string             // address; "" is loopback, the port of last time if it is free
	Names    []string           // further host names of this server
	TLS      *tls.Config
	NewToken bool
	Page     fs.FS // the page's files; nil: those in the program
	Dev      bool  // the page's files may change: nothing is cached
	Log      *slog.Logger
}

// Server is one running page. Make one with [New], [Server.Serve] it, and
// [Server.Close] it.
type Server struct {
	conf     Config
	page     ui.Files
	folder   *folder.Folder
	access   *access.Access
	warnings *hub.Warnings
	ln       net.Listener
	http     *http.Server

	ctx  context.Context // ends when the server closes
	stop context.CancelFunc
	jobs sync.WaitGroup

	newcomers newcomers
	hub       hub.Hub
	answers   answers

	engines  *engines.Engines
	games    *games
	docs     *documents.Documents
	reviews  *reviews.Reviews
	training *training.Training
	player   *player.Player
	library  *networks.Library // nil: networks cannot be added
	proofs   *proofs.Shared
}

// New opens the folder and the port. Errors of the folder wrap [folder.ErrTaken] if
// another server has it.
func New(c Config) (*Server, error) {
	if c.Engine.LevelFile == "" {
		c.Engine.LevelFile = filepath.Join(c.Folder, "levels.json")
	}
	if c.Reviews == "" {
		c.Reviews = filepath.Join(c.Folder, "reviews")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Page == nil {
		page, err := ui.Page()
		if err != nil {
			return nil, err
		}
		c.Page = page
	}
	s := &Server{conf: c, page: ui.Files{Files: c.Page, Dev: c.Dev}, warnings: hub.NewWarnings(c.Log), engines: engines.New(c.Backend, c.Engine, c.Log)}
	var err error
	if s.folder, err = folder.Open(c.Folder); err != nil {
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.docs = documents.New(s.folder, &s.hub, s.warnings)
	s.games = &games{folder: s.folder, pages: &s.hub, warnings: s.warnings, engines: s.engines, levels: levels.New(s.engines, s.warnings),
		log: c.Log, ctx: s.ctx, open: map[string]*game{}}
	s.training = training.New(c.Loops, &s.hub)
	s.proofs = proofs.New(c.Life)
	if c.Networks != nil {
		s.library = networks.NewLibrary(c.Networks, s.publishNetworks)
	}
	s.player = &player.Player{Profile: player.Open(c.Folder), Games: record.NewIndex(s.folder), Levels: s.games.levels, Pages: &s.hub}
	s.reviews, err = reviews.New(s.ctx, reviews.Config{Dir: c.Reviews, Pages: &s.hub, Warnings: s.warnings, Engines: s.engines, Log: c.Log, Version: c.Version, Finished: s.reviewed, Whose: s.player.Profile.Whose})
	s.player.Reviews = s.reviews
	if err == nil {
		err = s.open()
	}
	if err != nil {
		s.stop()
		s.folder.Close()
		return nil, err
	}
	s.jobs.Go(s.reviews.Work)
	s.http = &http.Server{Handler: s.access.Guard(s.routes(), isRoute), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug), TLSConfig: c.TLS}
	s.jobs.Go(s.watchEngine)
	return s, nil
}

// open reads what is kept and begins to listen.
func (s *Server) open() error {
	token, err := access.LoadToken(s.conf.Folder, s.conf.NewToken, func(text string) { s.conf.Log.Warn(text) })
	if err != nil {
		return fmt.Errorf("the token cannot be kept: %w", err)
	}
	if s.ln, err = listen(s.conf.Listen, s.folder.LastPort()); err != nil {
		return err
	}
	if s.access, err = access.New(s.ln.Addr(), s.conf.Names, s.conf.TLS != nil, token, s.warnings); err != nil {
		s.ln.Close()
		return err
	}
	if err := s.folder.KeepAddress(s.Address(), s.ln.Addr().(*net.TCPAddr).Port); err != nil {
		s.ln.Close()
		return err
	}
	return nil
}

// listen opens addr; without one, a port of loopback: the one of last time if it
// is free, so that the page's address and what browsers keep for it stay.
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

// Address is where the page is, without its key.
func (s *Server) Address() string {
	host := s.ln.Addr().(*net.TCPAddr)
	name := host.IP.String()
	if host.IP.IsUnspecified() {
		name = "127.0.0.1"
	}
	if len(s.conf.Names) > 0 {
		name = s.conf.Names[0]
	}
	return s.at(name)
}

// at is the page's address under a name of this machine.
func (s *Server) at(name string) string {
	return fmt.Sprintf("%s://%s/", s.access.Scheme(), net.JoinHostPort(name, fmt.Sprint(s.ln.Addr().(*net.TCPAddr).Port)))
}

// URL is the page's address with the token, for the person to whom this server
// belongs.
func (s *Server) URL() string { return s.Address() + "#k=" + s.access.Keys.Token }

// URLs are all that the page is reached by: first [Server.URL], and where the server
// listens on every address of this machine, those of its networks too.
func (s *Server) URLs() []string {
	all := []string{s.URL()}
	at := s.ln.Addr().(*net.TCPAddr)
	if !at.IP.IsUnspecified() {
		return all
	}
	own, err := access.NetworkAddresses()
	if err != nil {
		return all // New has listed them a moment ago
	}
	for _, ip := range own {
		if at.IP.To4() != nil && ip.To4() == nil || ip.IsLinkLocalUnicast() {
			continue
		}
		all = append(all, s.at(ip.String())+"#k="+s.access.Keys.Token)
	}
	return all
}

// OneTimeURL is an address that works once, within a minute: what is handed to
// other programs, whose arguments all users of a machine can see.
func (s *Server) OneTimeURL() string { return s.Address() + "#o=" + s.access.Keys.OneTime() }

// Serve answers until Close.
func (s *Server) Serve() error {
	var err error
	if s.conf.TLS != nil {
		err = s.http.ServeTLS(s.ln, "", "")
	} else {
		err = s.http.Serve(s.ln)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close ends all connections and searches.
func (s *Server) Close() error {
	s.stop()
	s.http.Close()
	s.hub.Each(func(c hub.Client) { c.(*conn).close(closeGoingAway, "the server stops") })
	s.jobs.Wait()
	if s.library != nil {
		s.library.Close()
	}
	s.games.Close()
	return s.folder.Close()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/hello", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]any{"app": "kosumi", "api": api.Version, "version": s.conf.Version})
	})
	mux.HandleFunc("GET /api/ws", s.serveSocket)
	mux.HandleFunc("GET /api/analysis", s.serveKataGo)
	mux.HandleFunc("POST /api/key", s.access.WithToken(func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]string{"url": s.OneTimeURL()})
	}))
	mux.HandleFunc("GET /api/games.zip", s.access.WithToken(s.player.ServeGames))
	mux.HandleFunc("GET /api/games/{file}", s.access.WithToken(serveSGF(s.games.SGF)))
	mux.HandleFunc("GET /api/docs/{file}", s.access.WithToken(serveSGF(s.docs.SGF)))
	mux.HandleFunc("GET /api/reviews/{file}", s.access.WithToken(s.reviews.ServeFile))
	mux.HandleFunc("POST /api/import", s.access.WithToken(s.serveImport))
	if s.library != nil {
		mux.HandleFunc("PUT /api/networks/{file}", s.access.WithToken(s.library.ServePut))
	}
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

// routes are the paths that the page itself knows; each gets index.html.
var routes = []string{"/", "/play", "/new", "/analyse", "/review", "/drills", "/training", "/settings", "/more", "/learn", "/problems", "/you", "/networks"}

func isRoute(p string) bool {
	for _, r := range routes {
		if p == r || r != "/" && strings.HasPrefix(p, r+"/") {
			return true
		}
	}
	return false
}

// watchEngine tells pages when the engine has changed, and looks after what nobody
// watches.
func (s *Server) watchEngine() {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	var last api.Engine
	var idle idleWatch
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		s.leaveIdle(&idle)
		if _, pages := s.hub.Watching(); pages == 0 {
			continue
		}
		s.training.Tell()
		if now := s.engines.Backend.Status(); now != last {
			last = now
			s.hub.Publish("engine", api.Event{T: "engine.state", D: now})
		}
	}
}

// publishNetworks tells pages which networks there are.
func (s *Server) publishNetworks() {
	if s.library != nil && s.hub.Watched("networks") {
		s.hub.Publish("networks", api.Event{T: "networks.state", D: s.library.State()})
	}
}

// reviewed lets a finished review count for its player.
func (s *Server) reviewed(id string, res *review.Result) {
	if err := s.player.Judged(id, res); err != nil {
		s.warnings.Warn(fmt.Sprintf("a review does not count for your rank yet: %v", err), "judged")
	}
	s.player.Publish()
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}
