// Package models holds the networks inside the program, a card for each: how it
// was made, its sha256, its encoder, and its strength as far as measured.
package models

import (
	"embed"
	"fmt"
)

//go:embed *.onnx *.bin.gz *.md
var files embed.FS

// Network is one embedded network.
type Network struct {
	File  string // name within this folder
	Board int    // side of the square board that it is for; 0 = every size
	Data  []byte // the file
	Card  string // Markdown
}

// All returns the embedded networks.
func All() []Network {
	all := []Network{
		{File: "fresh-mini-9x9.onnx", Board: 9},
		{File: "fresh-b6c32-19x19.onnx", Board: 19},
		{File: "fresh-kb3c32.bin.gz"},
	}
	for i := range all {
		all[i].Data = embedded(all[i].File)
		all[i].Card = string(embedded(all[i].File + ".md"))
	}
	return all
}

// embedded returns a file that the compiler has put in.
func embedded(name string) []byte {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("models: %v", err)) // a broken build
	}
	return data
}
