package gtp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"kosumi/search/setting"
)

func (s *handlers) paramCommands() []Handler {
	return []Handler{
		{Name: "kata-get-param", Run: s.getParam, args: 1, usage: usage{"NAME", "a setting; the table below has them", byKataGo}},
		{Name: "kata-set-param", Run: s.setParam, usage: usage{"NAME [VALUE]", "changes a setting", byKataGo}},
		{Name: "kata-list-params", Run: s.listParams, usage: usage{"", "the names of all settings", byKataGo}},
		{Name: "kata-get-params", Run: s.getParams, usage: usage{"", "all settings as JSON", byKataGo}},
		{Name: "kata-set-params", Run: s.setParams, usage: usage{"JSON", "changes many settings, all or none", byKataGo}},
	}
}

func (s *handlers) getParam(_ context.Context, c Command, r *Reply) error {
	params := s.engine.Params()
	i := slices.IndexFunc(params, func(p setting.Param) bool { return p.Name == c.Args[0] })
	if i < 0 {
		return fmt.Errorf("unknown parameter %q", c.Args[0])
	}
	return r.Print(params[i].Value)
}

// setParam takes NAME [VALUE]; the value may have blanks and may be missing.
func (s *handlers) setParam(_ context.Context, c Command, _ *Reply) error {
	if len(c.Args) == 0 {
		return ErrSyntax
	}
	_, value := nextWord(c.Rest)
	return s.engine.SetParams(map[string]string{c.Args[0]: value})
}

func (s *handlers) listParams(_ context.Context, _ Command, r *Reply) error {
	var names []string
	for _, p := range s.engine.Params() {
		names = append(names, p.Name)
	}
	return r.Print(strings.Join(names, " "))
}

// getParams writes a JSON object; numbers and booleans are written bare.
func (s *handlers) getParams(_ context.Context, _ Command, r *Reply) error {
	values := map[string]any{}
	for _, p := range s.engine.Params() {
		values[p.Name] = p.Value
		if raw := json.RawMessage(p.Value); p.Kind != setting.Text && p.Kind != setting.Choice && json.Valid(raw) {
			values[p.Name] = raw
		}
	}
	return r.PrintJSON(values)
}

func (s *handlers) setParams(_ context.Context, c Command, _ *Reply) error {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader([]byte(c.Rest)))
	d.UseNumber()
	if err := d.Decode(&object); err != nil || object == nil {
		return ErrSyntax
	}
	if _, err := d.Token(); err != io.EOF {
		return ErrSyntax
	}
	values := map[string]string{}
	for name, v := range object {
		switch v := v.(type) {
		case string, bool, json.Number:
			values[name] = fmt.Sprint(v)
		default:
			return fmt.Errorf("parameter %q is neither a number nor a boolean nor a string", name)
		}
	}
	return s.engine.SetParams(values)
}
