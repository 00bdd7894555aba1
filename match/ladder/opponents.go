package ladder

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/match"
)

// ParseDials reads dials, the numbers of levels, with commas between them.
func ParseDials(list string) ([]float64, error) {
	var dials []float64
	for text := range strings.SplitSeq(list, ",") {
		d, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		dials = append(dials, d)
	}
	return dials, nil
}

// AddAnchors adds the fixed opponents of a list: N or N+STONES is GNU Go at level N, which may give
// stones, and vN is c.Engine at N visits. The first one sets the scale. c.Engine and c.Size must be
// set before. The argument gnugo is the path of GNU Go; if it is empty, AddAnchors searches for it.
func (c *Config) AddAnchors(list, gnugo string) error {
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err := c.addAnchor(text, gnugo); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) addAnchor(text, gnugo string) error {
	if visits, own := strings.CutPrefix(text, "v"); own {
		n, err := strconv.ParseUint(visits, 10, 31)
		if err != nil || n == 0 {
			return fmt.Errorf("%q: v and a number of visits", text)
		}
		c.Anchors = append(c.Anchors, Anchor{Program: match.Program{
			Command: fmt.Sprintf("%s --visits %d", c.Engine, n), Name: fmt.Sprintf("Kosumi at %d visits", n),
			KnownAs: fmt.Sprintf("engine gtp --visits %d", n)}})
		return nil
	}
	strength, stones, gives := strings.Cut(text, "+")
	n, err := strconv.Atoi(strength)
	if err != nil || n < 0 || n > 10 {
		return fmt.Errorf("GNU Go has levels 0 to 10, not %q", text)
	}
	if gnugo, err = findGnugo(gnugo); err != nil {
		return err
	}
	a := Anchor{Program: match.Program{
		Command: fmt.Sprintf("%s --mode gtp --level %d --chinese-rules", strconv.Quote(gnugo), n), Name: fmt.Sprintf("GNU Go 3.8 level %d", n),
		KnownAs: fmt.Sprintf("gnugo --mode gtp --level %d --chinese-rules", n)}}
	if gives {
		if a.Handicap, err = strconv.Atoi(stones); err != nil || board.FixedHandicap(c.Size, a.Handicap) == nil {
			return fmt.Errorf("%q: no such number of handicap stones on this board", text)
		}
		a.Name += fmt.Sprintf(" giving %d stones", a.Handicap)
	}
	if len(c.Anchors) == 0 {
		c.ZeroElo = gnugoElo(n)
	}
	c.Anchors = append(c.Anchors, a)
	return nil
}

// findGnugo searches for GNU Go if no path is given.
func findGnugo(path string) (string, error) {
	for _, name := range []string{"gnugo", "/usr/games/gnugo"} {
		if found, err := exec.LookPath(name); path == "" && err == nil {
			path = found
		}
	}
	if path == "" {
		return "", errors.New("GNU Go was not found: install it, name it with --gnugo, or play without it, --anchors v1")
	}
	return path, nil
}

// gnugoElo is the Elo of a level of GNU Go 3.8 on 9x9 relative to level 10: a fit to a few
// hundred games of this engine against levels 1, 5 and 10, give or take 200.
func gnugoElo(n int) float64 {
	if n >= 5 {
		return -109 * float64(10-n) / 5
	}
	return -109 - 185*float64(5-n)/4
}
