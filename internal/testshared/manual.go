package testshared

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Manual requires that a section of docs/gtp.md holds a table. With update it writes the table.
func Manual(t *testing.T, section, table string, update bool) {
	t.Helper()
	path := filepath.Join(Checkout(t), "docs", "gtp.md")
	file := Read(t, path)
	m := regexp.MustCompile(`(?s)<!-- ` + section + `:[^\n]*-->\n(.*?)<!-- end -->`).FindStringSubmatchIndex(file)
	require.NotNil(t, m, section)
	if update {
		require.NoError(t, os.WriteFile(path, []byte(file[:m[2]]+table+file[m[3]:]), 0o644))
		return
	}
	require.True(t, table == file[m[2]:m[3]], "docs/gtp.md is out of date: go test ./gtp ./cmd/engine -run TestManual -update")
}

// Sentence turns a note into a sentence: a capital first, unless it begins with a name, and a
// full stop.
func Sentence(note string) string {
	first, _, _ := strings.Cut(note, " ")
	if first = strings.TrimRight(first, ",;"); first == "a" || len(first) > 1 && strings.Trim(strings.TrimSuffix(first, "'s"), "abcdefghijklmnopqrstuvwxyz") == "" {
		note = strings.ToUpper(note[:1]) + note[1:]
	}
	return strings.TrimSuffix(note, ".") + "."
}
