package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"kosumi/engine"
	"kosumi/internal/testshared"
	"kosumi/search/setting"
)

var update = flag.Bool("update", false, "write the settings in docs/gtp.md anew")

// TestManual: docs/gtp.md has every setting that may change while the engine runs.
func TestManual(t *testing.T) {
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
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Param(), value, wants, testshared.Sentence(doc))
	}
	testshared.Manual(t, "settings", b.String(), *update)
}
