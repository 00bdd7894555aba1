package loop

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/arch"
	"kosumi/nn/katago"
	"kosumi/nn/model"
	"kosumi/train/selfplay"
)

// isKataGo tells whether an architecture is written in KataGo's format.
func isKataGo(name string) bool { return strings.HasPrefix(name, "kb") }

// fileName is what the file of a network is called in its folder.
func fileName(archName string) string {
	if isKataGo(archName) {
		return "model.bin.gz"
	}
	return "model.onnx"
}

func modelPath(dir, archName, name string) string {
	return filepath.Join(dir, "models", name, fileName(archName))
}

// writeFresh writes the network that everything begins with, unless it is there.
func writeFresh(path, name string, seed uint64, boards []selfplay.BoardShare) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if isKataGo(name) {
		net, err := katago.Fresh(name, seed)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrConfig, err)
		}
		return katago.WriteFile(path, net)
	}
	conf, err := arch.Parse(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if len(boards) > 0 {
		conf = conf.On(boards[0].Width, boards[0].Height)
	}
	m, err := arch.Build(conf, seed)
	if err != nil {
		return err
	}
	data, err := m.Marshal()
	if err != nil {
		return err
	}
	return writeFile(path, data)
}

// player is an open network that can be asked.
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
// Positions for int8 are taken from the games in the loop's folder.
func openPlayer(dir, path, name string, c *Compute, boards []selfplay.BoardShare, seed uint64, log *slog.Logger) (*player, error) {
	m, err := model.Open(path, model.Config{Provider: c.Provider, Precision: c.Precision, CacheDir: "none", Log: log,
		Calibration: func(size board.Size) []*board.Game { return Calibration(dir, size) }})
	if err != nil {
		return nil, err
	}
	server, err := nn.NewServer(m, nn.ServerConfig{Sessions: c.sessions(), MaxBatch: max(1, c.Batch),
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
		p.sha256 = m.DescribeAt(size).SHA256
	}
	return p, nil
}
