package board_test

import (
	"fmt"

	"kosumi/board"
)

// A game from set-up to score.
func ExampleGame() {
	g, err := board.NewGame(board.Square(5), board.TrompTaylor())
	if err != nil {
		panic(err)
	}
	for _, v := range []string{"C3", "D3", "C2", "D2", "C1", "D1", "C4", "D4", "C5", "D5", "pass", "pass"} {
		p, err := g.Size().ParseVertex(v)
		if err != nil {
			panic(err)
		}
		if err := g.Play(g.ToMove(), p); err != nil {
			panic(err)
		}
	}
	fmt.Print(g.Board())
	fmt.Println(g.Finished(), g.Score())
	// Output:
	// ..XO.
	// ..XO.
	// ..XO.
	// ..XO.
	// ..XO.
	// true 2.5
}
