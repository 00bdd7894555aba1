//go:build !js

package web

import (
	"bytes"
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
// header, or in the address if they cannot.
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
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer ws.CloseNow()
	s.analyse(ws)
}

// Limits of one program, in bytes.
const (
	maxQuery      = 1 << 20
	analystsQueue = 16 << 20
)

// analyse answers queries as engine analysis does, one JSON object per message, until the server
// or the connection ends. Its searches run only while no page waits for a search.
func (s *Server) analyse(ws *websocket.Conn) {
	ws.SetReadLimit(maxQuery)
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	conf := analysis.Defaults()
	conf.Version, conf.MaxLine, conf.MaxQueue, conf.QuitWithoutWaiting = s.conf.Version, maxQuery, analystsQueue, true
	conf.Search.Parallel.Workers = s.engines.Config.Search.Parallel.Workers
	has := s.engines.Memory.Grant()
	defer s.engines.Memory.GiveBack(has)
	conf.Search.Memory.MaxBytes = max(engines.LeastBytes, has/int64(conf.Threads))
	conf.Overrides = config.PlainOverrides(conf.Search.Parallel.Workers)
	server, err := analysis.New(conf, s.engines.SpareTime(), s.conf.Log)
	if err != nil {
		s.conf.Log.Error("analysis for another program", "error", err)
		ws.Close(websocket.StatusInternalError, "analysis cannot start")
		return
	}
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
	server.Serve(ctx, in, &messages{ws: ws, ctx: ctx})
	in.Close()
	ws.Close(websocket.StatusNormalClosure, "")
}

// messages sends each line as a message.
type messages struct {
	ws   *websocket.Conn
	ctx  context.Context
	rest []byte
}

// Write implements io.Writer.
func (m *messages) Write(p []byte) (int, error) {
	m.rest = append(m.rest, p...)
	for {
		line, rest, ok := bytes.Cut(m.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		ctx, done := context.WithTimeout(m.ctx, writeWithin)
		err := m.ws.Write(ctx, websocket.MessageText, line)
		done()
		if err != nil {
			return 0, err
		}
		m.rest = rest
	}
}
