package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"kosumi/search/setting"
)

// groupFlags adds flags for the settings under a heading, without the exceptions listed. The
// defaults are the present values of s.
func (s *settings) groupFlags(f *pflag.FlagSet, group string, but ...string) {
	for i := range table {
		if table[i].Group == group && !slices.Contains(but, table[i].Name) {
			s.flag(f, &table[i])
		}
	}
}

// flags adds flags of some settings by name.
func (s *settings) flags(f *pflag.FlagSet, names ...string) {
	for _, name := range names {
		s.flag(f, table.Find(name))
	}
}

// flagAs adds the flag of a setting with a different explanation.
func (s *settings) flagAs(f *pflag.FlagSet, name, usage string) {
	row := *table.Find(name)
	row.Doc = usage
	s.flag(f, &row)
}

func (s *settings) flag(f *pflag.FlagSet, row *setting.Setting[settings]) {
	if f.Lookup(row.Name) != nil {
		return
	}
	flag := f.VarPF(&flagValue{s, row}, row.Name, "", row.Doc)
	if row.Name == "komi" {
		flag.DefValue = "0" // help shows no default: the rules determine komi
	}
	if row.Name == "boardsize" {
		flag.DefValue = "" // help shows no default: the network determines the size
	}
	if row.Kind == setting.Bool {
		flag.NoOptDefVal = "true"
	}
	if row.Name == "batch" && s.Batch > 0 { // the batch is known, so the meaning of 0 needs no explanation
		flag.Usage, _, _ = strings.Cut(flag.Usage, "; 0:")
	}
	if !slices.Contains(plainSettings, row.Name) {
		flag.Annotations = map[string][]string{groupOf: {row.Group}}
	}
}

// plainSettings are the common settings, listed in help among a command's own flags without a
// heading.
var plainSettings = []string{"model", "human-model", "boardsize", "rules", "komi", "level", "time", "visits", "pace", "ponder", "seed", "threads"}

// flagValue makes a setting the value of a flag; settings.load applies the given values.
type flagValue struct {
	s   *settings
	row *setting.Setting[settings]
}

func (v *flagValue) String() string {
	if v.s == nil { // pflag calls this on a zero flagValue
		return ""
	}
	if text, ok := v.s.given[v.row.Name]; ok {
		return text
	}
	return v.row.Get(v.s)
}

func (v *flagValue) Set(text string) error {
	if v.s.given == nil {
		v.s.given = map[string]string{}
	}
	v.s.given[v.row.Name] = text
	return nil
}

// Type is the placeholder for the value in --help, if the usage text has none.
func (v *flagValue) Type() string {
	switch v.row.Kind {
	case setting.Bool:
		return "bool"
	case setting.Integer:
		return "int"
	case setting.Number:
		return "float"
	}
	return "string"
}
