package loop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPositionsOfTheFolder: a loop reads game records in its own folder and uses those of its board sizes. The
// random games that it plays before it has a network do not begin from them.
func TestPositionsOfTheFolder(t *testing.T) {
	dir := newLoop(t, strings.Replace(tiny, "[selfplay.search]", "[selfplay.positions]\nrecords = [\"lost\"]\nshare = 0.5\n[selfplay.search]", 1))
	_, err := Open(dir, Options{})
	require.ErrorIs(t, err, ErrRecipe, "there are no records yet")
	require.ErrorContains(t, err, "lost")

	lost := filepath.Join(dir, "lost")
	require.NoError(t, os.Mkdir(lost, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(lost, "one.sgf"), []byte("(;SZ[5];B[cc];W[bb];B[cb])(;SZ[9];B[cc];W[bb])"), 0o644))
	l := opened(t, dir, Options{})
	require.Len(t, l.conf.Selfplay.Positions.Lines, 1, "the other is on another board")
	c := l.stageConfig()
	require.Zero(t, c.Selfplay.Positions.Share, "random games begin on the empty board")
	l.state.Current = "net"
	c = l.stageConfig()
	require.Equal(t, 0.5, c.Selfplay.Positions.Share)
}
