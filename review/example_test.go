package review_test

import (
	"context"
	"fmt"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/review"
	"kosumi/sgf"
)

// A review of a short game: White's second move is on the edge.
func ExampleRun() {
	network, err := model.Open("", model.Config{})
	if err != nil {
		panic(err)
	}
	server, err := nn.NewServer(network, nn.ServerConfig{})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	roots, err := sgf.Parse([]byte("(;SZ[9]KM[7]RU[Chinese];B[ee];W[ce];B[ge];W[ia];B[cd])"))
	if err != nil {
		panic(err)
	}
	game, err := review.Load(roots[0], board.Chinese())
	if err != nil {
		panic(err)
	}
	config := review.Defaults()
	config.First, config.Visits = 20, 40
	result, err := review.Run(context.Background(), game, server, config, nil, nil)
	if err != nil {
		panic(err)
	}
	worst := result.Moves[result.Mistakes[0]]
	fmt.Println(worst.Color, worst.Move, worst.Loss > 5)
	// Output:
	// w J9 true
}
