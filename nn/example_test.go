package nn_test

import (
	"context"
	"fmt"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
)

// One evaluation of an empty board by the built-in network.
func ExampleServer() {
	network, err := model.Open("", model.Config{})
	if err != nil {
		panic(err)
	}
	server, err := nn.NewServer(network, nn.ServerConfig{})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	game, err := board.NewGame(board.Square(9), board.Chinese())
	if err != nil {
		panic(err)
	}
	var out nn.Output
	if err := server.Evaluate(context.Background(), &nn.Query{Game: game, Symmetry: nn.SymmetryRandom}, &out); err != nil {
		panic(err)
	}
	fmt.Println("Black ahead without komi:", out.Lead+game.Rules().Komi > 0)
	// Output:
	// Black ahead without komi: true
}
