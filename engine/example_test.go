package engine_test

import (
	"context"
	"fmt"
	"log/slog"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/search"
	"kosumi/search/thinking"
)

// An engine answers a move.
func ExampleEngine_GenMove() {
	network, err := model.Open("", model.Config{})
	if err != nil {
		panic(err)
	}
	server, err := nn.NewServer(network, nn.ServerConfig{})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	config := engine.Defaults()
	config.Size, config.Limits = board.Square(9), search.Limits{Visits: 50}
	e, err := engine.New(config, server, slog.New(slog.DiscardHandler))
	if err != nil {
		panic(err)
	}
	defer e.Close()
	if err := e.Play(board.Black, board.Square(9).Point(4, 4)); err != nil {
		panic(err)
	}
	answer, err := e.GenMove(context.Background(), thinking.MoveRequest{Color: board.White})
	if err != nil {
		panic(err)
	}
	fmt.Println("resigned:", answer.Resign, "passed:", answer.Point == board.Pass)
	fmt.Println("next:", e.Game().ToMove())
	// Output:
	// resigned: false passed: false
	// next: black
}
