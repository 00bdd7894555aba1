//go:build !js

package models

import _ "embed"

//go:embed kosumi-9x9.bin.gz
var zero []byte

//go:embed kosumi-19x19.bin.gz
var taught []byte

func zeroFile() ([]byte, error) { return zero, nil }

func taughtFile() ([]byte, error) { return taught, nil }
