package web

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/web/api"
)

var update = flag.Bool("update", false, "write api/schema.json and the lists in docs/web-api.md anew")

// Files of the repository that are generated from the types of the messages.
const (
	schemaFile = "api/schema.json"
	guideFile  = "../docs/web-api.md"
	guideMark  = "<!-- from here on written by go test ./web -run TestSchema -update -->\n"
)

// TestSchema requires that the schema of the messages and their lists in the documents match the
// program, and that each reference in the schema leads to a type.
func TestSchema(t *testing.T) {
	schema, err := json.MarshalIndent(schemaOf(t), "", "\t")
	require.NoError(t, err)
	schema = append(schema, '\n')
	guide := testshared.Read(t, guideFile)
	head, _, found := strings.Cut(guide, guideMark)
	require.True(t, found, "%s has no line %s", guideFile, guideMark)
	lists := head + guideMark + messageLists()
	if *update {
		require.NoError(t, os.WriteFile(schemaFile, schema, 0o644))
		require.NoError(t, os.WriteFile(guideFile, []byte(lists), 0o644))
		return
	}
	require.Equal(t, testshared.Read(t, schemaFile), string(schema), "go test ./web -run TestSchema -update")
	require.Equal(t, guide, lists, "go test ./web -run TestSchema -update")
	for _, ref := range bytes.Split(schema, []byte(`"$ref": "#/$defs/`))[1:] {
		name, _, _ := strings.Cut(string(ref), `"`)
		require.Contains(t, string(schema), "\n\t\t\""+name+"\": {\n\t\t\t\"description\"")
	}
}

// schemaOf describes all messages as a JSON Schema (2020-12).
func schemaOf(t *testing.T) any {
	s := &schemer{docs: comments(t, "api"), defs: map[string]any{}}
	message := func(name, explain string, d reflect.Type) map[string]any {
		return map[string]any{"description": explain, "type": "object", "required": []string{"t"},
			"properties": map[string]any{"t": map[string]any{"const": name}, "d": s.of(d)}}
	}
	var commands, events []any
	p := newProtocol()
	for _, c := range p.order {
		m := message(c.name, c.explain, c.d)
		if c.answer != reflect.TypeFor[nothing]() && c.answer.Kind() != reflect.Interface {
			m["x-answer"] = s.of(c.answer)
		}
		if c.name == "watch" {
			states := map[string]any{}
			for name, t := range p.topics {
				states[name] = s.of(t.of)
			}
			m["x-states"] = states
		}
		commands = append(commands, m)
	}
	for _, e := range api.Kinds {
		events = append(events, message(e.T, e.Explain, e.D))
	}
	s.of(reflect.TypeFor[api.Error]())
	s.of(reflect.TypeFor[api.Imported]())
	s.of(reflect.TypeFor[api.Restored]())
	s.defs["Command"] = map[string]any{"description": "what a client sends", "type": "object", "oneOf": commands}
	s.defs["Event"] = map[string]any{"description": "what a server sends on its own", "type": "object", "oneOf": events}
	ref := func(name string) any { return map[string]any{"$ref": "#/$defs/" + name} }
	return map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": fmt.Sprintf("Messages of engine web, version %d", api.Version),
		"anyOf": []any{ref("Command"), ref("Event")}, "$defs": s.defs}
}

// schemer describes types of Go.
type schemer struct {
	docs map[string]string // comments by Type or Type.Field
	defs map[string]any    // schemas by name
}

func (s *schemer) of(t reflect.Type) map[string]any {
	switch {
	case t == nil || t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t.Kind() == reflect.Struct:
		s.define(t)
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
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
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": s.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Interface:
		return map[string]any{}
	}
	return map[string]any{"type": "integer"}
}

// define describes a struct under its name. Each field must have a name for JSON.
func (s *schemer) define(t reflect.Type) {
	if s.defs[t.Name()] != nil {
		return
	}
	properties, required := map[string]any{}, []string{}
	s.defs[t.Name()] = map[string]any{} // so that recursive types end
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			panic(fmt.Sprintf("%s.%s has no name in JSON", t, f.Name))
		}
		p := s.of(f.Type)
		if text := s.docs[t.Name()+"."+f.Name]; text != "" {
			p["description"] = text
		}
		properties[name] = p
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	s.defs[t.Name()] = map[string]any{"type": "object", "description": s.docs[t.Name()], "properties": properties, "required": required}
}

// comments returns the comments of types and their fields in a folder; the keys are Type and Type.Field.
func comments(t *testing.T, dir string) map[string]string {
	docs := map[string]string{}
	text := func(groups ...*ast.CommentGroup) string {
		var all []string
		for _, g := range groups {
			if line := strings.Join(strings.Fields(g.Text()), " "); line != "" {
				all = append(all, line)
			}
		}
		return strings.Join(all, "; ")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			g, ok := n.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				return true
			}
			for _, spec := range g.Specs {
				name := spec.(*ast.TypeSpec).Name.Name
				docs[name] = text(g.Doc)
				if of, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType); ok {
					for _, field := range of.Fields.List {
						for _, n := range field.Names {
							docs[name+"."+n.Name] = text(field.Doc, field.Comment)
						}
					}
				}
			}
			return false
		})
	}
	return docs
}

// messageLists returns the tables of commands and events for the documents.
func messageLists() string {
	name := func(t reflect.Type) string {
		switch {
		case t == reflect.TypeFor[nothing]():
			return ""
		case t.Kind() == reflect.Interface:
			return "the state"
		case t.Kind() == reflect.Pointer:
			t = t.Elem()
		case t.Kind() == reflect.Slice:
			return t.Elem().Name() + "[]"
		}
		return t.Name()
	}
	var b strings.Builder
	b.WriteString("\n## Commands\n\n| t | d | answer | what it does |\n|---|---|---|---|\n")
	for _, c := range newProtocol().order {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.name, name(c.d), name(c.answer), c.explain)
	}
	b.WriteString("\n## Events\n\n| t | d | when |\n|---|---|---|\n")
	for _, e := range api.Kinds {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.T, name(e.D), e.Explain)
	}
	return b.String()
}
