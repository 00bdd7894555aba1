package arch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kosumi/nn/onnx"
)

// ErrName marks an architecture's name that no family knows.
var ErrName = errors.New("unknown architecture")

// ErrConfig marks a configuration out of bounds.
var ErrConfig = errors.New("bad architecture")

// Bounds of a configuration.
const (
	MaxBlocks   = 120
	MaxChannels = 2048
	MinSide     = 2
	MaxSide     = 25
)

// Opset is the version of the default operator domain that networks are
// written for.
const Opset = 17

// Config says which network to build.
type Config struct {
	Family   string // name of the family: "mini", "seed" or a registered one
	Blocks   int    // residual blocks, global pooling blocks not counted
	Channels int
	Variant  string // what else a registered family's names say; not used by mini and seed
	Width    int    // of the board
	Height   int
}

// On returns the configuration for another board.
func (c Config) On(width, height int) Config {
	c.Width, c.Height = width, height
	return c
}

// String returns the name that [Parse] reads, without the board.
func (c Config) String() string {
	for _, f := range Families() {
		if f.Name == c.Family {
			return f.Format(c)
		}
	}
	return fmt.Sprintf("%s-b%dc%d", c.Family, c.Blocks, c.Channels)
}

// Check reports what is out of bounds.
func (c Config) Check() error {
	switch {
	case c.Blocks < 1 || c.Blocks > MaxBlocks:
		return fmt.Errorf("%w: %d blocks, between 1 and %d are possible", ErrConfig, c.Blocks, MaxBlocks)
	case c.Channels < 1 || c.Channels > MaxChannels:
		return fmt.Errorf("%w: %d channels, between 1 and %d are possible", ErrConfig, c.Channels, MaxChannels)
	case min(c.Width, c.Height) < MinSide || max(c.Width, c.Height) > MaxSide:
		return fmt.Errorf("%w: a board of %dx%d, sides between %d and %d are possible", ErrConfig, c.Width, c.Height, MinSide, MaxSide)
	}
	return nil
}

// Family is a kind of architecture.
type Family struct {
	Name    string // for Config.Family
	Pattern string // how names look, for people: "bNcM"
	Doc     string // one line about it
	// Parse returns the configuration of a name, with the board that the family
	// is usually built for; ok is false where the name is not of this family.
	Parse func(name string) (c Config, ok bool)
	// Format returns the name of a configuration, which Parse reads.
	Format func(c Config) string
	// Build returns the network; the configuration has been checked.
	Build func(c Config, seed uint64) (*onnx.Model, error)
}

var families []Family

func init() { // families refers to what refers to it
	families = []Family{
		{
			Name: "mini", Pattern: "mini or mini-bNcM",
			Doc:   "the tutorial's dual head: 7 planes, post-activation residual blocks (4 of 64 channels by default), policy and value",
			Parse: parseMini, Format: formatMini, Build: Mini,
		},
		{
			Name: "seed", Pattern: "bNcM",
			Doc:   "22 planes, N pre-activation residual blocks of M channels, global pooling after every sixth; policy, value, score, ownership",
			Parse: parseSeed, Format: func(c Config) string { return size(c) }, Build: Seed,
		},
	}
}

// Families returns the families.
func Families() []Family { return families }

// Parse reads an architecture's name, such as "mini", "mini-b2c16" or
// "b10c128". The board is the family's usual one: 9x9 for mini, 19x19 for bNcM;
// [Config.On] chooses another.
func Parse(name string) (Config, error) {
	families := Families()
	for _, f := range families {
		if c, ok := f.Parse(name); ok {
			if err := c.Check(); err != nil {
				return Config{}, fmt.Errorf("%s: %w", name, err)
			}
			return c, nil
		}
	}
	known := make([]string, len(families))
	for i, f := range families {
		known[i] = f.Pattern
	}
	return Config{}, fmt.Errorf("%w %q; known are %s", ErrName, name, strings.Join(known, ", "))
}

// Build returns a fresh network. The same configuration and seed give the same
// bytes.
func Build(c Config, seed uint64) (*onnx.Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	for _, f := range Families() {
		if f.Name == c.Family {
			return f.Build(c, seed)
		}
	}
	return nil, fmt.Errorf("%w: family %q", ErrName, c.Family)
}

// size returns "bNcM".
func size(c Config) string { return fmt.Sprintf("b%dc%d", c.Blocks, c.Channels) }

// parseSize reads "bNcM". The numbers are plain: no sign, no leading zero.
func parseSize(s string) (blocks, channels int, ok bool) {
	rest, ok := strings.CutPrefix(s, "b")
	if !ok {
		return 0, 0, false
	}
	first, second, ok := strings.Cut(rest, "c")
	if !ok {
		return 0, 0, false
	}
	for _, n := range []struct {
		text string
		dst  *int
	}{{first, &blocks}, {second, &channels}} {
		v, err := strconv.Atoi(n.text)
		if err != nil || v < 0 || strconv.Itoa(v) != n.text {
			return 0, 0, false
		}
		*n.dst = v
	}
	return blocks, channels, true
}

func parseMini(name string) (Config, bool) {
	c := Config{Family: "mini", Blocks: 4, Channels: 64, Width: 9, Height: 9}
	if name == "mini" {
		return c, true
	}
	rest, ok := strings.CutPrefix(name, "mini-")
	if !ok {
		return Config{}, false
	}
	c.Blocks, c.Channels, ok = parseSize(rest)
	return c, ok
}

func formatMini(c Config) string {
	if c.Blocks == 4 && c.Channels == 64 {
		return "mini"
	}
	return "mini-" + size(c)
}

func parseSeed(name string) (Config, bool) {
	c := Config{Family: "seed", Width: 19, Height: 19}
	var ok bool
	c.Blocks, c.Channels, ok = parseSize(name)
	return c, ok
}
