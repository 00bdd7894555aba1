package file

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecret: a secret is made once, whole and private. An empty one is replaced and one that
// others can read is made private, each with a message.
func TestSecret(t *testing.T) {
	fresh := func() ([]byte, error) { return []byte("fresh"), nil }
	for name, c := range map[string]struct {
		before string // "-": no file
		mode   os.FileMode
		fresh  func() ([]byte, error)
		want   string // "" is an error
		note   string
		after  os.FileMode
	}{
		"none":                    {"-", 0, fresh, "fresh", "", 0o600},
		"one":                     {"old\n", 0o600, fresh, "old", "", 0o600},
		"read-only":               {"old", 0o400, fresh, "old", "", 0o400},
		"empty":                   {"", 0o600, fresh, "fresh", "was empty", 0o600},
		"white space":             {" \n", 0o644, fresh, "fresh", "was empty", 0o600},
		"for all to read":         {"old\n", 0o644, fresh, "old", "could be read by others (mode 0644)", 0o600},
		"for the group":           {"old\n", 0o640, fresh, "old", "mode 0640", 0o600},
		"another's, none":         {"-", 0, nil, "", "", 0},
		"another's, empty":        {"", 0o600, nil, "", "", 0o600},
		"another's, for all":      {"old", 0o644, nil, "old", "chmod 600", 0o644},
		"nothing can be made":     {"-", 0, func() ([]byte, error) { return nil, errors.New("no") }, "", "", 0},
		"empty, and nothing made": {"", 0o600, func() ([]byte, error) { return nil, errors.New("no") }, "", "", 0o600},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && c.mode != 0o600 && c.mode != 0 {
				t.Skip("files have no modes here")
			}
			dir := filepath.Join(t.TempDir(), "a", "b")
			path := filepath.Join(dir, "token")
			if c.before != "-" {
				require.NoError(t, os.MkdirAll(dir, 0o755))
				require.NoError(t, os.WriteFile(path, []byte(c.before), 0o600))
				require.NoError(t, os.Chmod(path, c.mode))
			}
			notes := ""
			got, err := Secret(path, c.fresh, func(text string) { notes += text })
			require.Equal(t, c.want == "", err != nil, "%v", err)
			require.Equal(t, c.want, string(got))
			require.Contains(t, notes, c.note)
			require.Equal(t, c.note == "", notes == "", notes)
			info, err := os.Stat(path)
			if c.after == 0 {
				require.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			if runtime.GOOS == "windows" {
				return
			}
			require.Equal(t, c.after, info.Mode().Perm())
			if c.before == "-" {
				for _, made := range []string{dir, filepath.Dir(dir)} {
					info, err = os.Stat(made)
					require.NoError(t, err)
					require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), made)
				}
				again, err := Secret(path, c.fresh, nil)
				require.NoError(t, err)
				require.Equal(t, "fresh", string(again))
			}
		})
	}
}
