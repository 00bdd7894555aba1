package web

import (
	"cmp"
	"strings"
	"time"

	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/store"
	"kosumi/web/wire"
)

func (c *conn) ping(p *api.Ping) (api.Pong, error) {
	return api.Pong{T0: p.T0, T1: float64(time.Now().UnixMicro()) / 1000}, nil
}

func (c *conn) setVisible(v *api.Visible) error {
	c.frames.see(v.Visible)
	switch {
	case c.run == nil:
	case v.Visible:
		wire.Wake(c.run.woken)
	default:
		c.run.unseen()
	}
	return nil
}

// startWatch begins to watch a topic and answers with its state.
func (c *conn) startWatch(w *api.Watch) (any, error) {
	if err := c.watch(w.What); err != nil {
		return nil, err
	}
	state, err := c.stateOf(w.What)
	if err != nil {
		c.unwatch(w)
	}
	return state, err
}

func (c *conn) stateOf(what string) (any, error) {
	kind, id, _ := strings.Cut(what, ":")
	if t := c.s.protocol.topics[kind]; t != nil {
		return t.state(c, id)
	}
	return nil, api.Refuse("not_found", "nothing of that name can be watched")
}

func (c *conn) useNetwork(n *api.Network) ([]api.Network, error) {
	if err := c.s.engines.Networks.Use(n.Name); err != nil {
		return nil, api.Refuse("engine_failed", "%v", err)
	}
	c.s.reviews.Interrupt() // the running review resumes with the new network
	c.s.publishNetworks()
	return c.s.engines.Networks.List(), nil
}

func (c *conn) fetchNetwork(f *api.FetchNetwork) error { return c.s.library.Fetch(c.s.ctx, f) }

// newDocument makes a document: an empty one, or one made from a game played here or from SGF.
func (s *Server) newDocument(n *api.NewDoc) (id api.ID, err error) {
	var root *sgf.Node // nil unless the document is made from a game
	if n.Game != "" {
		g, err := s.games.Open(n.Game)
		if err != nil {
			return id, err
		}
		root, _, _ = g.Record()
	}
	return s.docs.New(n, root)
}

// addReview queues a game played here, or a document, for review. The review of a finished game has
// the game's ID, so a second request returns the same review.
func (s *Server) addReview(a *api.AddReview) (api.ID, error) {
	var root *sgf.Node
	name, id := "", store.NewID()
	switch {
	case a.Game != "":
		g, err := s.games.Open(a.Game)
		if err != nil {
			return api.ID{}, err
		}
		tree, began, over := g.Record()
		if root, name = tree, began.Format("2006-01-02 15.04")+".sgf"; over {
			id = a.Game
		}
	case a.Doc != "":
		d, err := s.docs.Open(a.Doc)
		if err != nil {
			return api.ID{}, err
		}
		data, title, err := d.Record()
		if err != nil {
			return api.ID{}, err
		}
		roots, err := wire.ParseSGF(data) // parse a copy, since people go on changing the document
		if err != nil {
			return api.ID{}, err
		}
		root, name = roots[0], cmp.Or(title, "game")+".sgf"
	default:
		return api.ID{}, api.Refuse("bad_request", "a game or a document")
	}
	id, known, err := s.reviews.AddAs(id, name, root, nil, false)
	if err != nil {
		return api.ID{}, api.BadRequest(err)
	}
	s.reviews.PublishList()
	return api.ID{ID: id, Known: known}, nil
}

func (c *conn) nextDrill(n *api.NextDrill) (api.Drill, error) {
	return c.s.reviews.Drills.Next(&c.drill, n)
}

func (c *conn) answerDrill(a *api.DrillAnswer) (api.DrillVerdict, error) {
	v, err := c.s.reviews.Drills.Answer(c.ctx, &c.drill, a)
	if err == nil {
		c.s.player.Publish()
	}
	return v, err
}

func (c *conn) gradeDrill(g *api.GradeDrill) error { return c.s.reviews.Drills.Grade(&c.drill, g) }

func (c *conn) forgetProblems(v *api.ID) error {
	defer c.s.player.Publish()
	return c.s.reviews.Drills.Forget(v)
}
