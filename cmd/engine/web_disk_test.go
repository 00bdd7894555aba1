package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/api"
)

// webClient speaks with an `engine web` as a page does.
type webClient struct {
	t  *testing.T
	ws *websocket.Conn
	n  int
}

func dialWeb(t *testing.T, s *webServer) *webClient {
	t.Helper()
	address, token, _ := strings.Cut(s.url, "#k=")
	ws, _, err := websocket.Dial(t.Context(), address+"api/ws", &websocket.DialOptions{Subprotocols: []string{api.Subprotocol}})
	require.NoError(t, err)
	ws.SetReadLimit(8 << 20)
	t.Cleanup(func() { ws.CloseNow() })
	c := &webClient{t: t, ws: ws}
	_, err = c.send("hello", api.Hello{Token: token, API: []int{1}, Client: fmt.Sprint(rand.Uint64())}, nil)
	require.NoError(t, err)
	return c
}

// send sends a command. It returns the refusal, or an error if the connection ended before an
// answer.
func (c *webClient) send(name string, d, answer any) (*api.Error, error) {
	c.n++
	id := fmt.Sprint("c", c.n)
	data, err := json.Marshal(map[string]any{"t": name, "id": id, "d": d})
	if err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(c.t.Context(), time.Minute)
	defer done()
	if err := c.ws.Write(ctx, websocket.MessageText, data); err != nil {
		return nil, err
	}
	for {
		_, data, err := c.ws.Read(ctx)
		if err != nil {
			return nil, err
		}
		var m struct {
			T, Re string
			D     json.RawMessage
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, err
		}
		switch {
		case m.Re != id:
		case m.T == "err":
			e := new(api.Error)
			return e, json.Unmarshal(m.D, e)
		case answer != nil && len(m.D) > 0:
			return nil, json.Unmarshal(m.D, answer)
		default:
			return nil, nil
		}
	}
}

// get sends a command that must succeed, and returns the answer.
func get[T any](c *webClient, name string, d any) T {
	c.t.Helper()
	var v T
	refused, err := c.send(name, d, &v)
	require.NoError(c.t, err)
	require.Nil(c.t, refused)
	return v
}

// TestWebKilled kills the program at random moments while a document and a game change: every
// acknowledged change is on the disk when the program runs again.
func TestWebKilled(t *testing.T) {
	testshared.Long(t)
	seed := testshared.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	var doc, game string
	var noted, played []string
	for round := range 6 {
		server := startWeb(t, dir)
		c := dialWeb(t, server)
		if round == 0 {
			doc = get[api.ID](c, "doc.new", api.NewDoc{Size: [2]int{19, 19}}).ID
			game = get[api.ID](c, "game.new", api.NewGame{Size: [2]int{19, 19}, Rules: "chinese", Handicap: 90, Free: true, Colour: "b"}).ID
		}
		d := get[api.Doc](c, "watch", api.Watch{What: "doc:" + doc})
		for _, text := range noted {
			require.True(t, slices.ContainsFunc(d.Nodes, func(n api.Node) bool { return n.Note == text }), "%s was acknowledged", text)
		}
		g := get[api.GameState](c, "watch", api.Watch{What: "game:" + game})
		require.Subset(t, append([]string{""}, g.Setup...), played, "what was acknowledged")
		if round == 5 {
			return
		}
		killed := time.AfterFunc(time.Duration(r.IntN(400))*time.Millisecond, func() { server.cmd.Process.Kill() })
		rev := g.Rev
		for i := 0; ; i++ {
			text := fmt.Sprintf("round %d, note %d", round, i)
			var node api.NodeRef
			refused, err := c.send("tree.op", api.TreeOp{Doc: doc, Op: "play", Node: 0, Move: fmt.Sprintf("%c%d", "ABCDEFGHJKLMNOPQRST"[i%19], 1+round*3+i/19)}, &node)
			if err == nil && refused == nil {
				refused, err = c.send("tree.op", api.TreeOp{Doc: doc, Op: "note", Node: node.Node, Note: text}, nil)
			}
			if err != nil {
				break
			}
			if refused == nil {
				noted = append(noted, text)
			}
			stone := fmt.Sprintf("%c%d", "ABCDEFGHJKLMNOPQRST"[i%19], 1+round*3+i/19)
			if refused, err = c.send("game.play", api.Play{Game: game, Rev: rev, Move: stone}, nil); err != nil {
				break
			}
			if refused == nil {
				played = append(played, stone)
				rev++
			}
			time.Sleep(50 * time.Millisecond) // slow enough for the server's limit on the rate of messages
		}
		killed.Stop()
		server.kill()
	}
}
