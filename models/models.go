// Package models holds the built-in networks with their cards: training, sha256, measured
// strength.
package models

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

// Network is a built-in network in KataGo's format. It serves every board size, and plays on those
// where it is the stronger one.
type Network struct {
	Name   string // accepted by --model
	File   string // within this folder
	SHA256 string // of the file, hex
	Card   string // Markdown
	Games  int    // of self-play in its training
	read   func() ([]byte, error)
}

// Data returns the network's file. It fails only on the page, where the file is fetched.
func (n *Network) Data() ([]byte, error) { return n.read() }

// Version of KataGo's format, of both networks.
const Version = 15

// SmallSide is the longest side of the boards on which [Zero] plays. Larger boards are
// for [Taught].
const SmallSide = 10

//go:embed kosumi-9x9.bin.gz.md
var zeroCard string

//go:embed kosumi-19x19.bin.gz.md
var taughtCard string

// Zero is the network that learnt from its own games alone, most of them on 9x9.
func Zero() *Network {
	return &Network{Name: "zero", File: "kosumi-9x9.bin.gz", Card: zeroCard, Games: 101_811, read: zeroFile,
		SHA256: "9fe7dd7ad030f2b1bf889f1e96c7c73fc0966a0d2b5a3579413c9cf5d97e08aa"}
}

// Taught is the network that began as [Zero] and was taught large boards by a network of KataGo's.
func Taught() *Network {
	return &Network{Name: "taught", File: "kosumi-19x19.bin.gz", Card: taughtCard, Games: 101_811, read: taughtFile,
		SHA256: "a41861d335ceb0bfc4f23af793c3715ef4acc8e8a2d2d4b03e4ce6f2a1ef5904"}
}

// Notice is the licence of the networks that taught [Taught], which must accompany it.
func Notice() string {
	_, notice, _ := strings.Cut(taughtCard, "\n## Licence of the teachers\n")
	return strings.TrimSpace(notice)
}

// For returns the network for boards whose longest side has so many points.
func For(side int) *Network {
	if side <= SmallSide {
		return Zero()
	}
	return Taught()
}

// SHA256 identifies both networks together, the default when no network is named.
func SHA256() string {
	sum := sha256.Sum256([]byte(Zero().SHA256 + Taught().SHA256))
	return hex.EncodeToString(sum[:])
}

// Playing returns the sha256 of the file that plays on boards whose longest side has so many
// points, given the sha256 of the network: of one file, or of both built-in ones.
func Playing(sum string, side int) string {
	if sum == SHA256() {
		return For(side).SHA256
	}
	return sum
}

// Find returns a network by name, nil if there is none.
func Find(name string) *Network {
	for _, n := range []*Network{Zero(), Taught()} {
		if n.Name == name {
			return n
		}
	}
	return nil
}
