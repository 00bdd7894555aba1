package graph

import (
	"errors"
	"fmt"

	"kosumi/nn"
	"kosumi/nn/kernel"
)

// lost makes [nn.ErrLost] of the end of a page's worker: another one answers what it was
// asked.
func lost(err error) error {
	if errors.Is(err, kernel.ErrStopped) {
		return fmt.Errorf("%w: %w", nn.ErrLost, err)
	}
	return err
}
