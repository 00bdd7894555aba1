package learn

import (
	"fmt"
	"path/filepath"
	"strings"

	"kosumi/nn/katago"
	"kosumi/nn/onnx"
)

// Export writes the network as it is now to a file: ONNX by the suffix .onnx, else KataGo's format
// (.bin.gz, .txt.gz, .bin, .txt), which works for KataGo networks only. An ONNX file has the new
// weights in the graph of the file that the learner began with, or in a KataGo network's exact graph.
// average selects the averaged weights, if an average is kept. The file appears whole or not at
// all. name becomes the name in a file in KataGo's format; if it is "", the name does not change.
func (l *Learner) Export(path, name string, average bool) error {
	m, err := l.Network(average)
	if err != nil {
		return err
	}
	if strings.EqualFold(filepath.Ext(path), ".onnx") {
		return m.WriteFile(path)
	}
	if !l.KataGo() {
		return fmt.Errorf("%w: %s is no KataGo network and can be written as .onnx only", ErrNetwork, l.source.Path)
	}
	net, err := katago.FromONNX(m)
	if err != nil {
		return err
	}
	if name != "" {
		net.Header.Name = name
	}
	return katago.WriteFile(path, net)
}

// KataGo reports whether the network can be written in KataGo's format.
func (l *Learner) KataGo() bool { return l.spec.KataGo.Version > 0 }

// Network returns the network as it is now, as a graph for one board size that it serves. The
// graph of a KataGo network has the weights for every size.
func (l *Learner) Network(average bool) (*onnx.Model, error) {
	m, err := l.net.Weights(l.homeSize())
	if err != nil {
		return nil, err
	}
	if err := l.weights.fetch(); err != nil {
		return nil, err
	}
	for _, name := range l.averagedNames() {
		if strings.HasPrefix(name, auxPrefix) {
			continue
		}
		old := m.Graph.Initializer(name)
		if old == nil {
			return nil, fmt.Errorf("%w: weight %s is not in the file", ErrNetwork, name)
		}
		data := l.weights.data(name)
		if average && l.average != nil {
			data = l.average[name].Data
		}
		t := onnx.NewTensor(name, data)
		old.Type, old.Raw = t.Type, t.Raw
	}
	return m, nil
}
