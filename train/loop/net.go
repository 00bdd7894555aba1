package loop

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"kosumi/nn"
	"kosumi/nn/fresh"
	"kosumi/nn/katago"
	"kosumi/nn/model"
	"kosumi/train/selfplay"
)

// modelPath returns the path of a network in a loop's folder.
func modelPath(dir, archName, name string) string {
	return filepath.Join(dir, "models", name, "model"+fresh.Ending(archName))
}

// writeFresh writes a network with random weights, unless it exists.
func writeFresh(path, name string, seed uint64, boards []selfplay.BoardShare) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	a, err := fresh.Parse(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRecipe, err)
	}
	if len(boards) > 0 && !a.KataGo() {
		a = a.On(boards[0].Width, boards[0].Height)
	}
	return a.Write(path, seed)
}

func writeNetwork(path string, net *katago.Network) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return katago.WriteFile(path, net)
}

// player is an open network with the server that evaluates positions with it.
type player struct {
	name   string
	sha256 string
	model  *model.Model
	server *nn.Server
}

func (p *player) close() {
	if p == nil {
		return
	}
	p.server.Close()
	p.model.Close()
}

// openPlayer opens a network for self-play and matches.
func openPlayer(path, name string, c *Compute, boards []selfplay.BoardShare, seed uint64, log *slog.Logger) (*player, error) {
	m, err := model.Open(path, model.Config{Provider: c.Provider, Precision: c.Precision, Log: log})
	if err != nil {
		return nil, err
	}
	server, err := nn.NewServer(m, nn.ServerConfig{Sessions: cmp.Or(c.Sessions, nn.Cores()), MaxBatch: max(1, c.Batch),
		CacheBytes: int64(c.CacheMiB) << 20, Seed: seed})
	if err != nil {
		m.Close()
		return nil, err
	}
	p := &player{name: name, model: m, server: server}
	for _, b := range boards {
		size := b.Size()
		if err := server.Warm(size); err != nil {
			p.close()
			return nil, err
		}
		p.sha256 = m.Describe().SHA256
	}
	return p, nil
}
