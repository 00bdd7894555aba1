package gtp

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	var table Table
	calls := 0
	count := func(context.Context, Command, *Reply) error { calls++; return nil }
	table.Add(Handler{Name: "a", Run: count}, Handler{Name: "b", Run: count, Hidden: true}, Handler{Name: "c"})
	table.Add(Handler{Name: "a", Run: count, ByInput: true})
	require.Equal(t, []string{"a", "c"}, table.Listed())
	h, known := table.Find("a")
	require.True(t, known && h.ByInput, "the later one counts")
	table.Wrap(func(run HandlerFunc) HandlerFunc {
		return func(ctx context.Context, c Command, r *Reply) error {
			run(ctx, c, r)
			return run(ctx, c, r)
		}
	}, "b", "unknown")
	h, _ = table.Find("b")
	require.NoError(t, h.Run(t.Context(), Command{}, nil))
	require.Equal(t, 2, calls)
	table.Keep([]string{"b", "unknown"}, []string{"a"})
	require.Equal(t, []string{"b"}, table.Listed())
	_, known = table.Find("c")
	require.False(t, known)
	h, known = table.Find("a")
	require.True(t, known && h.Hidden && h.ByInput)
}
