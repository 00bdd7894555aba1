package web

import (
	"context"
	"encoding/json"
	"reflect"

	"kosumi/web/api"
	"kosumi/web/engines"
	"kosumi/web/reviews"
	"kosumi/web/store"
)

// protocol has the commands with their handlers, and the topics that clients can watch. The
// schema and docs/web-api.md are written from it. Make one with [newProtocol].
type protocol struct {
	commands map[string]*command
	topics   map[string]*topic
	order    []*command // in the order of registration
}

// command is a message that clients send.
type command struct {
	name, explain string
	d, answer     reflect.Type // types of the field d in the message and in the answer
	way           way
	do            func(c *conn, d json.RawMessage) (any, error)
}

// way says whether a command waits for earlier commands of its connection.
type way int

const (
	inOrder way = iota // after all earlier commands
	once               // like inOrder, but a repeated command gets the first answer again
	beside             // while later commands are performed
)

// nothing is the answer of a command that is only acknowledged.
type nothing struct{}

// register declares a command and its handler. The command's field d is a T. The answer's d is an
// A, or absent where the handler returns a nil pointer.
func register[T, A any](p *protocol, name string, way way, handler func(*conn, *T) (A, error), explain string) {
	do := func(c *conn, d json.RawMessage) (any, error) {
		var v T
		if len(d) > 0 {
			if err := json.Unmarshal(d, &v); err != nil {
				return nil, api.Refuse("bad_request", "%v", err)
			}
		}
		a, err := handler(c, &v)
		if r := reflect.ValueOf(a); err != nil || r.Kind() == reflect.Pointer && r.IsNil() {
			return nil, err
		}
		if _, none := any(a).(nothing); none {
			return nil, nil
		}
		return a, nil
	}
	p.commands[name] = &command{name, explain, reflect.TypeFor[T](), reflect.TypeFor[A](), way, do}
	p.order = append(p.order, p.commands[name])
}

// topic is a part of the server's state that clients can watch.
type topic struct {
	name  string
	of    reflect.Type // type of the state
	state func(c *conn, id string) (any, error)
}

// watchable declares a topic. Clients watch it by its name, or as name:ID for one game, document or review.
func watchable[A any](p *protocol, name string, state func(c *conn, id string) (A, error)) {
	p.topics[name] = &topic{name, reflect.TypeFor[A](), func(c *conn, id string) (any, error) { return state(c, id) }}
}

// newProtocol returns all messages and topics.
func newProtocol() *protocol {
	p := &protocol{commands: map[string]*command{}, topics: map[string]*topic{}}
	registerCommands(p)
	registerTopics(p)
	return p
}

func registerCommands(p *protocol) {
	p.order = append(p.order, &command{name: "hello", d: reflect.TypeFor[api.Hello](), answer: reflect.TypeFor[api.Welcome](),
		explain: "The first message, within five seconds; the answer has t welcome."}) // conn.greet answers it

	register(p, "ping", inOrder, (*conn).ping, "Compares clocks; a client that is silent for 45 seconds is disconnected.")
	register(p, "ack", inOrder, tells(theFrames, (*frames).ack), "Names the frame that was painted last; the next one follows.")
	register(p, "visible", inOrder, tells(itself, (*conn).setVisible), "Reports whether the page is visible. While it is not, no frames are sent, and after 5 seconds no search runs.")
	register(p, "watch", inOrder, (*conn).startWatch, "Answers with the state of a topic, and sends its events from now on.")
	register(p, "unwatch", inOrder, tells(itself, (*conn).unwatch), "Sends no more events of a topic.")

	register(p, "network.use", beside, (*conn).useNetwork, "Changes the network by its name; searches that are under way end with the old one.")

	register(p, "levels.on", beside, asks(theGames, (*games).LevelsOn), "Lists the levels on a board.")
	register(p, "player.rank", once, tells(thePlayer, (*player).SayRank), "The rank that the player claims.")
	register(p, "player.names", once, tells(thePlayer, (*player).SayNames), "Names of the player in records, and names of others.")
	register(p, "player.side", once, tells(thePlayer, (*player).SaySide), "The player's side in a reviewed game whose names do not say it.")

	register(p, "network.fetch", inOrder, tells(itself, (*conn).fetchNetwork), "Fetches a network from an https address, or KataGo's strongest or newest, or resumes one; watch networks reports its progress.")
	register(p, "network.stop", inOrder, tells(theLibrary, (*engines.Library).Stop), "Stops fetching; the part fetched so far is kept.")
	register(p, "network.forget", inOrder, tells(theLibrary, (*engines.Library).Forget), "Discards an incomplete download.")
	register(p, "network.remove", inOrder, tells(theLibrary, (*engines.Library).Remove), "Deletes a network that is not in use.")

	register(p, "game.new", once, asks(theGames, (*games).New), "Begins a game.")
	register(p, "game.play", once, tells(theGames, (*games).Play), "Makes a move; it is on disk when the answer comes.")
	register(p, "game.undo", once, tells(theGames, onGame((*game).undo)), "Takes back to one's own last move, with its time on both clocks.")
	register(p, "game.redo", once, tells(theGames, onGame((*game).redo)), "Plays the moves again that were taken back.")
	register(p, "game.resign", once, tells(theGames, onGame((*game).resign)), "Resigns.")
	register(p, "game.pause", once, tells(theGames, onGame((*game).pause)), "Stops the clock.")
	register(p, "game.resume", once, tells(theGames, onGame((*game).resume)), "Resumes after a pause or a failure.")
	register(p, "game.delete", once, tells(theGames, onGame((*game).remove)), "Removes a game with its files.")
	register(p, "game.score", once, tells(theGames, (*games).Score), "One step of counting.")
	register(p, "game.hint", beside, searches(theGames, (*games).Hint), "Help with the next move; the record says so.")
	register(p, "game.teach", once, tells(theGames, (*games).Teach), "Points out moves that lose much from now on, or no longer.")
	register(p, "game.keep", once, tells(theGames, onGame((*game).keep)), "Keeps the move that the advice criticises; the engine answers it.")
	register(p, "game.estimate", beside, searches(theGames, (*games).Estimate), "Estimates the score.")

	register(p, "doc.new", once, asks(theServer, (*Server).newDocument), "Makes a game tree: empty, of a game, of SGF.")
	register(p, "doc.delete", once, tells(theDocuments, (*store.Documents).Delete), "Removes a game tree with its file.")
	register(p, "tree.op", once, asks(theDocuments, (*store.Documents).Edit), "Changes a game tree; it is on disk when the answer comes. The answer holds a node for play and setup only.")

	register(p, "analysis.set", inOrder, tells(itself, (*conn).analyse), "Sets the position that this connection analyses from now on.")

	register(p, "life.ask", inOrder, (*conn).askLife, "Asks whether stones live; an earlier question ends.")
	register(p, "life.stop", inOrder, tells(theAsker, (*engines.Asker).Stop), "Ends the search for an answer; proved claims stay.")
	register(p, "life.play", inOrder, asks(theAsker, (*engines.Asker).Play), "Plays against the proof of the last answer.")

	register(p, "review.add", once, asks(theServer, (*Server).addReview), "Reviews a game of this server; upload files by POST /api/import?to=review.")
	register(p, "review.again", once, asks(theReviews, (*reviews.Reviews).Again), "Reviews a game once more, with the present network.")
	register(p, "review.delete", once, tells(thePlayer, (*player).DeleteReview), "Removes a review with its files; it no longer counts for the rank.")
	register(p, "review.front", once, tells(theReviews, (*reviews.Reviews).Front), "Reviews a waiting game now.")
	register(p, "review.pause", inOrder, tells(theReviews, (*reviews.Reviews).Pause), "Stops all reviews, or resumes them.")
	register(p, "review.try", beside, searches(theReviews, (*reviews.Reviews).Try), "Judges another move in place of a mistake.")

	register(p, "games.find", beside, asks(theGameIndex, (*store.Index).Find), "A page of all games that were played here.")

	register(p, "lesson.done", once, tells(thePlayer, (*player).LessonDone), "Records a completed lesson.")

	register(p, "drill.problem", inOrder, asks(theDrills, (*reviews.Drills).Problem), "One problem of the day.")
	register(p, "drill.next", beside, (*conn).nextDrill, "The problem that is due.")
	register(p, "drill.answer", beside, (*conn).answerDrill, "Answers a problem.")
	register(p, "drill.grade", beside, tells(itself, (*conn).gradeDrill), "Overrules the grade of the last answer.")
	register(p, "drill.forget", once, tells(itself, (*conn).forgetProblems), "Removes a collection of the player's.")
}

func registerTopics(p *protocol) {
	watchable(p, "engine", func(c *conn, _ string) (api.Engine, error) { return c.s.engines.Networks.Status(), nil })
	watchable(p, "games", func(c *conn, _ string) (*api.Games, error) { return c.s.games.List() })
	watchable(p, "game", func(c *conn, id string) (*api.GameState, error) { return c.s.games.Watch(id) })
	watchable(p, "docs", func(c *conn, _ string) (*api.Docs, error) { return c.s.docs.List() })
	watchable(p, "doc", func(c *conn, id string) (*api.Doc, error) {
		d, err := c.s.docs.Open(id)
		if err != nil {
			return nil, err
		}
		return d.State(), nil
	})
	watchable(p, "reviews", func(c *conn, _ string) (*api.Reviews, error) { return c.s.reviews.List() })
	watchable(p, "review", func(c *conn, id string) (*api.Review, error) { return c.s.reviews.State(id) })
	watchable(p, "life", func(c *conn, _ string) (api.LifeState, error) { return c.life.State(), nil })
	watchable(p, "profile", func(c *conn, _ string) (*api.Profile, error) { return c.s.player.State() })
	watchable(p, "you", func(c *conn, _ string) (*api.You, error) { return c.s.player.You() })
	watchable(p, "networks", func(c *conn, _ string) (*api.NetworkList, error) { return c.s.library.State(), nil })
	watchable(p, "training", func(c *conn, _ string) (*api.Training, error) {
		if c.s.conf.Training == nil {
			return nil, api.Refuse("unsupported", "this server shows no training")
		}
		return c.s.conf.Training.State(), nil
	})
}

func itself(c *conn) *conn                  { return c }
func theFrames(c *conn) *frames             { return c.frames }
func theAsker(c *conn) *engines.Asker       { return c.life }
func theServer(c *conn) *Server             { return c.s }
func thePlayer(c *conn) *player             { return c.s.player }
func theGameIndex(c *conn) *store.Index     { return c.s.player.Games }
func theGames(c *conn) *games               { return c.s.games }
func theDocuments(c *conn) *store.Documents { return c.s.docs }
func theReviews(c *conn) *reviews.Reviews   { return c.s.reviews }
func theLibrary(c *conn) *engines.Library   { return c.s.library }
func theDrills(c *conn) *reviews.Drills     { return c.s.reviews.Drills }

// tells makes a handler from do, a method that returns only an error; part returns its receiver.
func tells[P, T any](part func(*conn) P, do func(P, *T) error) func(*conn, *T) (nothing, error) {
	return func(c *conn, v *T) (nothing, error) { return nothing{}, do(part(c), v) }
}

// asks makes a handler from do, a method that returns an answer; part returns its receiver.
func asks[P, T, A any](part func(*conn) P, do func(P, *T) (A, error)) func(*conn, *T) (A, error) {
	return func(c *conn, v *T) (A, error) { return do(part(c), v) }
}

// searches is like asks for a method with a context, which is cancelled when the connection ends.
func searches[P, T, A any](part func(*conn) P, do func(P, context.Context, *T) (A, error)) func(*conn, *T) (A, error) {
	return func(c *conn, v *T) (A, error) { return do(part(c), c.ctx, v) }
}
