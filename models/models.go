// Package models holds the built-in network with its card: training, sha256, measured
// strength.
package models

import (
	_ "embed"
	"strings"
)

const (
	// Name is what --model takes for the built-in network.
	Name = "kosumi"
	// File is the network's file in KataGo's format, version 15, within this folder. It serves
	// every board size.
	File = "kosumi.bin.gz"
	// SHA256 is the file's sha256, in hex.
	SHA256 = "49f0673d3637e66b3d457eb423355a8fc0c786e2151d9bf96de21a6b9c0f5308"
)

// Card says in Markdown how the network was made and how strong it is.
//
//go:embed kosumi.bin.gz.md
var Card string

// Data returns the file's bytes. It can fail only in a browser, where the file is fetched.
func Data() ([]byte, error) { return read() }

// Notice returns the licence of the networks that the built-in one was made from. This licence must
// accompany the built-in network.
func Notice() string {
	_, notice, _ := strings.Cut(Card, "\n## Licence of KataGo's networks\n")
	return strings.TrimSpace(notice)
}
