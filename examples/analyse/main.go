// Command analyse searches a 9x9 position with the built-in network. Its arguments are the moves so
// far, Black first, as in "analyse E5 C3". It is an example of how to embed the search.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"kosumi/board"
	"kosumi/nn"
	"kosumi/nn/model"
	"kosumi/search"
)

func main() {
	network, err := model.Open("", model.Config{Precision: "auto"}) // "" is the built-in network; a file's name would do too
	check(err)
	evaluator, err := nn.NewServer(network, nn.ServerConfig{Sessions: nn.Cores()})
	check(err)
	defer evaluator.Close()
	game, err := board.NewGame(board.Square(9), board.Chinese())
	check(err)
	for _, vertex := range os.Args[1:] {
		point, err := game.Size().ParseVertex(vertex)
		check(err)
		check(game.Play(game.ToMove(), point))
	}
	tree, err := search.New(search.Defaults(), evaluator, nil)
	check(err)
	tree.Reset(game)
	result, err := tree.Search(context.Background(), search.Limits{Visits: 400})
	check(err)
	for _, m := range result.Moves {
		fmt.Printf("%-4s %4d visits, %5.1f %% for %v, lead %+.1f\n", game.Size().Vertex(m.Move), m.Visits, 100*m.Winrate, result.ToMove, m.Lead)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
