package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/katago"
	"kosumi/katago/config"
	"kosumi/search/setting"
)

// convertConfig writes a config of KataGo's gtp or analysis program as a file for --config: the
// settings that differ from this program's defaults. Comments list the keys that have no effect
// here, and those that have an effect only if the program runs as katago.
func convertConfig(w io.Writer, name string) error {
	c, err := config.Load([]string{name}, nil)
	if err != nil {
		return usageError{err}
	}
	lines, setup, err := translated(c)
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintf(w, "# Made from %s by engine config --from-katago.\n%s", name, lines)
	idle := slices.Concat(setup.Idle, c.Unused())
	slices.Sort(idle)
	for _, key := range c.Keys() {
		rest := c.Clone()
		rest.Override(map[string]string{key: ""})
		switch without, other, err := translated(rest); {
		case slices.Contains(idle, key):
			fmt.Fprintf(w, "# %s has no effect here\n", key)
		case err == nil && without == lines && !reflect.DeepEqual(other.Play, setup.Play):
			fmt.Fprintf(w, "# %s has an effect only in a config of KataGo's: start the program as katago\n", key)
		}
	}
	return nil
}

// translated returns the settings of a config, and the same settings as text in our format.
func translated(c *config.Config) (string, katago.Setup, error) {
	s := defaultSettings()
	var setup katago.Setup
	if c.Has("logAllGTPCommunication") || !c.Has("numAnalysisThreads") {
		g, err := c.GTP(true, func(string) {})
		if err != nil {
			return "", setup, err
		}
		setup = katago.GTP(c, &g, s.Play)
	} else {
		a, err := c.Analysis(0, true, func(config.Log) {})
		if err != nil {
			return "", setup, err
		}
		setup, _ = katago.Analysis(c, &a, s.Play)
	}
	if err := s.Take(c, &setup); err != nil {
		return "", setup, err
	}
	var b strings.Builder
	usual, section := defaultSettings(), ""
	for i := range table {
		row := &table[i]
		if row.Get(&s) == row.Get(&usual) || row.Name == "pace-most" && s.Play.Delay.Scale == 0 {
			continue
		}
		if row.Section != section {
			section = row.Section
			fmt.Fprintf(&b, "\n[%s]\n", section)
		}
		text := row.Get(&s)
		if row.Kind == setting.Text || row.Kind == setting.Choice {
			text = strconv.Quote(text)
		}
		fmt.Fprintf(&b, "%s = %s\n", row.Name, text)
	}
	return b.String(), setup, nil
}

// readKataGo reads settings by KataGo's names, from a .cfg file for --config and from
// --override-config. Settings given by a flag are skipped. Keys that are not settings here are
// stored in s.idle.
func (s *settings) readKataGo(values map[string]string) error {
	var files []string
	if s.isCfg() {
		if _, err := os.Stat(s.config); err != nil {
			return fmt.Errorf("config file: %w", err)
		}
		files = []string{s.config}
	}
	c, err := config.Load(files, s.foreign)
	text := func(key string) string { v, _ := c.Get(config.Key{Name: key}); return v.Text }
	if err == nil && c.Has("koRule") { // koRule and the other parts of the rules become one setting
		var rules board.Rules
		rules, err = c.Rules()
		values["rules"] = rules.JSON()
	}
	if err != nil {
		return usageError{err}
	}
	s.idle = map[string]string{}
	for _, key := range c.Unused() {
		row := table.Find(key)
		if row == nil || row.Name == "komi" { // komi has no effect, since the rules alone determine it
			s.idle[key] = text(key)
		} else if _, given := s.given[row.Name]; !given {
			values[key] = text(key)
		}
	}
	return nil
}

// isCfg reports whether --config names a file of KataGo's.
func (s *settings) isCfg() bool { return strings.EqualFold(filepath.Ext(s.config), ".cfg") }
