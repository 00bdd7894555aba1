package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"reflect"
	"strings"

	"kosumi/web/api"
)

// Files that stand in the repository and are made of package web/api.
const (
	schemaFile = "web/api/schema.json"
	guideFile  = "docs/web-api.md"
	guideMark  = "<!-- made by web/build from web/api -->\n"
)

// schema describes all messages as a JSON Schema (2020-12): what any client is
// written against.
func schema(dir string) ([]byte, error) {
	docs, err := comments(dir)
	if err != nil {
		return nil, err
	}
	s := &schemer{docs: docs, defs: map[string]any{}}
	message := func(m *api.Message, of string) any {
		out := map[string]any{"description": m.Explain, "type": "object", "properties": map[string]any{"t": map[string]any{"const": m.T}, of: s.of(reflect.TypeOf(m.D))}, "required": []string{"t"}}
		if m.Answer != nil {
			out["x-answer"] = s.of(reflect.TypeOf(m.Answer))
		}
		return out
	}
	var commands, events []any
	for i := range api.Commands {
		commands = append(commands, message(&api.Commands[i], "d"))
	}
	for i := range api.Events {
		events = append(events, message(&api.Events[i], "d"))
	}
	s.of(reflect.TypeFor[api.Error]())
	s.of(reflect.TypeFor[api.Imported]())
	s.defs["Command"] = map[string]any{"description": "what a client sends", "type": "object", "oneOf": commands}
	s.defs["Event"] = map[string]any{"description": "what a server sends on its own", "type": "object", "oneOf": events}
	out, err := json.MarshalIndent(map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": fmt.Sprintf("Messages of engine web, version %d", api.Version),
		"anyOf": []any{map[string]any{"$ref": "#/$defs/Command"}, map[string]any{"$ref": "#/$defs/Event"}}, "$defs": s.defs}, "", "\t")
	return append(out, '\n'), err
}

type schemer struct {
	docs map[string]string // by Type or Type.Field
	defs map[string]any
}

// of describes a type.
func (s *schemer) of(t reflect.Type) any {
	if t == nil {
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		if t == reflect.TypeFor[json.RawMessage]() {
			return map[string]any{}
		}
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": s.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		s.define(t)
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case reflect.Interface:
		return map[string]any{}
	}
	return map[string]any{"type": "integer"}
}

func (s *schemer) define(t reflect.Type) {
	if s.defs[t.Name()] != nil {
		return
	}
	properties, required := map[string]any{}, []string{}
	s.defs[t.Name()] = map[string]any{} // for types that lead back here
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.of(f.Type)
		if text := s.docs[t.Name()+"."+f.Name]; text != "" {
			p.(map[string]any)["description"] = text
		}
		properties[name] = p
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	s.defs[t.Name()] = map[string]any{"type": "object", "description": s.docs[t.Name()], "properties": properties, "required": required}
}

// comments reads what the sources say of types and fields.
func comments(dir string) (map[string]string, error) {
	text := func(groups ...*ast.CommentGroup) string {
		var all []string
		for _, g := range groups {
			if t := strings.Join(strings.Fields(g.Text()), " "); t != "" {
				all = append(all, t)
			}
		}
		return strings.Join(all, "; ")
	}
	all, err := structs(dir)
	docs := map[string]string{}
	for _, s := range all {
		docs[s.name] = text(s.doc)
		for _, field := range s.fields {
			for _, n := range field.Names {
				docs[s.name+"."+n.Name] = text(field.Doc, field.Comment)
			}
		}
	}
	return docs, err
}

// guide puts the lists of messages into the page about them.
func guide(old []byte) ([]byte, error) {
	head, _, ok := bytes.Cut(old, []byte(guideMark))
	if !ok {
		return nil, fmt.Errorf("%s: the line %q is missing", guideFile, strings.TrimSpace(guideMark))
	}
	var b bytes.Buffer
	b.Write(head)
	b.WriteString(guideMark)
	name := func(v any) string {
		t := reflect.TypeOf(v)
		switch {
		case t == nil:
			return ""
		case t.Kind() == reflect.Slice:
			return t.Elem().Name() + "[]"
		}
		return t.Name()
	}
	b.WriteString("\n## Commands\n\n| t | d | answer | what it does |\n|---|---|---|---|\n")
	for _, m := range api.Commands {
		answer := name(m.Answer)
		if m.T == "watch" {
			answer = "the state"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.T, name(m.D), answer, m.Explain)
	}
	b.WriteString("\n## Events\n\n| t | d | when |\n|---|---|---|\n")
	for _, m := range api.Events {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.T, name(m.D), m.Explain)
	}
	return b.Bytes(), nil
}

// describe writes the schema and the lists of messages.
func describe() error {
	data, err := schema("web/api")
	if err != nil {
		return err
	}
	old, err := os.ReadFile(guideFile)
	if err != nil {
		return err
	}
	text, err := guide(old)
	if err != nil {
		return err
	}
	return cmp.Or(os.WriteFile(schemaFile, data, 0o644), os.WriteFile(guideFile, text, 0o644))
}
