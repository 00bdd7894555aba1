// Command mine makes the collection of problems of life and death: it draws enclosed
// shapes and plays games with the network inside the program, asks of every group that
// may be one whether it lives, and keeps those where exactly one first move is proved to
// work. Of problems that are alike it keeps one. It also reports how often what the
// network says of a group was so, over questions that were proved.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"

	"kosumi/internal/file"
	"kosumi/life"
	"kosumi/nn"
	"kosumi/nn/model"
)

func main() {
	out := flag.String("o", "collection.sgf", "`FILE` for the problems")
	most := flag.Int("n", 300, "`NUMBER` of problems")
	limit := flag.Duration("time", time.Hour, "at most so `LONG`")
	seed := flag.Uint64("seed", 1, "`SEED` of shapes and games")
	net := flag.String("model", "", "`FILE` of the network; default: the one inside the program")
	games := flag.Float64("games", 0.5, "`SHARE` of the questions that come from games")
	var with []string
	flag.Func("with", "`FILE` of problems that are in the collection already; may be given more than once", func(name string) error {
		with = append(with, name)
		return nil
	})
	flag.Parse()
	if err := run(*out, *net, with, *most, *limit, *seed, *games); err != nil {
		fmt.Fprintln(os.Stderr, "mine:", err)
		os.Exit(1)
	}
}

func run(out, file string, with []string, most int, limit time.Duration, seed uint64, games float64) error {
	m, err := model.Open(file, model.Config{})
	if err != nil {
		return err
	}
	defer m.Close()
	server, err := nn.NewServer(m, nn.ServerConfig{Sessions: 1, MaxBatch: 1, CacheBytes: 16 << 20})
	if err != nil {
		return err
	}
	defer server.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	f := &finder{net: life.Evaluated{Evaluator: server}, rng: rand.New(rand.NewPCG(seed, 56)), seen: map[string]int{}, most: most}
	for _, name := range with {
		if err := f.take(name); err != nil {
			return err
		}
	}
	player := &player{net: server, rng: f.rng}
	told := time.Now()
	for ctx.Err() == nil && len(f.found) < most {
		var q *life.Question
		origin := "shape"
		if f.rng.Float64() < games {
			origin = "game"
			if q, err = player.next(ctx, f.net); err != nil {
				break
			}
		} else {
			q = drawShape(f.rng)
		}
		if err := f.try(ctx, q, origin); err != nil && ctx.Err() == nil {
			return err
		}
		if time.Since(told) > 10*time.Second {
			told = time.Now()
			fmt.Fprintf(os.Stderr, "%d questions, %d problems %v\n", f.asked, len(f.found), f.kinds())
			if err := write(out, f.graded()); err != nil { // nothing is lost if the rest is
				return err
			}
		}
	}
	fmt.Printf("%s%d problems: %s\n", f.figures.text(), len(f.found), out)
	return write(out, f.graded())
}

func write(name string, problems []*problem) error {
	data, err := marshal(problems)
	if err != nil {
		return err
	}
	return file.WriteBytes(name, data)
}
