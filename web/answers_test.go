package web

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

// TestNewcomers: if too many connections have not said hello, the machine with the most of them loses
// its oldest one.
func TestNewcomers(t *testing.T) {
	s := &Server{}
	add := func(from string) *conn {
		c := &conn{from: from}
		c.ctx, c.cancel = context.WithCancel(t.Context())
		s.newcomers.welcome(c)
		return c
	}
	honest := add("honest")
	first := add("crowd")
	for range 3 * maxNewcomers {
		add("crowd")
	}
	require.NoError(t, honest.ctx.Err(), "it is the oldest, but alone")
	require.Error(t, first.ctx.Err())
	require.Len(t, s.newcomers.conns, maxNewcomers)
	s.newcomers.forget(honest)
	require.NotContains(t, s.newcomers.conns, honest)
	require.Len(t, s.newcomers.conns, maxNewcomers-1)
}

// TestFullHouse opens as many pages as are allowed: the next one is told to try later.
func TestFullHouse(t *testing.T) {
	s := serve(t, t.TempDir())
	for range wire.MaxClients {
		join(t, s)
	}
	ws := dial(t, s)
	hello, err := json.Marshal(map[string]any{"t": "hello", "d": api.Hello{Token: s.access.Keys.Token}})
	require.NoError(t, err)
	require.NoError(t, ws.Write(t.Context(), websocket.MessageText, hello))
	_, _, err = ws.Read(t.Context())
	require.EqualValues(t, closeTryAgain, websocket.CloseStatus(err))
}

// answered returns a connection without a socket: its answers stay in its queue.
func answered(s *Server) *conn {
	c := &conn{s: s, events: make(chan api.Event, maxQueue), frames: newFrames(), client: store.NewID()}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	c.life = s.proofs.Asker(c.ctx, c.Post)
	return c
}

// TestEveryCommandIsAnswered sends good and bad commands to a server: each gets exactly one
// answer, ok or err, with its own ID.
func TestEveryCommandIsAnswered(t *testing.T) {
	s := serve(t, t.TempDir())
	c := answered(s)
	defer c.cancel()
	seed := testshared.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	other := join(t, s)
	game := begin(other, small("b")).Game
	doc := ask[api.ID](other, "doc.new", api.NewDoc{Size: [2]int{5, 5}}).ID
	names := []string{"", "no.such", "hello", "game.", "\x00", "tree.op\x00"}
	for name := range s.protocol.commands {
		names = append(names, name)
	}
	slices.Sort(names)
	words := []any{game, doc, store.NewID(), "", "b", "w", "pass", "C3", "Z99", "play", "delete", "promote", "note", "setup", "marks", "goto", "info", "docs", "games", "game:" + game, "doc:" + doc,
		"review:x", "reviews", "training", "japanese", "{}", "(;SZ[5];B[aa])", "(;", "../../token", "\u202e", true, false, nil, -1, 0, 1, 2, 3, 1e300, -0.5, 1 << 40, []any{}, []any{5, 5}, []any{0, 0}, []any{25, 25, 25},
		map[string]any{}, map[string]any{"visits": 1}, map[string]any{"kind": "byoyomi", "main": -1}, []any{map[string]any{"k": "lb", "p": "A1", "l": "]:\\"}}, []any{"A1", "B2"}}
	keys := []string{"game", "rev", "move", "doc", "node", "op", "id", "what", "size", "rules", "komi", "colour", "seat", "clock", "handicap", "free", "toggle", "accept", "ask", "playOn", "stage", "line", "note",
		"marks", "b", "w", "e", "pl", "sgf", "on", "visits", "f", "t0", "visible", "name", "review", "n", "m", "seconds", "grade", "again", "after", "set", "not", "paused", "avoid", "human", "threads", "c"}
	for i := range 2000 {
		id := fmt.Sprint("r", i)
		d := map[string]any{}
		for range r.IntN(7) {
			d[keys[r.IntN(len(keys))]] = words[r.IntN(len(words))]
		}
		if r.IntN(3) == 0 {
			d["doc"], d["node"], d["game"], d["rev"], d["size"] = doc, r.IntN(4), game, r.IntN(3), [2]int{5, 5}
		}
		cmd := map[string]any{"t": names[r.IntN(len(names))], "id": id, "d": d}
		switch r.IntN(20) {
		case 0:
			cmd["d"] = words[r.IntN(len(words))]
		case 1:
			cmd["t"] = words[r.IntN(len(words))]
		}
		data, err := json.Marshal(cmd)
		require.NoError(t, err)
		c.command(data)
		c.slow.Wait()
		answers := 0
		for len(c.events) > 0 {
			if e := <-c.events; e.Re != "" {
				require.Equal(t, id, e.Re)
				require.Contains(t, []string{"ok", "err"}, e.T)
				answers++
			}
		}
		require.Equal(t, 1, answers, "%s", data)
	}
	for _, tc := range []struct{ send, re string }{
		{`{"t":5,"id":"x"}`, "x"}, {`{"t":"ping","id":"` + longID + `"}`, longID}, {`[]`, ""}, {`{`, ""}, {`{"t":"ping","id":7}`, ""},
	} {
		c.command([]byte(tc.send))
		e := <-c.events
		for e.T != "err" && e.Re == "" { // skip events that are no answer
			e = <-c.events
		}
		require.Equal(t, "err", e.T)
		require.Equal(t, tc.re, e.Re, tc.send)
	}
	doc = ask[api.ID](other, "doc.new", api.NewDoc{Size: [2]int{5, 5}}).ID // the fuzzed commands may have deleted doc
	require.NoError(t, c.analyse(&api.Analyse{On: true, Doc: doc}))
	c.cancel()
	c.run.close()
}

var longID = fmt.Sprintf("%065d", 1)
