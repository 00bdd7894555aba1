package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"kosumi/board"
	"kosumi/katago"
	"kosumi/katago/config"
)

func benchmark(ctx context.Context, h Host, f *katago.Flags) error {
	c, err := f.Config(StandIn)
	if err != nil {
		return err
	}
	g, err := c.GTP(false, func(string) {})
	if err != nil {
		return err
	}
	setup := katago.GTP(c, &g, *h.Play())
	if err := h.Take(c, &setup); err != nil {
		return err
	}
	side, err := f.Number("boardsize", 19)
	if err == nil && (side < 7 || side > 19) {
		err = fmt.Errorf("getBenchmarkSGFData: unsupported board size: %d", side)
	}
	visits, errV := f.Number("visits", 80)
	count, errN := f.Number("numpositions", 10)
	batch, errB := f.Number("fixed-batch-size", h.Batch())
	move, errT := 5.0, error(nil)
	if text, ok := f.Texts["time"]; ok {
		move, errT = strconv.ParseFloat(text, 64)
	}
	threads, errL := katago.Threads(f.Texts["threads"], h.Threads())
	record, errR := katago.RecordFile(f.Texts["sgf"])
	if err := errors.Join(err, errV, errN, errB, errT, errL, errR); err != nil {
		return err
	}
	size := board.Square(side)
	if record != nil {
		size = record.Size
	}
	fmt.Println("Loading model and initializing benchmark...")
	net := h.Open(katago.Files{Model: f.Model()}, batch, size, logger(h, katago.OpenLog(config.Log{}, c), false))
	if err := net.Wait(); err != nil {
		return err
	}
	defer net.Close()
	positions, err := katago.Positions(ctx, net, h.Play().Search, size, count, record)
	if err != nil {
		return err
	}
	d := net.Describe()
	fmt.Printf("Testing using %d visits.\n\nYour GTP config is currently set to use numSearchThreads = %d\n\n", visits, g.Play.Search["numSearchThreads"].Int)
	fmt.Printf("You are currently using the Kosumi %s (%s, %s) version of KataGo.\n\n", h.Version(), d.Provider, d.Precision)
	if f.Texts["threads"] == "" {
		fmt.Println("Automatically trying different numbers of threads to home in on the best:")
	}
	fmt.Printf("Possible numbers of threads to test: %s\n\n", strings.Trim(fmt.Sprint(threads), "[]"))
	return katago.Report(ctx, net, h.Play().Search, threads, int64(visits), move, positions, os.Stdout)
}
