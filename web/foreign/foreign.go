// Package foreign speaks KataGo's analysis protocol with other programs over a
// WebSocket: those that take the address of an analysis engine.
package foreign

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/coder/websocket"

	"kosumi/engine/analysis"
	"kosumi/katago/config"
	"kosumi/web/engines"
)

// Limits of one program.
const (
	writeWithin   = 10 * time.Second
	maxQuery      = 1 << 20 // bytes
	analystsQueue = 16 << 20
)

// Serve answers queries, as engine analysis does, one JSON object a message, until ctx or
// the connection ends. The searches run while nobody at the page waits. version is the
// program's.
func Serve(ctx context.Context, ws *websocket.Conn, es *engines.Engines, version string, log *slog.Logger) {
	ws.SetReadLimit(maxQuery)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conf := analysis.Defaults()
	conf.Version, conf.MaxLine, conf.MaxQueue, conf.QuitWithoutWaiting = version, maxQuery, analystsQueue, true
	conf.Search.Parallel.Workers = es.Config.Search.Parallel.Workers
	has := es.Memory.Grant()
	defer es.Memory.GiveBack(has)
	conf.Search.Memory.MaxBytes = max(engines.LeastBytes, has/int64(conf.Threads))
	conf.Overrides = config.PlainOverrides(conf.Search.Parallel.Workers)
	server, err := analysis.New(conf, es.SpareTime(), log)
	if err != nil {
		log.Error("analysis for another program", "error", err)
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
