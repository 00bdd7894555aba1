package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// TestSizes bounds the compressed size of the built page: of all files except licences, and of those
// that are loaded before the first screen in English.
func TestSizes(t *testing.T) {
	const dist = "dist"
	html, err := os.ReadFile(filepath.Join(dist, "index.html"))
	if err != nil {
		testshared.Absent(t, "the page is not built (make page): %v", err)
	}
	size := func(name string) int64 {
		info, err := os.Stat(filepath.Join(dist, name+".gz"))
		require.NoError(t, err)
		return info.Size()
	}
	all := int64(len(html))
	files, err := filepath.Glob(dist + "/assets/*.gz")
	require.NoError(t, err)
	for _, file := range files {
		if !strings.HasPrefix(filepath.Base(file), "licences") {
			all += size("assets/" + strings.TrimSuffix(filepath.Base(file), ".gz"))
		}
	}
	first, named := int64(len(html)), regexp.MustCompile(`/(assets/[^"]+)"`).FindAllSubmatch(html, -1)
	require.Greater(t, len(named), 3)
	for _, m := range named {
		first += size(string(m[1]))
		require.NotRegexp(t, `assets/(zh|ja|ko)-`, string(m[1]), "a language is loaded when it is chosen")
	}
	t.Logf("the page: %d bytes in all, %d of them for the first screen", all, first)
	require.Less(t, all, int64(200_000))
	require.Less(t, first, int64(80_000))
}
