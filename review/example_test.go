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
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	network, err := model.Open("", model.Config{})
	check(err)
	server, err := nn.NewServer(network, nn.ServerConfig{})
	check(err)
	defer server.Close()
	roots, err := sgf.Parse([]byte("(;SZ[9]KM[7]RU[Chinese];B[ee];W[ce];B[ge];W[ia];B[cd])"))
	check(err)
	game, err := review.Load(roots[0], board.Chinese())
	check(err)
	config := review.Defaults()
	config.First, config.Visits = 20, 40
	result, err := review.Run(context.Background(), game, server, config, nil, nil)
	check(err)
	worst := result.Moves[result.Mistakes[0]]
	fmt.Println(worst.Color, worst.Move, worst.Loss > 5)
	// Output:
	// w J9 true
}
