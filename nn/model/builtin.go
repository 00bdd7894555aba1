package model

import (
	"bytes"
	"fmt"
	"sync"

	"kosumi/board"
	"kosumi/models"
	"kosumi/nn"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
)

// builtIn is the default network: the networks inside the program, each on the board
// sizes that it plays best. To its users it is one network.
type builtIn struct {
	mu     sync.Mutex
	loaded []katagoSource // in the order of their first use
}

// on returns the network of a board size, loaded.
func (b *builtIn) on(size board.Size) (katagoSource, error) {
	file := models.For(max(size.W, size.H))
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.loaded {
		if s.net.Source.File == file.File {
			return s, nil
		}
	}
	s, err := readBuiltIn(file)
	if err == nil {
		b.loaded = append(b.loaded, s)
	}
	return s, err
}

func readBuiltIn(n *models.Network) (katagoSource, error) {
	data, err := n.Data()
	if err != nil {
		return katagoSource{}, fmt.Errorf("%s: %w", n.File, err)
	}
	net, err := katago.Read(bytes.NewReader(data), n.File)
	if err != nil {
		return katagoSource{}, fmt.Errorf("%w: %w", ErrFile, err)
	}
	return katagoSource{net}, nil
}

// spec describes any network that is already loaded: all have equal specs.
func (b *builtIn) spec(size board.Size) (nn.Spec, error) {
	b.mu.Lock()
	any := b.loaded
	b.mu.Unlock()
	if len(any) == 0 {
		s, err := b.on(size)
		if err != nil {
			return nn.Spec{}, err
		}
		any = []katagoSource{s}
	}
	spec, err := any[0].spec(size)
	spec.Name = builtInName
	return spec, err
}

func (b *builtIn) graph(size board.Size) (*onnx.Model, error) {
	s, err := b.on(size)
	if err != nil {
		return nil, err
	}
	return s.graph(size)
}

const builtInName = "kosumi"

// describe computes one checksum for all the networks.
func (*builtIn) describe() nn.Description {
	return nn.Description{Name: builtInName, File: builtInName, SHA256: models.SHA256(), Version: models.Version}
}
