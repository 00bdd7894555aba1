package life_test

import (
	"context"
	"fmt"

	"kosumi/life"
	"kosumi/sgf"
)

// The target has three points in a row inside: it lives if it plays the middle one first, else it dies.
func ExampleAsk() {
	roots, err := sgf.Parse([]byte("(;SZ[9]AB[ah][bh][ch][dh][di]AW[ag][bg][cg][dg][eg][eh][ei])"))
	if err != nil {
		panic(err)
	}
	question, err := life.PositionOf(roots[0], -1)
	if err != nil {
		panic(err)
	}
	target, err := question.Size.ParseVertex("A2")
	if err != nil {
		panic(err)
	}
	question.Targets = append(question.Targets, target)
	answer, err := life.Ask(context.Background(), question, life.Options{Nodes: 1_000_000})
	if err != nil {
		panic(err)
	}
	for _, card := range []*life.Card{answer.Defends, answer.Attacks} {
		fmt.Println(card.Verdict, card.Proved, card.Moves)
	}
	// Output:
	// alive true [B1]
	// dead true [B1]
}
