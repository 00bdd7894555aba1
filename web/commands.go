package web

import (
	"encoding/json"
	"strings"
	"time"

	"kosumi/web/api"
)

// handler performs a command. once: the same command again gets the same answer.
// slow: it runs beside the commands that follow.
type handler struct {
	do   func(c *conn, d json.RawMessage) (any, error)
	once bool
	slow bool
}

// handlers are all commands by name; a function fills it, since some lead back
// to it.
var handlers = commands()

func commands() map[string]handler {
	return map[string]handler{
		"ping":    {do: quick((*conn).ping)},
		"ack":     {do: quick((*conn).acknowledge)},
		"visible": {do: quick((*conn).setVisible)},
		"watch":   {do: quick((*conn).startWatch)},
		"unwatch": {do: quick((*conn).stopWatch)},

		"network.use": {do: quick((*conn).useNetwork), slow: true},

		"game.new":      {do: quick((*conn).newGame), once: true},
		"game.play":     {do: quick((*conn).play), once: true},
		"game.undo":     {do: onGame((*game).undo), once: true},
		"game.redo":     {do: onGame((*game).redo), once: true},
		"game.resign":   {do: onGame((*game).resign), once: true},
		"game.pause":    {do: onGame((*game).pause), once: true},
		"game.resume":   {do: onGame((*game).resume), once: true},
		"game.delete":   {do: onGame((*game).remove), once: true},
		"game.score":    {do: quick((*conn).score), once: true},
		"game.hint":     {do: quick((*conn).hint), slow: true},
		"game.estimate": {do: quick((*conn).estimate), slow: true},

		"doc.new":    {do: quick((*conn).newDoc), once: true},
		"doc.delete": {do: quick((*conn).deleteDoc), once: true},
		"tree.op":    {do: quick((*conn).treeOp), once: true},

		"analysis.set": {do: quick((*conn).analyse)},

		"review.add":    {do: quick((*conn).addReview), once: true},
		"review.again":  {do: quick((*conn).againReview), once: true},
		"review.delete": {do: quick((*conn).deleteReview), once: true},
		"review.front":  {do: quick((*conn).frontReview), once: true},
		"review.pause":  {do: quick((*conn).pauseReviews)},
		"review.try":    {do: quick((*conn).tryMove), slow: true},

		"drill.next":   {do: oneDrill(quick((*conn).nextDrill)), slow: true},
		"drill.answer": {do: oneDrill(quick((*conn).answerDrill)), slow: true},
		"drill.grade":  {do: oneDrill(quick((*conn).gradeDrill)), slow: true},
	}
}

// quick reads what a command says and performs it.
func quick[T any](do func(*conn, *T) (any, error)) func(*conn, json.RawMessage) (any, error) {
	return func(c *conn, d json.RawMessage) (any, error) {
		var v T
		if len(d) > 0 {
			if err := json.Unmarshal(d, &v); err != nil {
				return nil, api.Refuse("bad_request", "%v", err)
			}
		}
		return do(c, &v)
	}
}

func onGame(do func(*game) error) func(*conn, json.RawMessage) (any, error) {
	return quick(func(c *conn, v *api.GameCommand) (any, error) {
		g, err := c.s.game(v.Game)
		if err != nil {
			return nil, err
		}
		return nil, g.command(v.Rev, do)
	})
}

func (c *conn) ping(p *api.Ping) (any, error) {
	return api.Pong{T0: p.T0, T1: float64(time.Now().UnixMicro()) / 1000}, nil
}

func (c *conn) acknowledge(a *api.Ack) (any, error) {
	c.ack(a.F)
	return nil, nil
}

func (c *conn) setVisible(v *api.Visible) (any, error) {
	c.mu.Lock()
	c.visible = v.Visible
	c.mu.Unlock()
	c.nudge()
	switch {
	case c.run == nil:
	case v.Visible:
		c.run.look()
	default:
		c.run.unseen()
	}
	return nil, nil
}

// startWatch answers with the state of what is watched.
func (c *conn) startWatch(w *api.Watch) (any, error) {
	if err := c.watch(w.What); err != nil {
		return nil, err
	}
	state, err := c.stateOf(w.What)
	if err != nil {
		c.unwatch(w.What)
	}
	return state, err
}

func (c *conn) stateOf(what string) (any, error) {
	kind, id, _ := strings.Cut(what, ":")
	switch kind {
	case "engine":
		return c.s.conf.Backend.Status(), nil
	case "games":
		return c.s.gameCards()
	case "docs":
		return c.s.docCards()
	case "training":
		return c.s.training.state(), nil
	case "reviews":
		return c.s.reviews.list()
	case "review":
		return c.s.reviews.state(id)
	case "game":
		g, err := c.s.game(id)
		if err != nil {
			return nil, err
		}
		g.wake()
		return g.state(), nil
	case "doc":
		d, err := c.s.doc(id)
		if err != nil {
			return nil, err
		}
		return d.state(), nil
	}
	return nil, api.Refuse("not_found", "nothing of that name can be watched")
}

func (c *conn) stopWatch(w *api.Watch) (any, error) {
	c.unwatch(w.What)
	return nil, nil
}

func (c *conn) useNetwork(n *api.Network) (any, error) {
	if err := c.s.conf.Backend.Use(n.Name); err != nil {
		return nil, api.Refuse("engine_failed", "%v", err)
	}
	c.s.reviews.interrupt() // it goes on with the new one
	return c.s.conf.Backend.Networks(), nil
}
