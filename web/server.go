package web

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"kosumi/engine"
	"kosumi/life"
	"kosumi/review"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/reviews"
	"kosumi/web/store"
	"kosumi/web/ui"
	"kosumi/web/wire"
)

// Config is the configuration of a server.
type Config struct {
	Folder   string // folder of games, documents and the token
	Version  string
	Networks *engines.Networks
	Engine   engine.Config // settings of every engine; size, rules and limits come from the game
	Reviews  string        // folder of reviews; "" is Folder/reviews
	Training Training      // training loops for the page; nil: none
	Life     life.Network  // network for questions of life and death; nil: answered by proof alone
	Listen   string        // address to listen at; "" is loopback, if possible at the port used last
	Names    []string      // further host names of this server
	TLS      *tls.Config
	NewToken bool
	Page     fs.FS // the page's files; nil: those in the program
	Dev      bool  // the page's files may change: nothing is cached
	Log      *slog.Logger
}

// Training shows loops of self-play and training.
type Training interface {
	State() *api.Training
	// Tell publishes changes under the topic "training", if anybody watches it.
	Tell(pages *wire.Hub)
}

// Limits on requests served at a time.
const (
	maxImports  = 2
	maxAnalysts = 8
)

// Server serves the page for one folder of games. Make one with [New], call [Server.Serve], finally [Server.Close].
type Server struct {
	conf     Config
	page     ui.Files
	folder   *store.Folder
	access   *wire.Access
	warnings *wire.Warnings
	port     port

	ctx  context.Context // ends when the server closes
	stop context.CancelFunc
	jobs sync.WaitGroup

	imports  chan struct{} // holds one element for each running upload
	analysts chan struct{} // holds one element for each connection to /api/analysis

	protocol  *protocol
	newcomers newcomers
	hub       wire.Hub
	answers   answers

	engines *engines.Engines
	games   *games
	docs    *store.Documents
	reviews *reviews.Reviews
	player  *player
	library *engines.Library
	proofs  *engines.Proofs
}

// New opens the folder and the port. The error wraps [store.ErrTaken] if another server uses the
// folder.
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
	s := &Server{conf: c, page: ui.Files{Files: c.Page, Dev: c.Dev}, warnings: wire.NewWarnings(c.Log), engines: engines.New(c.Networks, c.Engine, c.Log),
		protocol: newProtocol(), imports: make(chan struct{}, maxImports), analysts: make(chan struct{}, maxAnalysts)}
	var err error
	if s.folder, err = store.OpenFolder(c.Folder); err != nil {
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.docs = store.NewDocuments(s.folder, &s.hub, s.warnings)
	s.games = newGames(s.ctx, s.folder, &s.hub, s.warnings, s.engines, c.Log)
	s.proofs = engines.NewProofs(c.Life)
	s.library = engines.NewLibrary(c.Networks, s.publishNetworks)
	s.player = &player{Profile: store.OpenProfile(c.Folder), Games: store.NewIndex(s.folder), Levels: s.games.levels, Pages: &s.hub}
	s.reviews, err = reviews.New(s.ctx, reviews.Config{Dir: c.Reviews, Pages: &s.hub, Warnings: s.warnings, Engines: s.engines, Log: c.Log, Version: c.Version, Finished: s.reviewed, Whose: s.player.Profile.Whose, Side: s.player.Profile.Side, Strength: s.games.levels.Strength})
	s.player.Reviews = s.reviews
	if err == nil {
		err = s.openPort()
	}
	if err != nil {
		s.stop()
		s.folder.Close()
		return nil, err
	}
	s.jobs.Go(s.reviews.Work)
	s.jobs.Go(s.watchEngine)
	return s, nil
}

// Close ends all connections and searches.
func (s *Server) Close() error {
	s.stop()
	s.port.Close()
	s.hub.Each(func(c wire.Client) { c.(*conn).close(closeGoingAway, "the server stops") })
	s.jobs.Wait()
	s.library.Close()
	s.games.Close()
	return s.folder.Close()
}

// Handler serves uploads and downloads of files.
func (s *Server) Handler() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/games.zip", s.access.WithToken(func(w http.ResponseWriter, _ *http.Request) {
		s.sendBackup(w, "kosumi-games-", s.player.Games.Saved(nil), nil) // all records, in the format of a backup
	}))
	mux.HandleFunc("POST /api/backup", s.access.WithToken(s.serveBackup))
	mux.HandleFunc("POST /api/restore", s.access.WithToken(s.inTurn(s.serveRestore)))
	mux.HandleFunc("GET /api/games/{file}", s.access.WithToken(serveSGF(s.games.SGF)))
	mux.HandleFunc("GET /api/docs/{file}", s.access.WithToken(serveSGF(s.docs.SGF)))
	mux.HandleFunc("GET /api/reviews/{file}", s.access.WithToken(s.reviews.ServeFile))
	mux.HandleFunc("POST /api/import", s.access.WithToken(s.inTurn(s.serveImport)))
	mux.HandleFunc("PUT /api/networks/{file}", s.access.WithToken(s.library.ServePut))
	return mux
}

// watchEngine tells pages when the engine or training has changed, and calls leaveIdle, twice a second.
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
		if s.conf.Training != nil {
			s.conf.Training.Tell(&s.hub)
		}
		if now := s.engines.Networks.Status(); now != last {
			last = now
			s.hub.Publish("engine", api.EngineNews.Of(now))
		}
	}
}

// publishNetworks tells pages which networks there are.
func (s *Server) publishNetworks() {
	if s.hub.Watched("networks") {
		s.hub.Publish("networks", api.NetworksNews.Of(*s.library.State()))
	}
}

// reviewed counts a finished review for the player's rating.
func (s *Server) reviewed(id string, res *review.Result) {
	fit, err := s.player.Judged(id, res)
	if err != nil {
		s.warnings.Warn(fmt.Sprintf("a review does not count for your rank yet: %v", err), "judged")
	}
	if fit != nil {
		s.games.refit(id, fit)
	}
	s.player.Publish()
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}
