package analysis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"unicode/utf8"

	"kosumi/search/thinking"
)

// handle answers one line, which is an action or a query.
func (s *Server) handle(line []byte) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("internal fault", "panic", p, "stack", string(debug.Stack()))
			s.write(map[string]any{"error": "internal error"})
		}
	}()
	line = bytes.TrimSpace(line)
	var fields map[string]json.RawMessage
	whole := line
	line = bytes.TrimPrefix(line, []byte("\ufeff")) // some programs send a byte order mark first
	if err := validate(line); err != nil {
		s.fault(map[string]any{"error": err.Error() + " - could not parse input line as json request: " + string(whole)})
		return
	}
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &fields) != nil {
		s.fault(map[string]any{"error": "Request line was valid json but was not an object, ignoring: " + string(dump(line))})
		return
	}
	var id, action string
	if err := decode(fields["id"], &id); err != nil {
		s.fault(map[string]any{"error": `Request must have a string "id" field`})
		return
	}
	if decode(fields["action"], &action) == nil {
		s.act(id, action, fields)
		return
	}
	q, warnings, err := s.parseQuery(id, fields)
	for _, w := range warnings {
		s.fault(map[string]any{"warning": w.text, "field": w.field, "id": id})
	}
	if err != nil {
		s.refuse(id, err)
		return
	}
	tasks := make([]*task, len(q.turns))
	for i, turn := range q.turns {
		tasks[i] = &task{query: q, turn: turn, priority: q.priorities[i]}
		tasks[i].focus.Store(q.focus)
	}
	q.bytes = q.memory(len(line))
	s.queue.add(tasks)
}

// validate returns an error if text is not JSON in UTF-8.
func validate(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not valid UTF-8")
	}
	var any json.RawMessage
	err := json.Unmarshal(text, &any)
	if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
		return fmt.Errorf("not JSON: %w (byte %d)", at, at.Offset)
	}
	return err
}

// fault writes an error or a warning to the client and reports it to Config.Faulty.
func (s *Server) fault(message map[string]any) {
	s.write(message)
	if s.conf.Faulty != nil {
		text, _ := json.Marshal(message) // marshalling strings cannot fail
		_, warning := message["warning"]
		s.conf.Faulty(warning, string(text))
	}
}

// refuse answers a request with an error.
func (s *Server) refuse(id string, err error) {
	message := map[string]any{"error": err.Error(), "id": id}
	if fault, ok := errors.AsType[fieldError](err); ok {
		message["error"], message["field"] = fault.text, fault.field
	}
	s.fault(message)
}

// act carries out an action and echoes the request.
func (s *Server) act(id, action string, fields map[string]json.RawMessage) {
	reply := map[string]any{}
	for name, raw := range fields {
		reply[name] = json.RawMessage(dump(raw))
	}
	switch action {
	case "query_version":
		reply["version"], reply["git_hash"] = s.conf.Version, "none"
	case "query_models":
		text, _ := json.Marshal(append([]thinking.ModelInfo{}, s.conf.Models()...)) // marshalling strings and numbers cannot fail
		reply["models"] = json.RawMessage(dump(text))
	case "clear_cache":
		s.net.ClearCache()
	case "terminate", "terminate_all":
		match, err := terminated(action, fields)
		if err != nil {
			s.refuse(id, err)
			return
		}
		waiting, stop := s.queue.terminate(match)
		for _, t := range waiting {
			s.write(noResults(t))
		}
		s.write(reply) // before the results that stop causes
		stop()
		return
	case "set_focus":
		if err := s.setFocus(fields); err != nil {
			s.refuse(id, err)
			return
		}
	default:
		s.fault(map[string]any{"error": "'action' field must be 'query_version' or 'query_models' or 'clear_cache' or 'terminate' or 'terminate_all' or 'set_focus'"})
		return
	}
	s.write(reply)
}

// terminated returns a function that selects the tasks that a terminate action stops.
func terminated(action string, fields map[string]json.RawMessage) (func(*task) bool, error) {
	r := fieldReader{fields: maps.Clone(fields)}
	var id string
	const fault = `Requests for a terminate action must have a string "terminateId" field`
	if action == "terminate" && !r.take("terminateId", fault, &id) {
		r.fail("terminateId", fault)
	}
	turns, some := r.integers("turnNumbers", "If provided, must be an array of integers indicating turns to terminate", true)
	return func(t *task) bool {
		return (action == "terminate_all" || t.query.id == id) && (!some || slices.Contains(turns, int64(t.turn)))
	}, r.err
}
