package web

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"kosumi/sgf"
	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/reviews"
	"kosumi/web/store"
	"kosumi/web/wire"
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

		"network.use":    {do: quick((*conn).useNetwork), slow: true},
		"network.fetch":  {do: library((*conn).fetchNetwork)},
		"network.stop":   {do: library(ofLibrary((*engines.Library).Stop))},
		"network.forget": {do: library(ofLibrary((*engines.Library).Forget))},
		"network.remove": {do: library(ofLibrary((*engines.Library).Remove))},

		"levels.on":    {do: asks(theGames, (*games).LevelsOn), slow: true},
		"player.rank":  {do: tells(theGames, (*games).PlayerRank), once: true},
		"player.names": {do: tells(thePlayer, (*player).SayNames), once: true},

		"game.new":      {do: asks(theGames, (*games).New), once: true},
		"game.play":     {do: tells(theGames, (*games).Play), once: true},
		"game.undo":     {do: tells(theGames, onGame((*game).undo)), once: true},
		"game.redo":     {do: tells(theGames, onGame((*game).redo)), once: true},
		"game.resign":   {do: tells(theGames, onGame((*game).resign)), once: true},
		"game.pause":    {do: tells(theGames, onGame((*game).pause)), once: true},
		"game.resume":   {do: tells(theGames, onGame((*game).resume)), once: true},
		"game.delete":   {do: tells(theGames, onGame((*game).remove)), once: true},
		"game.teach":    {do: tells(theGames, (*games).Teach), once: true},
		"game.keep":     {do: tells(theGames, onGame((*game).keep)), once: true},
		"game.score":    {do: tells(theGames, (*games).Score), once: true},
		"game.hint":     {do: searches(theGames, (*games).Hint), slow: true},
		"game.estimate": {do: searches(theGames, (*games).Estimate), slow: true},

		"doc.new":    {do: asks(itself, (*Server).newDocument), once: true},
		"doc.delete": {do: tells(theDocuments, (*store.Documents).Delete), once: true},
		"tree.op":    {do: asks(theDocuments, (*store.Documents).Edit), once: true},

		"analysis.set": {do: quick((*conn).analyse)},

		"life.ask":  {do: quick((*conn).askLife)},
		"life.stop": {do: quick((*conn).stopLife)},
		"life.play": {do: quick((*conn).playLife)},

		"review.add":    {do: asks(itself, (*Server).addReview), once: true},
		"review.again":  {do: asks(theReviews, (*reviews.Reviews).Again), once: true},
		"review.delete": {do: tells(theReviews, (*reviews.Reviews).Delete), once: true},
		"review.front":  {do: tells(theReviews, (*reviews.Reviews).Front), once: true},
		"review.pause":  {do: tells(theReviews, (*reviews.Reviews).Pause)},
		"review.try":    {do: searches(theReviews, (*reviews.Reviews).Try), slow: true},

		"games.find":  {do: asks(theGameIndex, (*store.Index).Find), slow: true},
		"lesson.done": {do: tells(thePlayer, (*player).LessonDone), once: true},

		"drill.problem": {do: quick((*conn).problem)},
		"drill.next":    {do: quick((*conn).nextDrill), slow: true},
		"drill.answer":  {do: quick((*conn).answerDrill), slow: true},
		"drill.grade":   {do: quick((*conn).gradeDrill), slow: true},
	}
}

func thePlayer(s *Server) *player             { return s.player }
func theGameIndex(s *Server) *store.Index     { return s.player.Games }
func itself(s *Server) *Server                { return s }
func theGames(s *Server) *games               { return s.games }
func theDocuments(s *Server) *store.Documents { return s.docs }
func theReviews(s *Server) *reviews.Reviews   { return s.reviews }

// tells performs a command of a part of the server whose answer has nothing to say.
func tells[P, T any](part func(*Server) P, do func(P, *T) error) func(*conn, json.RawMessage) (any, error) {
	return quick(func(c *conn, v *T) (any, error) { return nil, do(part(c.s), v) })
}

// asks performs a command of a part of the server.
func asks[P, T, A any](part func(*Server) P, do func(P, *T) (A, error)) func(*conn, json.RawMessage) (any, error) {
	return quick(func(c *conn, v *T) (any, error) { return do(part(c.s), v) })
}

// searches performs a command of a part of the server that ends with its connection.
func searches[P, T, A any](part func(*Server) P, do func(P, context.Context, *T) (A, error)) func(*conn, json.RawMessage) (any, error) {
	return quick(func(c *conn, v *T) (any, error) { return do(part(c.s), c.ctx, v) })
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

func (c *conn) ping(p *api.Ping) (any, error) {
	return api.Pong{T0: p.T0, T1: float64(time.Now().UnixMicro()) / 1000}, nil
}

func (c *conn) acknowledge(a *api.Ack) (any, error) {
	c.frames.ack(a.F)
	return nil, nil
}

func (c *conn) setVisible(v *api.Visible) (any, error) {
	c.frames.see(v.Visible)
	switch {
	case c.run == nil:
	case v.Visible:
		c.run.wake()
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
		return c.s.engines.Backend.Status(), nil
	case "games":
		return c.s.games.List()
	case "docs":
		return c.s.docs.List()
	case "training":
		if c.s.conf.Training == nil {
			return nil, api.Refuse("unsupported", "this server shows no training")
		}
		return c.s.conf.Training.State(), nil
	case "life":
		return c.life.State(), nil
	case "reviews":
		return c.s.reviews.List()
	case "review":
		return c.s.reviews.State(id)
	case "networks":
		if c.s.library == nil {
			return nil, errNoLibrary
		}
		return c.s.library.State(), nil
	case "profile":
		return c.s.player.State()
	case "you":
		return c.s.player.You()
	case "game":
		return c.s.games.Watch(id)
	case "doc":
		d, err := c.s.docs.Open(id)
		if err != nil {
			return nil, err
		}
		return d.State(), nil
	}
	return nil, api.Refuse("not_found", "nothing of that name can be watched")
}

func (c *conn) stopWatch(w *api.Watch) (any, error) {
	c.unwatch(w.What)
	return nil, nil
}

func (c *conn) useNetwork(n *api.Network) (any, error) {
	if err := c.s.engines.Backend.Use(n.Name); err != nil {
		return nil, api.Refuse("engine_failed", "%v", err)
	}
	c.s.reviews.Interrupt() // it goes on with the new one
	c.s.publishNetworks()
	return c.s.engines.Backend.Networks(), nil
}

// errNoLibrary refuses what needs a folder for networks.
var errNoLibrary = api.Refuse("unsupported", "this server has no folder for networks")

// library performs a command on the networks of the folder, if there is one.
func library[T any](do func(*conn, *T) error) func(*conn, json.RawMessage) (any, error) {
	return quick(func(c *conn, v *T) (any, error) {
		if c.s.library == nil {
			return nil, errNoLibrary
		}
		return nil, do(c, v)
	})
}

func ofLibrary(do func(*engines.Library, *api.NetworkName) error) func(*conn, *api.NetworkName) error {
	return func(c *conn, v *api.NetworkName) error { return do(c.s.library, v) }
}

func (c *conn) fetchNetwork(f *api.FetchNetwork) error { return c.s.library.Fetch(c.s.ctx, f) }

// newDocument makes a document: empty, of a game that was played here, or of SGF.
func (s *Server) newDocument(n *api.NewDoc) (id api.ID, err error) {
	var root *sgf.Node // nil: there is no such game
	if n.Game != "" {
		g, err := s.games.Open(n.Game)
		if err != nil {
			return id, err
		}
		root, _, _ = g.Record()
	}
	id.ID, err = s.docs.New(n, root)
	return id, err
}

// addReview puts a game of this server's on the list. The review of a game that is
// over has the game's ID: asked for again, it is the same one.
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
		roots, err := wire.ParseSGF(data) // a copy: people go on changing the document
		if err != nil {
			return api.ID{}, err
		}
		root, name = roots[0], cmp.Or(title, "game")+".sgf"
	default:
		return api.ID{}, api.Refuse("bad_request", "a game or a document")
	}
	if err := s.reviews.AddAs(id, name, root, nil); err != nil {
		return api.ID{}, api.BadRequest(err)
	}
	s.reviews.PublishList()
	return api.ID{ID: id}, nil
}

func (c *conn) nextDrill(n *api.NextDrill) (any, error) { return c.s.reviews.Drills.Next(&c.drill, n) }

func (c *conn) answerDrill(a *api.DrillAnswer) (any, error) {
	v, err := c.s.reviews.Drills.Answer(c.ctx, &c.drill, a)
	if err == nil {
		c.s.player.Publish()
	}
	return v, err
}

func (c *conn) problem(a *api.AskProblem) (any, error) { return c.s.reviews.Drills.Problem(a) }

func (c *conn) gradeDrill(g *api.GradeDrill) (any, error) {
	return nil, c.s.reviews.Drills.Grade(&c.drill, g)
}
