package arch

import (
	"errors"
	"fmt"
	"strings"

	"kosumi/nn/onnx"
)

var ErrName = errors.New("unknown architecture")

// ErrConfig marks a configuration out of range.
var ErrConfig = errors.New("bad architecture")

// Limits of a configuration.
const (
	maxBlocks   = 120
	maxChannels = 2048
	minSide     = 2
	maxSide     = 25
)

// opset is the version of the default operator domain that graphs use.
const opset = 17

// Config says which network to build.
type Config struct {
	Family   string // "mini" or "seed"
	Blocks   int    // residual blocks, global pooling blocks not counted
	Channels int
	Width    int // size of the board
	Height   int
}

// On returns the configuration for another board.
func (c Config) On(width, height int) Config {
	c.Width, c.Height = width, height
	return c
}

func (c Config) size() string { return fmt.Sprintf("b%dc%d", c.Blocks, c.Channels) }

const miniSize = "b4c64"

// String returns the name that [Parse] reads, without the board.
func (c Config) String() string {
	switch size := c.size(); {
	case c.Family == "seed":
		return size
	case size == miniSize:
		return "mini"
	default:
		return "mini-" + size
	}
}

// Check reports what is out of range.
func (c Config) Check() error {
	switch {
	case c.Blocks < 1 || c.Blocks > maxBlocks:
		return fmt.Errorf("%w: %d blocks, between 1 and %d are possible", ErrConfig, c.Blocks, maxBlocks)
	case c.Channels < 1 || c.Channels > maxChannels:
		return fmt.Errorf("%w: %d channels, between 1 and %d are possible", ErrConfig, c.Channels, maxChannels)
	case min(c.Width, c.Height) < minSide || max(c.Width, c.Height) > maxSide:
		return fmt.Errorf("%w: a board of %dx%d, sides between %d and %d are possible", ErrConfig, c.Width, c.Height, minSide, maxSide)
	}
	return nil
}

// Parse reads an architecture's name: "mini", "mini-bNcM" or "bNcM", such as
// "b10c128". The board is 9x9 for mini and 19x19 for bNcM; [Config.On] chooses another.
func Parse(name string) (Config, error) {
	c := Config{Family: "seed", Width: 19, Height: 19}
	size, mini := strings.CutPrefix(name, "mini")
	if mini {
		c = Config{Family: "mini", Width: 9, Height: 9}
		if size = strings.TrimPrefix(size, "-"); name == "mini" {
			size = miniSize
		}
	}
	_, err := fmt.Sscanf(size, "b%dc%d", &c.Blocks, &c.Channels)
	if err != nil || c.size() != size || min(c.Blocks, c.Channels) < 0 || mini && name != "mini" && name != "mini-"+size { // refuses signs and leading zeros
		return Config{}, fmt.Errorf("%w %q; known are mini or mini-bNcM, bNcM", ErrName, name)
	}
	if err := c.Check(); err != nil {
		return Config{}, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// Build returns a fresh network. The same configuration and seed give the same
// bytes.
func Build(c Config, seed uint64) (*onnx.Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	switch c.Family {
	case "mini":
		return mini(c, seed)
	case "seed":
		return seedNetwork(c, seed)
	}
	return nil, fmt.Errorf("%w: family %q", ErrName, c.Family)
}
