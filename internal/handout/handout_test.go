package handout

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// TestWrite inserts title and data as text: neither can close its HTML element.
func TestWrite(t *testing.T) {
	var out bytes.Buffer
	err := Write(&out, "</title><b>", map[string]string{"name": "</script><b>"})
	if errors.Is(err, ErrNotBuilt) {
		require.Empty(t, out.String(), "nothing is written by halves")
		testshared.Absent(t, "%v", err)
	}
	require.NoError(t, err)
	text := out.String()
	require.Equal(t, 3, strings.Count(text, "</script>"), "data, code and licences")
	require.Equal(t, 1, strings.Count(text, "</title>"))
	require.Equal(t, 1, strings.Count(text, "</style>"))
	require.Contains(t, text, "MIT")
	require.NotContains(t, text, "http://127.0.0.1")
	for _, needless := range []string{"Search longer", "life.ask", "/api/import", "/api/restore"} {
		require.NotContains(t, text, needless, "a file has no server to ask")
	}
	require.Error(t, Write(&out, "", func() {}), "what is not data")
}
