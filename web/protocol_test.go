package web

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/review"
	"kosumi/web/api"
)

// TestSentences requires that each key of [api.Sentences] is used, that each key passed to [api.Tell]
// is in it, and that each kind of event is sent.
func TestSentences(t *testing.T) {
	told := regexp.MustCompile(`api\.Tell\("\w+", "(\w+)"`)
	words := regexp.MustCompile(`"(\w+)"`)
	event := regexp.MustCompile(`api\.(\w+News)\.Of\(`)
	said, sent := map[string]bool{}, map[string]bool{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "ui" || d.Name() == "api") {
			return cmp.Or(err, fs.SkipDir)
		}
		if d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		for _, m := range told.FindAllSubmatch(source, -1) {
			require.Contains(t, api.Sentences, string(m[1]), path)
		}
		for _, m := range words.FindAllSubmatch(source, -1) {
			said[string(m[1])] = true
		}
		for _, m := range event.FindAllSubmatch(source, -1) {
			sent[string(m[1])] = true
		}
		return err
	}))
	for _, m := range words.FindAllStringSubmatch(testshared.Read(t, "api/cause.go"), -1) {
		said[m[1]] = true
	}
	for key := range api.Sentences {
		require.Contains(t, said, key)
	}
	require.Len(t, sent, len(api.Kinds), "a kind of event is declared and never sent")
}

// TestLanguages requires that every language has the keys of English, and that every text has the
// same arguments as its English text.
func TestLanguages(t *testing.T) {
	read := func(name string) map[string]string {
		texts := map[string]string{}
		require.NoError(t, toml.Unmarshal([]byte(testshared.Read(t, filepath.Join("i18n", name+".toml"))), &texts), name)
		return texts
	}
	argument := regexp.MustCompile(`\{\w+\}`)
	english := read("en")
	for key, text := range api.Sentences {
		require.Equal(t, text, english["say_"+key], key)
	}
	for key, text := range review.Templates {
		require.Equal(t, text, english["claim_"+key], key)
	}
	for _, name := range []string{"zh", "ja", "ko"} {
		texts := read(name)
		for key, text := range english {
			if strings.HasSuffix(key, "_one") { // these languages have no plural
				require.NotContains(t, texts, key, name)
				continue
			}
			require.Contains(t, texts, key, "%s.toml lacks it", name)
			require.NotEmpty(t, texts[key], "%s: %s", name, key)
			want, got := argument.FindAllString(text, -1), argument.FindAllString(texts[key], -1)
			slices.Sort(want)
			slices.Sort(got)
			require.Equal(t, slices.Compact(want), slices.Compact(got), "%s: %s", name, key)
			delete(texts, key)
		}
		require.Empty(t, texts, "%s.toml has keys that English does not", name)
	}
}
