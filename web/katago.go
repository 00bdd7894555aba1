//go:build !js

package web

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"kosumi/engine/analysis"
	"kosumi/katago/config"
	"kosumi/web/engines"
)

// serveKataGo answers other programs in KataGo's analysis protocol. They send the token in a
// header, or in the address if they cannot set headers.
func (s *Server) serveKataGo(w http.ResponseWriter, r *http.Request) {
	if !s.access.Bearer(r) && !s.access.Keys.Admit(r.URL.Query().Get("token"), "") {
		time.Sleep(s.access.Keys.Penalty())
		http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		return
	}
	select {
	case s.analysts <- struct{}{}:
		defer func() { <-s.analysts }()
	default:
		http.Error(w, "too many connections", http.StatusServiceUnavailable)
		return
	}
	s.jobs.Add(1)
	defer s.jobs.Done()
	if r.Method == http.MethodPost {
		s.answerQueries(w, r)
		return
	}
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has already sent the error
	}
	defer ws.CloseNow()
	s.analyse(ws)
}

// Limits for each program that asks, in bytes.
const (
	maxQuery      = 1 << 20
	analystsQueue = 16 << 20
)

// analyst returns an analysis server, and a function that gives its memory back. At the end of the
// input the server answers the remaining queries if finish is set, else it drops them. Errors are
// logged.
func (s *Server) analyst(finish bool) (*analysis.Server, func(), error) {
	conf := analysis.Defaults()
	conf.Version, conf.MaxLine, conf.MaxQueue, conf.QuitWithoutWaiting = s.conf.Version, maxQuery, analystsQueue, !finish
	conf.Search.Parallel.Workers = s.engines.Config.Search.Parallel.Workers
	has := s.engines.Memory.Grant()
	giveBack := func() { s.engines.Memory.GiveBack(has) }
	conf.Search.Memory.MaxBytes = max(engines.LeastBytes, has/int64(conf.Threads))
	conf.Overrides = config.PlainOverrides(conf.Search.Parallel.Workers)
	server, err := analysis.New(conf, s.engines.SpareTime(), s.conf.Log)
	if err != nil {
		giveBack()
		s.conf.Log.Error("analysis for another program", "error", err)
	}
	return server, giveBack, err
}

// answerQueries reads queries from the body of a request, one JSON object per line, and sends each
// answer as a line when it is ready. The queries are searched only while no page waits for a search.
func (s *Server) answerQueries(w http.ResponseWriter, r *http.Request) {
	queries, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxQuery))
	if err != nil {
		http.Error(w, "too many queries at once", http.StatusRequestEntityTooLarge)
		return
	}
	server, giveBack, err := s.analyst(true)
	if err != nil {
		http.Error(w, "analysis cannot start", http.StatusInternalServerError)
		return
	}
	defer giveBack()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	w.Header().Set("Content-Type", "application/x-ndjson")
	server.Serve(ctx, bytes.NewReader(queries), flushed{w, http.NewResponseController(w)})
}

// flushed sends each write at once.
type flushed struct {
	io.Writer
	now *http.ResponseController
}

// Write implements io.Writer.
func (f flushed) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	return n, cmp.Or(err, f.now.Flush())
}

// analyse answers queries as the command "engine analysis" does, one JSON object per message, until
// the server or the connection ends. Queries are searched only while no page waits for a search.
func (s *Server) analyse(ws *websocket.Conn) {
	ws.SetReadLimit(maxQuery)
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	server, giveBack, err := s.analyst(false)
	if err != nil {
		ws.Close(websocket.StatusInternalError, "analysis cannot start")
		return
	}
	defer giveBack()
	in, queries := io.Pipe()
	go func() {
		defer queries.Close()
		for {
			_, data, err := ws.Read(ctx)
			if err != nil {
				cancel()
				return
			}
			if _, err := queries.Write(append(bytes.TrimSpace(data), '\n')); err != nil {
				return
			}
		}
	}()
	server.Serve(ctx, in, messages{ws, ctx})
	in.Close()
	ws.Close(websocket.StatusNormalClosure, "")
}

// messages sends each line that is written to it as one WebSocket message.
type messages struct {
	ws  *websocket.Conn
	ctx context.Context
}

// Write implements io.Writer.
func (m messages) Write(line []byte) (int, error) {
	ctx, done := context.WithTimeout(m.ctx, writeWithin)
	defer done()
	return len(line), m.ws.Write(ctx, websocket.MessageText, bytes.TrimSuffix(line, []byte("\n")))
}
