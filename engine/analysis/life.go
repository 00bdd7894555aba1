package analysis

import (
	"context"
	"time"

	"kosumi/board"
	"kosumi/life"
)

// lifeTime limits the search for an answer on life and death.
const lifeTime = 10 * time.Second

// lifeAnswer is the field of a reply that says whether stones live: the keys of "engine life
// --json", or why there is no answer.
type lifeAnswer struct {
	*life.Answer
	Error string `json:"error,omitempty"`
}

// life answers the query's field "life", a list of stones of one colour: can all of them live?
// KataGo's protocol does not have the field.
func (s *Server) life(ctx context.Context, t *task) *lifeAnswer {
	g, err := t.query.position(t.turn)
	if err != nil {
		return &lifeAnswer{Error: err.Error()}
	}
	q := life.QuestionOf(g)
	for _, p := range t.query.life {
		if p == board.Pass || g.At(p) == board.Empty {
			return &lifeAnswer{Error: "there is no stone on " + g.Size().Vertex(p)}
		}
	}
	q.Targets = t.query.life
	network := life.Evaluated{Evaluator: s.net}
	q.Assumed = life.EnclosedBy(ctx, q, network)
	out, err := life.Ask(ctx, q, life.Options{Time: lifeTime, Network: network})
	if err != nil {
		return &lifeAnswer{Error: err.Error()}
	}
	return &lifeAnswer{Answer: out}
}
