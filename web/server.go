package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/web/api"
	"kosumi/web/folder"
)

// Backend is what the server plays and analyses with.
type Backend interface {
	engine.Network
	// Status says how the network is, without waiting for it.
	Status() api.Engine
	// Networks lists the networks that can be chosen, by name.
	Networks() []api.Network
	// Use changes to another one of them; searches that are under way end with
	// the old one.
	Use(name string) error
	// Identity names the network, and tells apart what was searched by different
	// ones or at different precision; both are empty while it loads.
	Identity() (name, identity string)
	// SearchBegins keeps the network in place until the function that it returns is
	// called.
	SearchBegins(board.Size) (ends func())
}

// Config is what a server is made of.
type Config struct {
	Folder   string // where games, documents and the token are kept
	Version  string
	Backend  Backend
	Engine   engine.Config // of every seat; size, rules and limits come from the game
	Reviews  string        // where reviews are kept; "" is the folder reviews of Folder
	Loops    []string      // folders of engine loop to show
	Listen   string        // address; "" is loopback, the port of last time if it is free
	Names    []string      // further host names of this server
	TLS      *tls.Config
	NewToken bool
	Page     fs.FS // the page's files; nil: those in the program
	Dev      bool  // the page's files may change: nothing is cached
	Log      *slog.Logger
}

// Server is one running page. Make one with [New], [Server.Serve] it, and
// [Server.Close] it.
type Server struct {
	conf   Config
	log    *slog.Logger
	page   fs.FS
	hosts  map[string]bool
	keys   keys
	folder *folder.Folder
	desk   desk
	ln     net.Listener
	http   *http.Server

	ctx  context.Context // ends when the server closes
	stop context.CancelFunc
	jobs sync.WaitGroup

	newcomers newcomers

	mu         sync.Mutex
	conns      map[*conn]bool
	complained map[string]time.Time
	answers    map[string]*answer // by client and id, to answer a repeated command alike
	engineSeen api.Engine
	granted    int64 // bytes of trees, see grant
	games      map[string]*game
	docs       map[string]*doc
	places     map[string]int     // where documents were that are no longer open: IDs of nodes
	cards      map[string]docCard // of documents that are not open
	reviews    *reviews
	training   *training

	fit     sync.Mutex // the file of the player's levels
	reading sync.Mutex // of journals

	lastLook  time.Time // of leaveIdle, which alone uses them
	lastAlone time.Time // when the last page went; zero: there is one
}

// New opens the folder and the port. Errors of the folder wrap [folder.ErrTaken] if
// another server has it.
func New(c Config) (*Server, error) {
	s := &Server{conf: c, log: c.Log, page: c.Page, conns: map[*conn]bool{}, complained: map[string]time.Time{},
		answers: map[string]*answer{}, games: map[string]*game{}, docs: map[string]*doc{}, places: map[string]int{}, cards: map[string]docCard{}}
	if s.conf.Engine.LevelFile == "" {
		s.conf.Engine.LevelFile = filepath.Join(c.Folder, "levels.json")
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.page == nil {
		page, err := Page()
		if err != nil {
			return nil, err
		}
		s.page = page
	}
	var err error
	if s.folder, err = folder.Open(c.Folder); err != nil {
		return nil, err
	}
	s.training = openTraining(s)
	if s.reviews, err = openReviews(s); err == nil {
		err = s.open()
	}
	if err != nil {
		s.folder.Close()
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.jobs.Go(s.reviews.work)
	s.http = &http.Server{Handler: s.guard(s.routes()), ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), TLSConfig: c.TLS}
	s.jobs.Go(s.watchEngine)
	return s, nil
}

// open reads what is kept and begins to listen.
func (s *Server) open() error {
	var err error
	if s.keys.token, err = loadToken(s.conf.Folder, s.conf.NewToken, func(text string) { s.log.Warn(text) }); err != nil {
		return fmt.Errorf("the token cannot be kept: %w", err)
	}
	if s.ln, err = listen(s.conf.Listen, s.folder.LastPort()); err != nil {
		return err
	}
	if s.hosts, err = hostNames(s.ln.Addr(), s.conf.Names); err != nil {
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
	return fmt.Sprintf("%s://%s/", s.scheme(), net.JoinHostPort(name, fmt.Sprint(s.ln.Addr().(*net.TCPAddr).Port)))
}

// URL is the page's address with the token, for the person to whom this server
// belongs.
func (s *Server) URL() string { return s.Address() + "#k=" + s.keys.token }

// URLs are all that the page is reached by: first [Server.URL], and where the server
// listens on every address of this machine, those of its networks too.
func (s *Server) URLs() []string {
	all := []string{s.URL()}
	at := s.ln.Addr().(*net.TCPAddr)
	if !at.IP.IsUnspecified() {
		return all
	}
	own, err := networkAddresses()
	if err != nil {
		return all // New has listed them a moment ago
	}
	for _, ip := range own {
		if at.IP.To4() != nil && ip.To4() == nil || ip.IsLinkLocalUnicast() {
			continue
		}
		all = append(all, s.at(ip.String())+"#k="+s.keys.token)
	}
	return all
}

// OneTimeURL is an address that works once, within a minute: what is handed to
// other programs, whose arguments all users of a machine can see.
func (s *Server) OneTimeURL() string { return s.Address() + "#o=" + s.keys.oneTime() }

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
	s.mu.Lock()
	for c := range s.conns {
		c.close(closeGoingAway, "the server stops")
	}
	s.mu.Unlock()
	s.jobs.Wait()
	s.mu.Lock()
	games := s.games
	s.mu.Unlock()
	for _, g := range games {
		g.close()
	}
	return s.folder.Close()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/hello", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]any{"app": "kosumi", "api": api.Version, "version": s.conf.Version})
	})
	mux.HandleFunc("GET /api/ws", s.serveSocket)
	mux.HandleFunc("GET /api/analysis", s.serveKataGo)
	mux.HandleFunc("POST /api/key", s.withToken(func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]string{"url": s.OneTimeURL()})
	}))
	mux.HandleFunc("GET /api/games/{file}", s.withToken(s.serveGame))
	mux.HandleFunc("GET /api/docs/{file}", s.withToken(s.serveDoc))
	mux.HandleFunc("GET /api/reviews/{file}", s.withToken(s.serveReview))
	mux.HandleFunc("POST /api/import", s.withToken(s.serveImport))
	mux.HandleFunc("GET /assets/", s.serveAsset)
	for _, name := range []string{"/manifest.webmanifest", "/icon.svg"} {
		mux.HandleFunc("GET "+name, s.serveAsset)
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		if !isRoute(r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		s.servePage(w, r)
	})
	return mux
}

// withToken lets only requests with the token through.
func (s *Server) withToken(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if s.bearer(r) {
			next(w, r)
			return
		}
		select {
		case <-time.After(s.keys.penalty()):
		case <-r.Context().Done():
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
	}
}

// watchEngine tells pages when the engine has changed.
func (s *Server) watchEngine() {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		s.leaveIdle()
		s.mu.Lock()
		idle := len(s.conns) == 0
		s.mu.Unlock()
		if idle {
			continue
		}
		s.training.tell()
		now := s.conf.Backend.Status()
		s.mu.Lock()
		changed := now != s.engineSeen
		s.engineSeen = now
		s.mu.Unlock()
		if changed {
			s.publish("engine", api.Event{T: "engine.state", D: now})
		}
	}
}

// publish sends an event to all who watch a topic.
func (s *Server) publish(topic string, e api.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.watches(topic) {
			c.post(e)
		}
	}
}

// watched reports whether anybody watches a topic.
func (s *Server) watched(topic string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.watches(topic) {
			return true
		}
	}
	return false
}

// DefaultFolder is where games are kept unless told otherwise.
func DefaultFolder() (string, error) {
	if dir := os.Getenv("KOSUMI_HOME"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "kosumi"), nil
}

// build names the page's files: a page of another build is told to reload.
func (s *Server) build() string {
	data, err := fs.ReadFile(s.page, "build.txt")
	if err != nil {
		return "dev"
	}
	return strings.TrimSpace(string(data))
}
