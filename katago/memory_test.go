package katago_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kosumi/board"
	"kosumi/katago"
	"kosumi/katago/config"
)

// TestMemory: moves that were chosen are kept in files, read by the next program, and
// the oldest files go where there are too many.
func TestMemory(t *testing.T) {
	conf := &config.AvoidOwn{Dir: filepath.Join(t.TempDir(), "new"), Chunk: 2, All: config.AvoidRange{Utility: 0.1, Lambda: 1, ToTurn: 1, MaxMoves: 100}}
	var said []string
	m := katago.NewMemory(conf, func(line string) { said = append(said, line) })
	past, err := m.Load()
	require.NoError(t, err, "there is no folder yet")
	require.Zero(t, past.Len())
	g, err := board.NewGame(board.Size{W: 9, H: 7}, board.TrompTaylor())
	require.NoError(t, err)
	choose := func(vertex string) {
		p, err := g.Size().ParseVertex(vertex)
		require.NoError(t, err)
		m.Chosen(g, g.ToMove(), p)
		require.NoError(t, g.Play(g.ToMove(), p))
	}
	choose("C3")
	m.Save(false)
	require.False(t, m.Fresh(), "not a chunk yet")
	choose("G5")
	choose("D4") // after the last turn that counts
	m.Save(false)
	require.True(t, m.Fresh())
	files, err := filepath.Glob(filepath.Join(conf.Dir, "9x7", "*_poses.txt"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Equal(t, `{"board":"........./........./........./........./........./........./........./","hintLoc":"C3","initialTurnNumber":0,"moveLocs":[],"movePlas":[],"nextPla":"B","weight":1,"xSize":9,"ySize":7}
{"board":"........./........./........./........./..X....../........./........./","hintLoc":"G5","initialTurnNumber":1,"moveLocs":[],"movePlas":[],"nextPla":"W","weight":1,"xSize":9,"ySize":7}
`, string(text))
	past, err = m.Load()
	require.NoError(t, err)
	require.Equal(t, 2*2*8, past.Len())
	require.False(t, m.Fresh())
	require.Contains(t, said, "numPosesUsed = 2")

	old := filepath.Join(conf.Dir, "9x7", "old_poses.txt")
	broken := strings.Join([]string{"{", `{"board":"X/","xSize":9,"ySize":7,"nextPla":"B","hintLoc":"A1"}`, strings.Replace(string(text), `"G5"`, `"C3"`, 1)}, "\n")
	require.NoError(t, os.WriteFile(old, []byte(broken), 0o644))
	require.NoError(t, os.Chtimes(old, time.Unix(1, 0), time.Unix(1, 0)))
	said = nil
	_, err = m.Load()
	require.NoError(t, err)
	require.Subset(t, said, []string{"numPosesUsed = 3", "numPosesInvalid = 1", "numPosLoadErrors = 2"})
	conf.All.MaxMoves = 2
	_, err = m.Load()
	require.NoError(t, err)
	require.NoFileExists(t, old)
	require.FileExists(t, files[0])
	choose("E5")
	conf.All.ToTurn = 10
	m.Save(true)
	files, err = filepath.Glob(filepath.Join(conf.Dir, "9x7", "*_poses.txt"))
	require.NoError(t, err)
	require.Len(t, files, 2, "the end of the program writes down what there is")
}

// TestAvoidGames reads folders and files of records; what cannot be read is named.
func TestAvoidGames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.sgf": "(;SZ[9]PB[me]PW[you];B[cc];W[gg];B[ce])", "sub/b.SGF": "(;SZ[9]PB[you]PW[me];B[gc]C[%SKIP%];W[ge];B[ee])",
		"bad.sgf": "nothing", "half.sgf": "(;SZ[9]PB[me];B[ee];W[ee])", "notes.txt": "(;SZ[9];B[aa])",
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	read := func(g config.AvoidGames) (int, []string) {
		var said []string
		past, err := katago.AvoidGames([]config.AvoidGames{g}, func(line string) { said = append(said, line) })
		require.NoError(t, err)
		return past.Len(), said
	}
	all := config.AvoidGames{Utility: 0.1, Lambda: 1, MaxGames: 100, Paths: []string{dir}}
	_, said := read(all)
	text := strings.Join(said, "\n")
	for _, want := range []string{
		"Added 32 shapes to penalize repeats for bot 0 from " + filepath.Join(dir, "a.sgf"), "Added 32 shapes to penalize repeats for bot 0 from " + filepath.Join(dir, "sub/b.SGF"),
		"Invalid SGF " + filepath.Join(dir, "bad.sgf"), "Added 2 shapes to penalize repeats for bot 0 from " + filepath.Join(dir, "half.sgf"), "there is a stone",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "notes.txt")
	me := all
	me.Names, me.Paths = []string{"me"}, []string{filepath.Join(dir, "sub")}
	n, _ := read(me)
	require.Equal(t, 16, n, "one move of mine")
	late := all
	late.FromTurn, late.Paths = 3, []string{filepath.Join(dir, "a.sgf")}
	n, _ = read(late)
	require.Equal(t, 16, n, "from the third move")
	for _, path := range []string{filepath.Join(dir, "notes.txt"), filepath.Join(dir, "nowhere")} {
		_, err := katago.AvoidGames([]config.AvoidGames{{Paths: []string{path}}}, func(string) {})
		require.ErrorContains(t, err, path)
	}
	none, err := katago.AvoidGames(nil, func(string) {})
	require.NoError(t, err)
	require.Nil(t, none)
}
