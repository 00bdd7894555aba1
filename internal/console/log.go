package console

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// logHandler writes one line for each record: the message, then its attributes as key=value. Warnings
// and errors are marked. There are no time stamps, because GUIs show these lines.
type logHandler struct {
	mu    *sync.Mutex
	w     io.Writer
	level slog.Level
	attrs []slog.Attr
}

// NewLog returns a log that writes messages of at least a level.
func NewLog(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(&logHandler{mu: new(sync.Mutex), w: w, level: level})
}

func (h *logHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	switch {
	case r.Level >= slog.LevelError:
		b.WriteString("error: ")
	case r.Level >= slog.LevelWarn:
		b.WriteString("warning: ")
	}
	b.WriteString(r.Message)
	write := func(a slog.Attr) bool {
		b.WriteByte(' ')
		b.WriteString(a.Key)
		b.WriteByte('=')
		b.WriteString(a.Value.String())
		return true
	}
	for _, a := range h.attrs {
		write(a)
	}
	r.Attrs(write)
	line := Line(strings.ReplaceAll(b.String(), "\n", "; ")) + "\n"
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := io.WriteString(h.w, line)
	return err
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *h
	out.attrs = append(append([]slog.Attr{}, h.attrs...), attrs...)
	return &out
}

func (h *logHandler) WithGroup(string) slog.Handler { return h }
