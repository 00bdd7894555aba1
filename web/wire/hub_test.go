package wire_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/web/api"
	"kosumi/web/wire"
)

type client struct {
	topic string
	got   []api.Event
}

func (c *client) Topics() []string          { return []string{c.topic} }
func (c *client) Watches(topic string) bool { return topic == c.topic }
func (c *client) Post(e api.Event)          { c.got = append(c.got, e) }

func TestHub(t *testing.T) {
	var h wire.Hub
	a, b := &client{topic: "games"}, &client{topic: "docs"}
	require.False(t, h.Watched("games"))
	require.True(t, h.Enter(a))
	require.True(t, h.Enter(b))
	h.Publish("games", api.Event{T: "games.state"})
	require.Equal(t, []api.Event{{T: "games.state"}}, a.got)
	require.Empty(t, b.got)
	topics, clients := h.Watching()
	require.Equal(t, map[string]bool{"games": true, "docs": true}, topics)
	require.Equal(t, 2, clients)
	h.Leave(a)
	require.False(t, h.Watched("games"))
	for range wire.MaxClients - 1 {
		require.True(t, h.Enter(&client{}))
	}
	require.False(t, h.Enter(a), "there is no room")
}

func TestWarnings(t *testing.T) {
	var log bytes.Buffer
	w := wire.NewWarnings(slog.New(slog.NewTextHandler(&log, nil)))
	for range 3 {
		w.Warn("the disk is full", "disk")
		require.Equal(t, "broken", w.Unread("docs", "a.sgf", errors.New("broken")).Why)
	}
	require.Equal(t, 1, strings.Count(log.String(), "the disk is full"))
	require.Equal(t, 1, strings.Count(log.String(), "a.sgf cannot be read: broken"))
}
