package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"kosumi/katagocfg"
	"kosumi/setting"
)

// convertConfig writes a config of KataGo's gtp or analysis program as a file for
// --config: what differs from the defaults of this program, and, in comments, the
// keys that have no effect here.
func convertConfig(w io.Writer, name string) error {
	c, err := katagocfg.Load([]string{name}, nil)
	if err != nil {
		return usageError{err}
	}
	var s settings
	var idle []string
	if c.Has("logAllGTPCommunication") || !c.Has("numAnalysisThreads") {
		g, err := c.GTP(true, func(string) {})
		if err != nil {
			return usageError{err}
		}
		if s, idle, err = kataSettings(&g, c); err != nil {
			return usageError{err}
		}
	} else {
		a, err := c.Analysis(0, true, func(katagocfg.Log) {})
		if err != nil {
			return usageError{err}
		}
		s = defaultSettings()
		idle = append(kataSearch(&s.Play.Search, a.Search, katagocfg.Analysis), a.Patterns...)
		s.Play.Limits = kataLimit(a.Search, "")
		s.kataNetwork(a.Network, a.Threads*s.Play.Search.Parallel.Workers)
	}
	fmt.Fprintf(w, "# Made of %s by engine config --from-katago.\n", name)
	usual := defaultSettings()
	section := ""
	for i := range table {
		row := &table[i]
		if row.Get(&s) == row.Get(&usual) {
			continue
		}
		if row.Section != section {
			section = row.Section
			fmt.Fprintf(w, "\n[%s]\n", section)
		}
		fmt.Fprintf(w, "%s = %s\n", row.Name, tomlValue(row.Info, row.Get(&s)))
	}
	missing := map[string]bool{}
	for _, name := range slices.Concat(idle, c.Unused()) {
		missing[name] = c.Has(name)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if missing[name] {
			fmt.Fprintf(w, "# %s has no effect here\n", name)
		}
	}
	return nil
}

// tomlValue writes a value as TOML does.
func tomlValue(row setting.Info, text string) string {
	if row.Kind == setting.Text || row.Kind == setting.Choice {
		return strconv.Quote(text)
	}
	return text
}
