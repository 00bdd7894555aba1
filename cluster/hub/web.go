package hub

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"
)

//go:embed live.html
var livePage []byte

// show serves the live page at /, its data at /status.json, and metrics for Prometheus at
// /metrics.
func (h *Hub) show() error {
	l, err := net.Listen("tcp", h.conf.Metrics)
	if err != nil {
		return fmt.Errorf("--metrics: %w", err)
	}
	h.web = &http.Server{Handler: h.handler(), ReadHeaderTimeout: 5 * time.Second}
	go h.web.Serve(l)
	h.conf.Log.Info("live page", "address", "http://"+l.Addr().String()+"/")
	return nil
}

func (h *Hub) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", h.server)
	mux.HandleFunc("GET /status.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		st := h.server.Status()
		json.NewEncoder(w).Encode(st.Public()) // fails if the client hangs up
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'")
		w.Write(livePage)
	})
	return mux
}
