package api

import "reflect"

// News is an event that the server sends unasked to those who watch its topic; its field d is a
// T.
type News[T any] struct{ t string }

// Of returns the event with content d.
func (n News[T]) Of(d T) Event { return Event{T: n.t, D: d} }

// Kind is a kind of event: its name, and the type of its field d.
type Kind struct {
	T       string
	D       reflect.Type
	Explain string
}

// Kinds are all kinds of events, for the schema.
var Kinds []Kind

// Events. Only the newest frame of an analysis is sent, usually after the client has acknowledged the one before.
var (
	EngineNews          = news[Engine]("engine.state", "After watch engine.")
	GamesNews           = news[Games]("games.state", "After watch games.")
	NetworksNews        = news[NetworkList]("networks.state", "After watch networks.")
	ProfileNews         = news[Profile]("profile.state", "After watch profile.")
	GameNews            = news[GameState]("game.state", "After watch game:ID.")
	DocsNews            = news[Docs]("docs.state", "After watch docs.")
	DocNews             = news[DocChange]("doc.change", "After watch doc:ID: the nodes that have changed.")
	FrameNews           = news[Frame]("analysis.frame", "After analysis.set, ten a second at most.")
	LifeNews            = news[LifeState]("life.state", "After life.ask, or watch life: the findings so far; to the connection that asked.")
	ReviewsNews         = news[Reviews]("reviews.state", "After watch reviews.")
	ReviewsProgressNews = news[ReviewProgress]("reviews.progress", "After watch reviews: the progress of one review, without points.")
	ReviewProgressNews  = news[ReviewProgress]("review.progress", "After watch review:ID.")
	ReviewNews          = news[Review]("review.result", "After watch review:ID: the findings so far or at the end, without boards.")
	TrainingNews        = news[Training]("training.state", "After watch training.")
)

// news declares an event.
func news[T any](t, explain string) News[T] {
	Kinds = append(Kinds, Kind{t, reflect.TypeFor[T](), explain})
	return News[T]{t}
}
