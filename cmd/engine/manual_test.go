package main

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/internal/testshared"
	"kosumi/search/setting"
)

var update = flag.Bool("update", false, "write docs/gtp.md anew")

// TestManual: docs/gtp.md has every command and every setting.
func TestManual(t *testing.T) {
	server := gtp.NewServer((*engine.Engine)(nil), slog.New(slog.DiscardHandler), gtp.Options{})
	const path = "../../docs/gtp.md"
	file := testshared.Read(t, path)
	want := section(t, file, "commands", server.Manual())
	want = section(t, want, "settings", settingsManual())
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.True(t, want == file, "docs/gtp.md is out of date: go test ./cmd/engine -run TestManual -update")
}

// section replaces the text between a name's two marks in a file's content.
func section(t *testing.T, file, name, text string) string {
	t.Helper()
	marks := regexp.MustCompile(`(?s)(<!-- ` + name + `:[^\n]*-->\n).*?(<!-- end -->)`)
	require.Regexp(t, marks, file)
	return marks.ReplaceAllStringFunc(file, func(old string) string {
		m := marks.FindStringSubmatch(old)
		return m[1] + text + m[2]
	})
}

// settingsManual is the table of settings that may change while the engine runs.
func settingsManual() string {
	var b strings.Builder
	b.WriteString("| setting | default | values | what it does |\n|---|---|---|---|\n")
	conf := engine.Defaults()
	list := engine.Settings()
	for i := range list {
		s := &list[i]
		if s.Change == setting.Fixed {
			continue
		}
		value, wants, doc := s.Get(&conf), s.Wants(), s.Doc
		if s.KataGo != "" {
			value, wants = s.GetParam(&conf), s.WantsParam()
		}
		switch { // only the command line writes 0 for "no limit" or "by sessions and batch"
		case s.Name == "threads":
			value, wants = "by sessions and batch", "an integer from 1 to 1024"
			doc, _, _ = strings.Cut(doc, "; 0:")
		case wants != s.Wants() && s.Kind == setting.Integer:
			doc, _, _ = strings.Cut(doc, "; 0:")
			doc += "; " + value + ": no limit"
		}
		doc = strings.NewReplacer("`", "", "|", "\\|").Replace(doc)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Param(), value, wants, setting.Sentence(doc))
	}
	return b.String()
}
