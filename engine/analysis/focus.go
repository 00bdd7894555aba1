package analysis

import (
	"encoding/json"
	"maps"
	"slices"

	"kosumi/board"
	"kosumi/search/thinking"
)

// usualFocus is the share of the playouts that a focus gets by default.
const usualFocus = 0.5

// focus reads the moves that a query wants searched more deeply; nil if it names none.
func (r *fieldReader) focus(size board.Size) *thinking.Focus {
	names := r.vertices("focusMoves")
	moves := r.points("focusMoves", size, names)
	f := r.shares(len(names))
	if f.Moves = moves; len(moves) == 0 {
		return nil
	}
	return f
}

func (r *fieldReader) shares(moves int) *thinking.Focus {
	const fault = "Must be an array of positive numbers with the same length as focusMoves"
	f := &thinking.Focus{Prob: usualFocus}
	if r.take("focusWeights", fault, &f.Weights) &&
		(len(f.Weights) != moves || slices.ContainsFunc(f.Weights, func(w float64) bool { return !(w > 0) })) {
		r.fail("focusWeights", "%s", fault)
	}
	r.number("focusProb", 0, 1, "Must be a number from 0.0 to 1.0", &f.Prob)
	return f
}

// setFocus changes the focus of all waiting and running tasks that the action names. If a point is
// missing on one of their boards, it changes none of the tasks.
func (s *Server) setFocus(fields map[string]json.RawMessage) error {
	r := &fieldReader{fields: maps.Clone(fields)}
	var id string
	const fault = `Requests for a set_focus action must have a string "targetId" field`
	if !r.take("targetId", fault, &id) {
		r.fail("targetId", fault)
	}
	turns, some := r.integers("turnNumbers", "If provided, must be an array of integers indicating turns to change the focus of", true)
	names := r.vertices("focusMoves")
	shares := r.shares(len(names))
	if r.err != nil {
		return r.err
	}
	tasks := s.queue.open(func(t *task) bool {
		return t.query.id == id && (!some || slices.Contains(turns, int64(t.turn)))
	})
	next := make([]*thinking.Focus, len(tasks))
	for i, t := range tasks {
		f := *shares
		if f.Moves = r.points("focusMoves", t.query.size, names); r.err != nil {
			return r.err
		}
		next[i] = &f
	}
	for i, t := range tasks {
		t.focus.Store(next[i])
	}
	return nil
}
