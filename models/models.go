// Package models holds the network inside the program, and its card: how it was
// made, its sha256, and its strength as far as measured.
package models

import _ "embed"

// Network is a network inside the program.
type Network struct {
	File  string // name within this folder
	Data  []byte // the file, in KataGo's format: it serves every board size
	Card  string // Markdown
	Games int    // of self-play that it learnt from
	Size  int    // of the boards that it plays best on
}

//go:embed kosumi-9x9.bin.gz.md
var card string

// Default returns the network that plays where no other is named.
func Default() Network {
	return Network{File: "kosumi-9x9.bin.gz", Data: data, Card: card, Games: 101_811, Size: 9}
}
