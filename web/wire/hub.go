package wire

import (
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"kosumi/web/api"
)

// Client is a connection that watches topics. Its methods must not call the hub.
type Client interface {
	Topics() []string
	Watches(topic string) bool
	Post(api.Event)
}

// AloneFor is how long an unwatched game keeps its engine and running clock, and an unwatched document stays open.
const AloneFor = 30 * time.Second

// MaxClients bounds the clients of a hub.
const MaxClients = 128

// Hub holds the clients that are served. The zero Hub has none.
type Hub struct {
	mu      sync.Mutex
	clients map[Client]bool
}

// Enter adds a client. It returns false if there are too many.
func (h *Hub) Enter(c Client) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.clients) >= MaxClients {
		return false
	}
	if h.clients == nil {
		h.clients = map[Client]bool{}
	}
	h.clients[c] = true
	return true
}

// Leave removes a client.
func (h *Hub) Leave(c Client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.clients, c)
}

// Each calls f for each client, one after the other.
func (h *Hub) Each(f func(Client)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.clients {
		f(c)
	}
}

// Publish sends an event to all who watch a topic.
func (h *Hub) Publish(topic string, e api.Event) {
	h.Each(func(c Client) {
		if c.Watches(topic) {
			c.Post(e)
		}
	})
}

// Watched reports whether anybody watches a topic.
func (h *Hub) Watched(topic string) (yes bool) {
	h.Each(func(c Client) { yes = yes || c.Watches(topic) })
	return yes
}

// Watching returns all topics that are watched, and the number of clients.
func (h *Hub) Watching() (topics map[string]bool, clients int) {
	topics = map[string]bool{}
	h.Each(func(c Client) {
		clients++
		for _, t := range c.Topics() {
			topics[t] = true
		}
	})
	return topics, clients
}

// Warnings logs warnings that may repeat, each kind once a minute.
type Warnings struct {
	log  *slog.Logger
	mu   sync.Mutex
	last map[string]time.Time // by kind
}

// NewWarnings returns Warnings that write to log.
func NewWarnings(log *slog.Logger) *Warnings {
	return &Warnings{log: log, last: map[string]time.Time{}}
}

// Warn logs a text unless a text of the same kind was logged within a minute.
func (w *Warnings) Warn(text, kind string) {
	now := time.Now()
	w.mu.Lock()
	old := now.Sub(w.last[kind]) < time.Minute
	if !old {
		w.last[kind] = now
	}
	w.mu.Unlock()
	if !old {
		w.log.Warn(text)
	}
}

// Unread logs that a file cannot be read, and returns its entry for a list. kind is the file's
// folder.
func (w *Warnings) Unread(kind, name string, err error) api.Unread {
	file := filepath.Join(kind, name)
	w.Warn(file+" cannot be read: "+err.Error(), file)
	return api.Unread{File: file, Why: err.Error(), Say: api.Said(err)}
}
