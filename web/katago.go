//go:build !js

package web

import (
	"net/http"
	"time"

	"github.com/coder/websocket"

	"kosumi/web/foreign"
)

// maxAnalysts is how many other programs may analyse at once.
const maxAnalysts = 8

// analysts bounds the connections of other programs.
var analysts = make(chan struct{}, maxAnalysts)

// serveKataGo answers other programs in KataGo's analysis protocol. They bring the token
// in the header, or in the address where they can do no better.
func (s *Server) serveKataGo(w http.ResponseWriter, r *http.Request) {
	if !s.access.Bearer(r) && !s.access.Keys.Admit(r.URL.Query().Get("token"), "") {
		time.Sleep(s.access.Keys.Penalty())
		http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		return
	}
	select {
	case analysts <- struct{}{}:
		defer func() { <-analysts }()
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
	foreign.Serve(s.ctx, ws, s.engines, s.conf.Version, s.conf.Log)
}
