//go:build !js

package models

import _ "embed"

//go:embed kosumi-9x9.bin.gz
var data []byte
