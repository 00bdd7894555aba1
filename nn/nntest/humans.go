package nntest

import "kosumi/nn"

// WithHumans is a network with a human SL network in addition, unless People is nil.
type WithHumans struct {
	*nn.Server
	People *nn.Server
}

func (n WithHumans) Humans() nn.Network {
	if n.People == nil {
		return nil
	}
	return n.People
}
