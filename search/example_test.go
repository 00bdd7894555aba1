package search_test

import (
	"context"
	"fmt"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/search"
)

// A search with the built-in network: Black captures three stones.
func ExampleTree_Search() {
	network, err := model.Open("", model.Config{})
	if err != nil {
		panic(err)
	}
	evaluator, err := nn.NewServer(network, nn.ServerConfig{})
	if err != nil {
		panic(err)
	}
	defer evaluator.Close()
	game, err := board.NewGame(board.Square(9), board.Chinese())
	if err != nil {
		panic(err)
	}
	for _, vertex := range []string{"D5", "D4", "E5", "E4", "F5", "F4", "C4", "C3", "D3", "G5", "E3", "G6", "F3", "C5", "G3", "C6"} {
		point, err := game.Size().ParseVertex(vertex)
		if err != nil {
			panic(err)
		}
		if err := game.Play(game.ToMove(), point); err != nil {
			panic(err)
		}
	}
	tree, err := search.New(search.Defaults(), evaluator, nil)
	if err != nil {
		panic(err)
	}
	tree.Reset(game)
	result, err := tree.Search(context.Background(), search.Limits{Visits: 100})
	if err != nil {
		panic(err)
	}
	best := result.Moves[0]
	fmt.Println(result.ToMove, "plays", game.Size().Vertex(best.Move), "after", result.Root.Visits, "visits")
	// Output:
	// black plays G4 after 100 visits
}
