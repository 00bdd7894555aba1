package main

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSchema asks that what stands in the repository is what package web/api says.
func TestSchema(t *testing.T) {
	data, err := schema("../api")
	require.NoError(t, err)
	kept, err := os.ReadFile("../../" + schemaFile)
	require.NoError(t, err)
	require.Equal(t, string(kept), string(data), "go run ./web/build -schema")
	old, err := os.ReadFile("../../" + guideFile)
	require.NoError(t, err)
	text, err := guide(old)
	require.NoError(t, err)
	require.Equal(t, string(old), string(text), "go run ./web/build -schema")

	// Every reference leads somewhere.
	var s struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(data, &s))
	require.Contains(t, s.Defs, "Review")
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				require.Contains(t, s.Defs, ref[len("#/$defs/"):])
			}
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	var all any
	require.NoError(t, json.Unmarshal(data, &all))
	walk(all)
}
