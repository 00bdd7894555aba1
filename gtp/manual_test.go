package gtp

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"kosumi/internal/testshared"
)

var update = flag.Bool("update", false, "write the commands in docs/gtp.md anew")

// TestManual: docs/gtp.md has every command, in the order of list_commands, hidden ones last.
func TestManual(t *testing.T) {
	var b, hidden strings.Builder
	b.WriteString("| command | what it does | from |\n|---|---|---|\n")
	table := newServer(newFake(), Options{}).table
	for _, name := range table.order {
		h, out := table.byName[name], &b
		if h.Hidden {
			out = &hidden
			h.usage.does += " (not in list_commands)"
		}
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", strings.TrimSpace(name+" "+h.usage.args), testshared.Sentence(h.usage.does), h.usage.from)
	}
	testshared.Manual(t, "commands", b.String()+hidden.String(), *update)
}
