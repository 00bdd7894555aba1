package match

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFolderFor: an interrupted match continues in its folder. A new match does not get the folder
// of a finished match, of another match, of a running one, or a folder with other content.
func TestFolderFor(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "match")
	folder := func(c Config) string {
		dir, err := FolderFor(c, base)
		require.NoError(t, err)
		return dir
	}
	c := small(guestCommand(), guestCommand("-seed", "2"))
	require.Equal(t, base, folder(c))
	played := c
	played.Dir, played.Games = base, 1
	runMatch(t, played)
	c.Games = 1
	require.Equal(t, base+"-2", folder(c), "it is over")
	c.Games = 2
	require.Equal(t, base, folder(c), "a game is left")
	other := c
	other.Rules = "aga"
	require.Equal(t, base+"-2", folder(other))
	require.NoError(t, os.Mkdir(base+"-2", 0o777))
	require.Equal(t, base+"-3", folder(other))

	p, err := newPlan(c)
	require.NoError(t, err)
	j, _, err := openJournal(filepath.Join(base, JournalName), p.identity())
	require.NoError(t, err)
	require.Equal(t, base+"-3", folder(c), "somebody is at it")
	j.close()
	require.Equal(t, base, folder(c))
	_, err = FolderFor(Config{}, base)
	require.ErrorIs(t, err, ErrConfig)
}
