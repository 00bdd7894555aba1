package model

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/board"
	"kosumi/internal/file"
	"kosumi/models"
	"kosumi/nn"
	"kosumi/nn/features"
	"kosumi/nn/katago"
	"kosumi/nn/onnx"
	"kosumi/nn/onnx/meta"
)

// source is a network before it runs: what it computes and its graphs.
type source interface {
	// spec describes the network at a size, or fails with nn.ErrSize.
	spec(size board.Size) (nn.Spec, error)
	// graph returns the graph for exactly that size. If kernels is true, the graph may contain nodes
	// of the kernels' domain. The caller must not change it.
	graph(size board.Size, kernels bool) (*onnx.Model, error)
	// describe fills in everything but provider and precision.
	describe() nn.Description
}

// maxFile bounds the bytes read into memory; the largest KataGo networks have
// a few hundred MiB.
const maxFile = 4 << 30

func openSource(path string, o Overrides) (source, error) {
	if path == "" || path == models.Name {
		return readBuiltIn()
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %w", ErrFile, err)
		}
		hint := ""
		if filepath.Ext(path) == "" { // the name of a network, not of a file
			hint = "; built in is " + models.Name
		}
		return nil, fmt.Errorf("%w%s", file.Absent(path), hint)
	case info.IsDir():
		return nil, fmt.Errorf("%w: %s is a folder; name the file in it", ErrFile, path)
	case info.Size() == 0:
		return nil, fmt.Errorf("%w: %s is empty", ErrFile, path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%w: %s has %d bytes, more than any network", ErrFile, path, info.Size())
	}
	if isKataGoName(path) {
		net, err := katago.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFile, err)
		}
		return katagoSource{net}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	return readSource(path, data, o)
}

// readSource opens a network from its file name and contents.
func readSource(path string, data []byte, o Overrides) (source, error) {
	if isKataGoName(path) {
		net, err := katago.Read(bytes.NewReader(data), path)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFile, err)
		}
		return katagoSource{net}, nil
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return nil, fmt.Errorf("%w: %s is compressed: KataGo's networks end in .bin.gz or .txt.gz", ErrFile, path)
	}
	return openONNX(data, path, o)
}

func isKataGoName(path string) bool {
	return slices.Contains([]string{".gz", ".bin", ".txt"}, strings.ToLower(filepath.Ext(path)))
}

// katagoSource is a network in KataGo's format: a graph of any board size can be
// built from it.
type katagoSource struct{ net *katago.Network }

func (s katagoSource) describe() nn.Description {
	h := &s.net.Header
	return nn.Description{Name: h.Name, File: s.net.Source.File, SHA256: s.net.Source.SHA256, Version: h.Version, TakesProfile: h.MetaEncoder > 0, Areas: areaModes(h)}
}

func (s katagoSource) spec(size board.Size) (nn.Spec, error) { return kataGoSpec(s.net, size) }

func (s katagoSource) graph(size board.Size, kernels bool) (*onnx.Model, error) {
	if kernels {
		return s.build(size, katago.FormKernels)
	}
	return s.build(size, katago.FormRun)
}

func (s katagoSource) build(size board.Size, form katago.Form) (*onnx.Model, error) {
	m, err := katago.Build(s.net, katago.Size(size), form)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFile, s.net.Source.File, err)
	}
	return m, nil
}

// onnxSource is one ONNX graph, for the one board size that it was made for.
type onnxSource struct {
	model   *onnx.Model
	about   nn.Description
	only    nn.Spec
	warning string // for the user; "" for none
}

func openONNX(data []byte, path string, o Overrides) (source, error) {
	name := filepath.Base(path)
	m, beside, err := onnx.ReadBeside(data, filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFile, name, err)
	}
	if err := onnx.Check(m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFile, name, err)
	}
	sum := sha256.New()
	for _, part := range append([][]byte{data}, beside...) {
		sum.Write(part)
	}
	about := nn.Description{Name: name, File: name, SHA256: hex.EncodeToString(sum.Sum(nil))}
	if m.Metadata[meta.Kind] == nn.KindKataGo.String() { // a graph of any size can be built from it
		net, err := katago.FromONNX(m)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrFile, name, err)
		}
		net.Source = katago.Source{File: name, SHA256: about.SHA256}
		return katagoSource{net}, nil
	}
	if err := checkFormat(m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := inTraining(m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrFile, name, err)
	}
	freeBatch(m)
	spec, err := specOf(m, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	spec.Name = cmp.Or(spec.Name, name)
	about.Name = spec.Name
	return &onnxSource{model: m, about: about, only: spec, warning: planesWarning(spec.Encoding, m.Metadata, o.Encoding)}, nil
}

// planesWarning warns that an encoding was chosen by the number of planes
// alone; it is "" if the file or the user names the encoding.
func planesWarning(e features.Encoding, says map[string]string, asked string) string {
	if says[meta.Format] != "" && says[meta.Encoder] != "" || asked != "" {
		return ""
	}
	other := ""
	if e == features.AGZ17 {
		other = ", if all of one's own boards come first, with --encoder " + features.AGZ17Split.String()
	}
	return fmt.Sprintf("the file does not name its %d planes. They are taken for %s, in this order: %s. Trained on other planes, "+
		"or on these in another order, the network plays nonsense. If they are these, name them with --encoder %s%s (docs/pytorch.md has the table)",
		e.Planes(), e, strings.Join(e.PlaneNames(), ", "), e, other)
}

// inTraining refuses a graph whose norms take their statistics from the batch: the result
// for a position would depend on the rest of the batch.
func inTraining(m *onnx.Model) error {
	for _, n := range m.Graph.Nodes {
		if n.Is("BatchNormalization") && n.Int("training_mode", 0) != 0 {
			return errors.New("it was exported as it is in training: in PyTorch call net.eval(), then torch.onnx.export(net, (x,), FILE, dynamo=False) without training=")
		}
	}
	return nil
}

// freeBatch lets a graph that takes one position at a time, the default of exporters,
// take any number. The graph stays as it is if its nodes allow one position only.
func freeBatch(m *onnx.Model) {
	for _, v := range m.Graph.Feeds() {
		if len(v.Shape) == 0 || v.Shape[0] != onnx.D(1) {
			return
		}
	}
	_ = onnx.SetBatch(m, onnx.Sym("batch"))
}

func (s *onnxSource) describe() nn.Description { return s.about }

func (s *onnxSource) spec(size board.Size) (nn.Spec, error) {
	if !s.only.Sizes.Serves(size) {
		return nn.Spec{}, fmt.Errorf("%w: %s is for %s boards, not %dx%d (--boardsize %s)", nn.ErrSize, s.about.File, s.only.Sizes, size.W, size.H, s.only.Sizes)
	}
	return s.only, nil
}

func (s *onnxSource) graph(size board.Size, _ bool) (*onnx.Model, error) {
	if _, err := s.spec(size); err != nil {
		return nil, err
	}
	return s.model, nil
}

// homeSide is the default board size.
const homeSide = 9

// OwnSize returns the default board size for a network: 9x9 for the network inside
// the program, else the only one that the file serves. ok is false for networks
// of every size, and for files that [Open] refuses.
func OwnSize(path string, o Overrides) (size board.Size, ok bool) {
	if path == "" || path == models.Name {
		return board.Square(homeSide), true
	}
	if isKataGoName(path) {
		return board.Size{}, false
	}
	src, err := openSource(path, o)
	if one, is := src.(*onnxSource); is && err == nil {
		return one.only.Sizes.Fixed, one.only.Sizes.Fixed != board.Size{}
	}
	return board.Size{}, false
}
