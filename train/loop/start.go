package loop

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/nn/katago"
	"kosumi/train/rows"
)

// startName returns the name of the start network in a loop's folder.
func startName(arch string) string { return "start-" + arch }

// begin copies the recipe's start network, if it names one, into a new loop.
func (w *workspace) begin(s *State) error {
	if w.conf.Start.Network == "" {
		return nil
	}
	net, err := w.conf.network()
	if err != nil {
		return err
	}
	s.Start = startName(w.conf.Arch)
	if err := writeNetwork(modelPath(w.dir, w.conf.Arch, s.Start), net); err != nil {
		return err
	}
	s.Current = s.Start
	return nil
}

// network reads the recipe's start network.
func (c *Recipe) network() (*katago.Network, error) {
	net, arch, err := c.Start.Read()
	if err == nil && arch != c.Arch {
		err = fmt.Errorf("%w: %s is a %s, the recipe's arch is %s", ErrRecipe, c.Start.Network, arch, c.Arch)
	}
	return net, err
}

// ready returns an error if a file that the recipe names is missing or unusable.
func (w *workspace) ready() error {
	_, err := w.conf.Selfplay.LoadPositions(w.dir)
	if err == nil && w.conf.Start.Network != "" {
		_, err = w.conf.network()
	}
	if err == nil {
		err = w.openEarlier()
	}
	return err
}

// openEarlier finds and counts the rows in start.data: those of other runs, with which the window begins.
func (w *workspace) openEarlier() error {
	w.earlier.list = func() ([]string, error) { return nil, nil }
	data := slices.Clone(w.conf.Start.Data)
	if len(data) == 0 {
		return nil
	}
	for i, name := range data {
		if !filepath.IsAbs(name) {
			data[i] = filepath.Join(w.dir, name)
		}
	}
	w.earlier.list = rows.ListFolders(data...)
	all, err := rows.Open(rows.Options{Batch: 1, Log: w.log}, w.earlier.list)
	if err == nil {
		defer all.Close()
		w.earlier.rows = int64(all.WindowRows())
	}
	if err == nil && w.earlier.rows == 0 {
		err = rows.ErrNoRows
	}
	if err != nil {
		return fmt.Errorf("%w: start.data %s: %w; leave out what is not there", ErrRecipe, strings.Join(data, ", "), err)
	}
	return nil
}
