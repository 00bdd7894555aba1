package graph

import (
	"errors"
	"fmt"

	"kosumi/nn"
	"kosumi/nn/kernel"
)

// lost turns the end of a page's worker into [nn.ErrLost]: another worker gets its queries.
func lost(err error) error {
	if errors.Is(err, kernel.ErrStopped) {
		return fmt.Errorf("%w: %w", nn.ErrLost, err)
	}
	return err
}
