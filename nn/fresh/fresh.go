// Package fresh makes networks with random weights from the name of an architecture:
// those of package arch, and those in KataGo's format.
package fresh

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"kosumi/nn/arch"
	"kosumi/nn/katago"
)

// Architecture is the shape of a network.
type Architecture struct {
	name string
	own  arch.Config // for architectures other than KataGo's
	size katago.Size // the board size that a KataGo network serves when written as ONNX
}

// Kind describes a family of architectures to users.
type Kind struct{ Pattern, Doc string }

// Kinds lists the families that Parse knows.
func Kinds() []Kind {
	return []Kind{
		{"mini or mini-bNcM", "the tutorial's dual head: 7 planes, post-activation residual blocks (4 of 64 channels by default), policy and value"},
		{"bNcM", "22 planes, N pre-activation residual blocks of M channels, global pooling after every sixth; policy, value, score, ownership"},
		{"kbNcM[nbt]", "KataGo-compatible, any board size: 22 planes and 19 global values, KataGo's heads"},
		{"kbNcMhH[nbt]tflrs", "the same with transformer layers of H heads, such as kb10c384h6nbttflrs"},
	}
}

// Parse reads a name, such as "mini", "b10c128" or "kb6c96".
func Parse(name string) (a Architecture, err error) {
	a = Architecture{name: name, size: katago.Size{W: 19, H: 19}}
	if IsKataGo(name) {
		_, err = katago.ParseArch(name)
		return a, err
	}
	if a.own, err = arch.Parse(name); errors.Is(err, arch.ErrName) {
		err = fmt.Errorf("%w, kbNcM[nbt] and kbNcMhH[nbt]tflrs", err)
	}
	return a, err
}

// IsKataGo reports whether networks of the named architecture are in KataGo's format.
// Such networks serve every board size.
func IsKataGo(name string) bool { return strings.HasPrefix(name, "kb") }

// KataGo reports whether the network is of KataGo's format.
func (a Architecture) KataGo() bool { return IsKataGo(a.name) }

// On returns the architecture for boards of a size. A network in KataGo's format serves all sizes;
// written as ONNX it serves only this size.
func (a Architecture) On(width, height int) Architecture {
	a.own = a.own.On(width, height)
	a.size = katago.Size{W: width, H: height}
	return a
}

// Ending returns the file extension of an architecture's networks.
func Ending(name string) string {
	if IsKataGo(name) {
		return ".bin.gz"
	}
	return ".onnx"
}

// Write makes a network and writes it: as ONNX if the path ends in .onnx, else in
// KataGo's format. The same seed gives the same file.
func (a Architecture) Write(path string, seed uint64) error {
	asONNX := strings.EqualFold(filepath.Ext(path), ".onnx")
	if !a.KataGo() {
		if !asONNX {
			return fmt.Errorf("%s networks are written as .onnx", a.name)
		}
		m, err := arch.Build(a.own, seed)
		if err != nil {
			return err
		}
		return m.WriteFile(path)
	}
	net, err := katago.Fresh(a.name, seed)
	if err != nil {
		return err
	}
	if !asONNX {
		return katago.WriteFile(path, net)
	}
	m, err := katago.Build(net, a.size, katago.FormExact)
	if err != nil {
		return err
	}
	return m.WriteFile(path)
}
