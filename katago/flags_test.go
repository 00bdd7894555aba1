package katago

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParsePersonality(t *testing.T) {
	for _, c := range []struct {
		program string
		args    []string
		rest    []string
		yes     bool
	}{
		{"/usr/bin/katago", []string{"gtp"}, []string{"gtp"}, true}, {`C:\go\KataGo.exe`, nil, nil, true}, {"engine", []string{"gtp"}, []string{"gtp"}, false},
		{"engine", []string{"--personality", "katago", "gtp"}, []string{"gtp"}, true}, {"engine", []string{"-personality=katago"}, []string{}, true},
		{"katago", []string{"--personality=kosumi", "doctor"}, []string{"doctor"}, false}, {"katago2", []string{}, []string{}, false},
	} {
		rest, yes, err := ParsePersonality(c.program, c.args)
		require.NoError(t, err)
		require.Equal(t, c.yes, yes, "%s %v", c.program, c.args)
		require.Equal(t, c.rest, rest)
	}
	_, _, err := ParsePersonality("engine", []string{"--personality", "leela"})
	require.ErrorContains(t, err, `"leela"`)
}

func TestParseFlags(t *testing.T) {
	f, err := ParseFlags("benchmark", []string{"-config", "a.cfg", "--config=b.cfg", "-t", "1,2", "-v", "16", "-s"})
	require.NoError(t, err)
	require.Equal(t, []string{"a.cfg", "b.cfg"}, f.configs)
	require.Equal(t, "1,2", f.Texts["threads"])
	require.True(t, f.Switches["tune"])
	f, err = ParseFlags("benchmark", []string{"-no-server-thread-test", "--no-half-batch-size-test", "-n", "2"})
	require.NoError(t, err)
	require.True(t, f.Switches["no-server-thread-test"] && f.Switches["no-half-batch-size-test"])
	require.Equal(t, "2", f.Texts["numpositions"])
	for _, args := range [][]string{{"gtp"}, {"-v", "5"}, {"-no-server-thread-test"}, {"-model"}, {"-model", "a", "-model", "b"}, {"-"}} {
		_, err := ParseFlags("gtp", args)
		require.Error(t, err, args)
	}
}

func TestNumber(t *testing.T) {
	f, err := ParseFlags("benchmark", []string{"-v", "16", "-n", "0", "-boardsize", "x"})
	require.NoError(t, err)
	n, err := f.Number("visits", 80)
	require.NoError(t, err)
	require.Equal(t, 16, n)
	n, err = f.Number("fixed-batch-size", 3)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	for _, name := range []string{"numpositions", "boardsize"} {
		_, err := f.Number(name, 1)
		require.ErrorContains(t, err, "-"+name)
	}
	require.Contains(t, f.Usage("katago"), "katago benchmark [flags]")
	require.Contains(t, f.Usage("katago"), "-visits <VISITS>")
}

// TestFilesBesideTheProgram: config and network are found in KataGo's folder if none is named.
func TestFilesBesideTheProgram(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	none, err := ParseFlags("gtp", nil)
	require.NoError(t, err)
	require.Empty(t, none.Model())
	_, err = none.Config("")
	require.ErrorContains(t, err, "-config")
	c, err := none.Config("numSearchThreads=3")
	require.NoError(t, err)
	require.True(t, c.Has("numSearchThreads"))

	dir := filepath.Join(home, ".katago")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "default_model.txt.gz"), 0o755)) // not a file
	require.NoError(t, os.WriteFile(filepath.Join(dir, "default_gtp.cfg"), []byte("maxVisits = 5\n"), 0o644))
	require.Empty(t, none.Model())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "default_model.bin.gz"), nil, 0o644))
	require.Equal(t, filepath.Join(dir, "default_model.bin.gz"), none.Model())
	c, err = none.Config("numSearchThreads=3")
	require.NoError(t, err)
	require.True(t, c.Has("maxVisits"))
	require.False(t, c.Has("numSearchThreads"), "the stand-in is for nothing else")
	named, err := ParseFlags("gtp", []string{"-model", "my.bin.gz"})
	require.NoError(t, err)
	require.Equal(t, "my.bin.gz", named.Model())
}
