package main

import (
	"testing"

	"kosumi/gtp/gtpconform"
)

// TestGTPConformance runs the list of what clients rely on against the program
// as it comes, and what only a network can pass that knows the game and has
// every output with one of KataGo's.
func TestGTPConformance(t *testing.T) {
	needLibrary(t)
	flags := append([]string{"gtp", "--log-level", "warn"}, frugal...)
	t.Run("embedded network", func(t *testing.T) {
		gtpconform.Run(t, gtpconform.Program(program, nil, flags...), gtpconform.Options{Without: map[int]string{
			23: "an untrained network never gives a game up",
			44: "an untrained network cannot tell who is ahead",
			45: "the network for 9x9 has no ownership",
			55: "the network for 9x9 has no ownership",
		}})
	})
	t.Run("trained network", func(t *testing.T) {
		flags := append(flags, "--model", realNetwork(t))
		gtpconform.Run(t, gtpconform.Program(program, nil, flags...), gtpconform.Options{Only: []int{23, 44, 45, 55}})
	})
}
