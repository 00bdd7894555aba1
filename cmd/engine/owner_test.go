package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/file"
)

// TestFoldersHaveOneOwner: while a process writes into a folder, another command that would write
// there is refused and changes nothing; the error names the folder and the process. The command
// runs once the process has ended.
func TestFoldersHaveOneOwner(t *testing.T) {
	needLibrary(t)
	model, games := material(t, t.TempDir())
	record := writeFile(t, "a.sgf", "(;SZ[5];B[cc];W[bb])")
	player := fmt.Sprintf("%q gtp --model %s --visits 1", built(t), model)
	for name, args := range map[string][]string{
		"train":    {"train", "--model", model, "--data", games, "--steps", "2", "--batch", "8", "-o"},
		"selfplay": {"selfplay", "--method", "random", "--boardsize", "5", "--games", "2", "-o"},
		"match":    {"match", "--a", player, "--b", player, "--boardsize", "5", "--komi", "0", "--max-moves", "4", "--out"},
		"review":   {"review", record, "--model", model, "--visits", "2", "--first-visits", "1", "-o"},
		"loop":     {"loop", "--config", writeFile(t, "loop.toml", "[bootstrap]\ngames = 4\n"), "--games", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			if name == "loop" {
				exits(t, exitDone, nil, "", "loop", out, "--init", "--config", args[2])
			}
			h, err := file.LockFolder(out)
			require.NoError(t, err)
			before := names(t, out)
			o := exits(t, exitFailed, nil, "", append(args[:len(args):len(args)], out)...)
			require.Contains(t, o.stderr, out+": another process is at work there")
			require.Contains(t, o.stderr, fmt.Sprintf("process %d", os.Getpid()))
			require.Equal(t, before, names(t, out))
			require.NoError(t, h.Release())
			exits(t, exitDone, nil, "", append(args[:len(args):len(args)], out)...)
		})
	}
}

// names lists the entries of a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}
