package reviews

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/web/api"
)

// TestNames: a name is the player's or another's as was said last, and after a restart.
func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.json")
	n, err := openNames(path)
	require.NoError(t, err)
	for _, c := range []struct{ black, white, side string }{
		{"You", "Kosumi", "b"}, {"kosumi", " you ", "w"}, {"Aki", "Bo", ""}, {"", "", ""}, {"You", "You", "both"}, {"Kosumi", "Kosumi", "none"}, {"Aki", "You", "w"},
	} {
		require.Equal(t, c.side, n.side(c.black, c.white), c)
	}
	require.NoError(t, n.say(&api.Names{Mine: []string{" AKI "}, Others: []string{"Bo", ""}}))
	require.NoError(t, n.say(&api.Names{Mine: []string{"Bo"}}))
	require.NoError(t, n.say(&api.Names{Others: []string{"bo"}}))
	n, err = openNames(path)
	require.NoError(t, err)
	require.Equal(t, "b", n.side("aki", "Bo"))
	require.Equal(t, "none", n.side("bo", "Kosumi"))
	require.Equal(t, "", n.side("", "Bo"))
	mine, other := n.yours("Cy")
	require.False(t, mine || other)

	require.NoError(t, os.WriteFile(path, []byte(`{"mine":`), 0o600))
	n, err = openNames(path)
	require.ErrorContains(t, err, "names.json")
	require.Equal(t, "b", n.side("You", "Kosumi"))
	require.NoError(t, n.say(&api.Names{Mine: []string{"Aki"}}), "what is broken is written anew")
	n, err = openNames(path)
	require.NoError(t, err)
	require.Equal(t, "w", n.side("Bo", "Aki"))

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700)) // cannot be written
	require.Error(t, n.say(&api.Names{Mine: []string{"Cy"}}))
	mine, _ = n.yours("Cy")
	require.False(t, mine, "what is not kept does not count")
}
