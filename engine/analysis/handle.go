package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// handle answers one line: an action, or a query.
func (s *Server) handle(line []byte) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("internal fault", "panic", p, "stack", string(debug.Stack()))
			s.write(map[string]any{"error": "internal error"})
		}
	}()
	var fields map[string]json.RawMessage
	if err := decode(bytes.TrimSpace(line), &fields); err != nil {
		s.write(map[string]any{"error": "not a JSON object: " + complaint(err)})
		return
	}
	var id string
	if err := decode(fields["id"], &id); err != nil {
		s.write(map[string]any{"error": "id: is required and must be a string"})
		return
	}
	if _, ok := fields["action"]; ok {
		s.act(id, fields)
		return
	}
	delete(fields, "id")
	q, warnings, err := s.parseQuery(id, fields)
	if err != nil {
		s.refuse(id, err)
		return
	}
	for _, w := range warnings {
		s.write(map[string]any{"warning": w.text, "field": w.field, "id": id})
	}
	tasks := make([]*task, len(q.turns))
	for i, turn := range q.turns {
		tasks[i] = &task{query: q, turn: turn, priority: q.priorities[i]}
	}
	s.queue.add(tasks)
}

// complaint says what is wrong with a line.
func complaint(err error) string {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		return wrongType.Value
	}
	return err.Error()
}

// refuse answers a request that cannot be carried out.
func (s *Server) refuse(id string, err error) {
	message := map[string]any{"error": err.Error(), "id": id}
	var fault fieldError
	if errors.As(err, &fault) {
		message["error"], message["field"] = fault.text, fault.field
	}
	s.write(message)
}

// act carries out an action and echoes the request.
func (s *Server) act(id string, fields map[string]json.RawMessage) {
	reply := map[string]any{}
	for name, raw := range fields {
		reply[name] = raw
	}
	var action string
	if err := decode(fields["action"], &action); err != nil {
		s.write(map[string]any{"error": "action: must be a string"})
		return
	}
	switch action {
	case "query_version":
		reply["version"], reply["git_hash"] = s.conf.Version, "none"
	case "query_models":
		reply["models"] = append([]any{}, s.conf.Models()...)
	case "clear_cache":
		if c, ok := s.net.(interface{ ClearCache() }); ok {
			c.ClearCache()
		}
	case "terminate", "terminate_all":
		match, err := terminated(action, fields)
		if err != nil {
			s.refuse(id, err)
			return
		}
		s.write(reply) // before any result: clients wait for it
		for _, t := range s.queue.terminate(match) {
			s.write(noResults(t))
		}
		return
	default:
		s.write(map[string]any{"error": fmt.Sprintf("action: %q is unknown", action)})
		return
	}
	s.write(reply)
}

// terminated returns which tasks an action stops.
func terminated(action string, fields map[string]json.RawMessage) (func(*task) bool, error) {
	r := fieldReader{fields: map[string]json.RawMessage{}}
	for _, name := range []string{"terminateId", "turnNumbers"} {
		if text, ok := fields[name]; ok {
			r.fields[name] = text
		}
	}
	var id string
	if action == "terminate" && !r.take("terminateId", "a string", &id) {
		r.fail(faultf("terminateId", "is required: a string"))
	}
	var turns []int
	some := r.take("turnNumbers", "a list of integers", &turns)
	return func(t *task) bool {
		return (action == "terminate_all" || t.query.id == id) && (!some || slices.Contains(turns, t.turn))
	}, r.err
}
