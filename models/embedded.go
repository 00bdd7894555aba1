//go:build !js

package models

import _ "embed"

//go:embed kosumi.bin.gz
var data []byte

func read() ([]byte, error) { return data, nil }
