package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kosumi/board"
	"kosumi/engine"
	"kosumi/gtp"
	"kosumi/katago"
	"kosumi/life"
	"kosumi/nn/open"
	"kosumi/search/thinking"
)

func gtpCommand() *cobra.Command {
	s := defaultSettings()
	var games string
	c := &cobra.Command{
		Use:        "gtp",
		SuggestFor: []string{"play", "bot", "ogs", "kgs", "terminal", "score", "count"},
		// Version adds the flag --version, so that it can be suggested for a mistyped flag: engine
		// --vresion is read as engine gtp --vresion.
		Version: version,
		Short:   "Play over the Go Text Protocol on standard input and output",
		Long: `Speaks GTP version 2 with the extensions of KataGo, Leela Zero, GoGui and KGS
that GUIs and bridges use. Messages for people go to standard error.

The clock, --time, --visits and --playouts limit a move; the first limit reached
ends it. Without any of them a move takes 5 seconds.

A script counts a record by the commands loadsgf FILE, final_score and
final_status_list dead.

For people: --level sets the strength, --pace slows the answers down.`,
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveGTP(cmd.Context(), &s, games)
		},
	}
	s.networkFlags(c.Flags())
	s.playFlags(c.Flags())
	c.Flags().StringVar(&games, "autosave", "", "`DIR` that gets the record of every game played, one file a game, with what was thought")
	s.foreignFlags(c.Flags())
	c.Flags().BoolVar(&s.chat, "ogs-chat", false, "write a line about each move to standard error in the form that gtp2ogs shows in a game's chat")
	return c
}

func serveGTP(ctx context.Context, s *settings, games string) error {
	saved, err := gtp.OpenAutosave(games, s.stderr)
	if err != nil {
		return fmt.Errorf("--autosave: %w", err)
	}
	if err := s.findLevelFile(); err != nil {
		return err
	}
	size := s.Play.Size
	s.useTuning(size)
	net := openNetwork(s, size, s.stderr)
	conf := s.engineConfig()
	conf.Name = "Kosumi " + version
	person := term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd()))
	if person {
		conf.MoveLog = slog.LevelDebug
	}
	e, err := engine.New(conf, net, s.stderr)
	if err != nil {
		return err
	}
	defer e.Close()
	opts := gtpOptions(s, net)
	if s.chat {
		fmt.Fprintln(os.Stderr, "Lines for the game's chat are in the form of KataGo.") // after this line gtp2ogs shows the chat lines
		opts.Chat.Say = func(line string) { fmt.Fprintln(os.Stderr, line) }
	}
	if person {
		colour := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && enableColours(os.Stdout)
		opts.Terminal = &gtp.Terminal{Colour: colour, Remark: func(size board.Size) string { return remark(s, size) }}
	}
	server := gtp.NewServer(saved.Save(e), s.stderr, opts)
	if term.IsTerminal(int(os.Stdin.Fd())) {
		greet(s, size)
	}
	game := fmt.Sprintf("%dx%d, %s rules, komi %g", size.W, size.H, table.Find("rules").Get(s), conf.Rules.Komi)
	return serveClient(ctx, s, net, game, func(ctx context.Context) error {
		go warnOf(net, size, s.stderr)
		return server.Serve(ctx, os.Stdin, os.Stdout)
	})
}

// gtpOptions returns what every GTP server of the program reports about itself and its network.
func gtpOptions(s *settings, net *open.Network) gtp.Options {
	return gtp.Options{
		Version: version, Strict: s.StrictPlay, Life: life.Judge{Network: life.Evaluated{Evaluator: net}}, Ready: net.Wait,
		Models: func() []thinking.ModelInfo { return katago.Models(net) },
	}
}

// greet tells a person at a terminal what to type, and where else to play.
func greet(s *settings, size board.Size) {
	name := programName()
	fmt.Fprintf(os.Stderr, "Type a move such as D4, or genmove, undo, hint, score, level 10k, boardsize 13; help lists the rest, quit ends.\n")
	fmt.Fprintf(os.Stderr, "A board in the browser: %s web. In a GUI: give it the path of this program; arguments: gtp. See %s --help.\n", name, name)
	if text := remark(s, size); text != "" {
		fmt.Fprintln(os.Stderr, text)
	}
}

// remark returns a warning for people about the network on boards of a size, or "".
func remark(s *settings, size board.Size) string {
	if s.Model == "" && max(size.W, size.H) > 19 {
		return fmt.Sprintf("The network inside this program has learnt boards up to 19x19: on %s it is weaker.", size)
	}
	return ""
}
