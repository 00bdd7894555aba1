package config

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Config is the values of keys from files and command lines, with a record of which keys were
// used. Not safe for concurrent use.
type Config struct {
	name   string // name in messages
	values map[string]string
	used   map[string]bool
}

// New returns a config with values that come from no file.
func New(values map[string]string) *Config {
	return &Config{values: maps.Clone(values), used: map[string]bool{}}
}

// hostFiles opens files by any path that a user may write; os.DirFS refuses some of them.
type hostFiles struct{}

func (hostFiles) Open(name string) (fs.File, error) { return os.Open(name) }

// Load reads files, later ones overriding earlier ones, then applies the -override-config texts
// in order.
func Load(files, overrides []string) (*Config, error) { return load(hostFiles{}, files, overrides) }

func load(from fs.FS, files, overrides []string) (*Config, error) {
	c := New(map[string]string{})
	for i, file := range files {
		r := reader{files: from, to: c.values, main: file}
		if i > 0 { // KataGo treats a later file as included by the first
			r.main = files[0]
			r.included = append(r.included, files[1:i]...)
			if file == files[0] || slices.Contains(files[1:i], file) {
				return nil, place{files[0], 0}.fault("Circular or multiple inclusion of the same file: '%s'", file)
			}
		}
		if dir := folder(file); dir != "" {
			r.folders = []string{dir}
		}
		if err := r.read(file, file); err != nil {
			return nil, err
		}
		if i == 0 {
			c.name = file
		}
	}
	for _, text := range overrides {
		if text == "" {
			continue
		}
		pairs, err := Pairs(text)
		if err != nil {
			return nil, err
		}
		c.dropExcluded(pairs)
		c.Override(pairs)
	}
	return c, nil
}

// rulesParts are the keys that "rules" replaces. If a config has "rules" and some of these keys,
// KataGo's error names the first of them in this order.
var rulesParts = []string{
	"koRule", "scoringRule", "multiStoneSuicideLegal", "hasButton", "taxRule", "whiteHandicapBonus", "friendlyPassOk", "whiteBonusPerHandicapStone",
}

// dropExcluded removes keys that new keys replace: "rules" replaces the keys for parts of the
// rules, and any of these replaces "rules".
func (c *Config) dropExcluded(pairs map[string]string) {
	if _, whole := pairs["rules"]; whole {
		for _, key := range rulesParts {
			delete(c.values, key)
		}
	}
	if slices.ContainsFunc(rulesParts, func(key string) bool { _, given := pairs[key]; return given }) {
		delete(c.values, "rules")
	}
}

// Override sets keys; an empty value removes a key.
func (c *Config) Override(pairs map[string]string) {
	for key, value := range pairs {
		if value == "" {
			delete(c.values, key)
		} else {
			c.values[key] = value
		}
	}
	c.name += " and/or command-line and query overrides"
}

func (c *Config) Clone() *Config {
	return &Config{name: c.name, values: maps.Clone(c.values), used: maps.Clone(c.used)}
}

// overridden returns a copy with other values for some keys. In it, all keys of c count as used.
func (c *Config) overridden(pairs map[string]string) *Config {
	other := c.Clone()
	other.Use("")
	other.Override(pairs)
	return other
}

// Name returns the name of the config in messages: the name of its first file, then a phrase for
// each override.
func (c *Config) Name() string { return c.name }

// Has reports whether a key is given, without marking it as used.
func (c *Config) Has(key string) bool { _, given := c.values[key]; return given }
func (c *Config) Keys() []string      { return slices.Sorted(maps.Keys(c.values)) }

// Lines returns all keys with their values, sorted, as "key = value".
func (c *Config) Lines() []string {
	var lines []string
	for _, key := range c.Keys() {
		lines = append(lines, key+" = "+c.values[key])
	}
	return lines
}

// Use marks all keys with a prefix as used.
func (c *Config) Use(prefix string) {
	for key := range c.values {
		if strings.HasPrefix(key, prefix) {
			c.used[key] = true
		}
	}
}

// Unused returns the unused keys, sorted.
func (c *Config) Unused() []string {
	var unused []string
	for _, key := range c.Keys() {
		if !c.used[key] {
			unused = append(unused, key)
		}
	}
	return unused
}

// Warning returns KataGo's warning about unused keys, line by line; nil if there are none.
func (c *Config) Warning() []string {
	unused := c.Unused()
	if len(unused) == 0 {
		return nil
	}
	const rule = "--------------"
	lines := []string{rule, "WARNING: Config had unused keys! You may have a typo, an option you specified is being unused from " + c.name}
	for _, key := range unused {
		lines = append(lines, fmt.Sprintf("WARNING: Unused key '%s' in %s", key, c.name))
	}
	return append(lines, rule)
}
