package gtp

import (
	"fmt"
	"strings"

	"kosumi/search/setting"
)

// usage is a command's entry in the manual: its arguments, its effect, and the program that
// defines it.
type usage struct{ args, does, from string }

const (
	standard = "GTP 2"
	byKataGo = "KataGo"
	byLeela  = "Leela Zero"
	byGoGui  = "GoGui"
	byKGS    = "KGS"
	byGNUGo  = "GNU Go"
	byGomill = "gomill"
	byUs     = "Kosumi"
)

const analyzeArgs = "[COLOR] [CENTISECONDS] [KEY VALUE]..."

// Manual returns all commands as a Markdown table, in the order of list_commands, with hidden
// ones last.
func (s *Server) Manual() string {
	var b, hidden strings.Builder
	b.WriteString("| command | what it does | from |\n|---|---|---|\n")
	for _, name := range s.table.order {
		h, out := s.table.byName[name], &b
		if h.Hidden {
			out = &hidden
			h.usage.does += " (not in list_commands)"
		}
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", strings.TrimSpace(name+" "+h.usage.args), setting.Sentence(h.usage.does), h.usage.from)
	}
	return b.String() + hidden.String()
}
