package model

import (
	"bytes"
	"fmt"

	"kosumi/models"
	"kosumi/nn/katago"
)

// readBuiltIn reads the network inside the program.
func readBuiltIn() (katagoSource, error) {
	data, err := models.Data()
	if err != nil {
		return katagoSource{}, fmt.Errorf("%s: %w", models.File, err)
	}
	net, err := katago.Read(bytes.NewReader(data), models.File)
	if err != nil {
		return katagoSource{}, fmt.Errorf("%w: %w", ErrFile, err)
	}
	net.Header.Name = models.Name
	return katagoSource{net}, nil
}
