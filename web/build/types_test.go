package main

import (
	"go/parser"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTypeScript asks for the interfaces of the messages, and for types as JSON has them.
func TestTypeScript(t *testing.T) {
	data, err := typescript("../api")
	require.NoError(t, err)
	for _, part := range []string{
		"export interface Command {\n\tt: string;\n\tid?: string;\n\td?: unknown;\n}\n",
		"export interface Network {\n\tname: string;\n",
	} {
		require.Contains(t, string(data), part)
	}
	for of, want := range map[string]string{
		"int64": "number", "float32": "number", "bool": "boolean", "*Say": "Say", "[]Node": "Node[]", "[2][3]float64": "number[][]", "map[string]Say": "Record<string, Say>", "json.RawMessage": "unknown", "any": "any",
		"chan int": "", "unnamed": "",
	} {
		e, err := parser.ParseExpr(of)
		require.NoError(t, err)
		got, err := typescriptType(e)
		require.Equal(t, want == "", err != nil, of)
		require.Equal(t, want, got, of)
	}
}
