package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// structType is a type of package web/api, as its source has it.
type structType struct {
	name   string
	doc    *ast.CommentGroup
	fields []*ast.Field
}

// structs reads the types of package web/api, in the order of its files.
func structs(dir string) ([]structType, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []structType
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				t := spec.(*ast.TypeSpec)
				if s, ok := t.Type.(*ast.StructType); ok {
					all = append(all, structType{t.Name.Name, g.Doc, s.Fields.List})
				}
			}
		}
	}
	return all, nil
}

// typescript writes the messages of package web/api as interfaces of TypeScript.
func typescript(dir string) ([]byte, error) {
	all, err := structs(dir)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("// Made by web/build from web/api, which explains the messages.\n")
	for _, s := range all {
		fmt.Fprintf(&b, "export interface %s {\n", s.name)
		for _, f := range s.fields {
			if f.Tag == nil {
				continue // in no message
			}
			name, options, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
			if strings.Contains(options, "omitempty") {
				name += "?"
			}
			of, err := typescriptType(f.Type)
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", s.name, name, err)
			}
			fmt.Fprintf(&b, "\t%s: %s;\n", name, of)
		}
		b.WriteString("}\n")
	}
	return []byte(b.String()), nil
}

// typescriptType returns a type as JSON has it.
func typescriptType(e ast.Expr) (string, error) {
	switch t := e.(type) {
	case *ast.Ident:
		switch name := t.Name; {
		case name == "bool":
			return "boolean", nil
		case name == "string" || name == "any" || ast.IsExported(name):
			return name, nil
		case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "float"):
			return "number", nil
		}
	case *ast.StarExpr:
		return typescriptType(t.X)
	case *ast.ArrayType:
		of, err := typescriptType(t.Elt)
		return of + "[]", err
	case *ast.MapType:
		of, err := typescriptType(t.Value)
		return "Record<string, " + of + ">", err
	case *ast.SelectorExpr: // json.RawMessage
		return "unknown", nil
	}
	return "", fmt.Errorf("no type of TypeScript is known for %T", e)
}
