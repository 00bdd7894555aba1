package match

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"kosumi/board"
)

// TestMain runs the test binary as a GTP program if its first argument is "guest"; the referee is
// tested with such programs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guest" {
		runGuest(os.Args[2:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func guestCommand(args ...string) string {
	words := append([]string{os.Args[0], "guest"}, args...)
	for i, w := range words {
		words[i] = "'" + w + "'"
	}
	return strings.Join(words, " ")
}

// guest is a program that plays at random and misbehaves on request.
type guest struct {
	mode  string // kind of misbehaviour
	at    int    // number of the genmove at which it misbehaves
	noIDs bool
	late  time.Duration
	extra []string // further commands that it lists

	size  board.Size
	game  *board.Game
	rng   *rand.Rand
	seed  uint64
	moves int // number of genmoves in this game
	out   *bufio.Writer
}

func runGuest(args []string) {
	g := &guest{size: board.Square(19), out: bufio.NewWriter(os.Stdout)}
	flags := flag.NewFlagSet("guest", flag.ExitOnError)
	flags.StringVar(&g.mode, "mode", "", "")
	flags.IntVar(&g.at, "at", 3, "")
	flags.BoolVar(&g.noIDs, "no-ids", false, "")
	flags.DurationVar(&g.late, "late", 0, "")
	flags.Uint64Var(&g.seed, "seed", 1, "")
	extra := flags.String("list", "", "")
	_ = flags.Parse(args)
	g.extra = strings.Fields(*extra)
	g.rng = rand.New(rand.NewPCG(g.seed, 7))
	g.clear()
	switch g.mode {
	case "exit":
		os.Exit(3)
	case "child":
		// A child that outlives its parent and keeps the pipes open.
		child := exec.Command("sleep", "600")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		_ = child.Start()
		fmt.Fprintln(os.Stderr, "child", child.Process.Pid)
	case "human": // answers lines and prints a prompt after each
		fmt.Print("This is no GTP.\nmove> ")
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			fmt.Printf("no such move: %s\nmove> ", in.Text())
		}
		os.Exit(0)
	case "binary":
		fmt.Print("\x01\xa1\xa0\x80")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	case "says and ends":
		fmt.Println("usage: guest --gtp")
		os.Exit(2)
	case "loads": // prints messages before it starts
		fmt.Print("Loading a network...\n")
		time.Sleep(3 * time.Second)
	case "greet":
		fmt.Print("Welcome!\n= hello\n\n=== guest 1.0 ===\n\n? what\n\n")
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		g.handle(strings.Fields(line))
	}
}

func (g *guest) clear() {
	rules := board.TrompTaylor()
	rules.Ko, rules.Suicide = board.KoSimple, false
	g.game, _ = board.NewGame(g.size, rules)
	g.moves = 0
	if g.mode == "same" { // plays the same moves in every game
		g.rng = rand.New(rand.NewPCG(g.seed, 7))
	}
}

func (g *guest) handle(words []string) {
	id := ""
	if len(words) > 0 && strings.Trim(words[0], "0123456789") == "" {
		id, words = words[0], words[1:]
	}
	if g.noIDs {
		id = ""
	}
	if len(words) == 0 {
		return
	}
	text, ok := g.answer(words[0], words[1:])
	mark := "="
	if !ok {
		mark = "?"
	}
	fmt.Fprintf(g.out, "%s%s %s\n\n", mark, id, text)
	g.out.Flush()
	if words[0] == "quit" {
		os.Exit(0)
	}
}

func (g *guest) answer(command string, args []string) (string, bool) {
	switch command {
	case "name":
		return "guest " + g.mode, true
	case "list_commands":
		if g.mode == "no-list" {
			return "unknown command", false
		}
		return strings.Join(append([]string{"protocol_version", "name", "list_commands", "boardsize", "clear_board",
			"komi", "play", "genmove", "quit"}, g.extra...), "\n"), true
	case "boardsize", "rectangular_boardsize":
		if g.mode == "small" {
			return "unacceptable size", false
		}
		var w, h int
		if n, _ := fmt.Sscan(strings.Join(args, " "), &w, &h); n == 1 {
			h = w
		}
		g.size = board.Size{W: w, H: h}
		g.clear()
		return "", true
	case "clear_board":
		g.clear()
		return "", true
	case "komi":
		return "", g.mode != "no-komi"
	case "play":
		return g.play(args)
	case "genmove":
		return g.genmove(args)
	case "quit":
		if g.mode == "no-quit" {
			time.Sleep(time.Hour)
		}
		return "", true
	case "final_status_list":
		return g.dead()
	case "final_score":
		return map[string]string{"score-1": "B+1.5", "score-2": "B+2.5"}[g.mode], true
	case "gomill-explain_last_move":
		return fmt.Sprintf("move %d\nof mine", g.moves), true
	case "time_left", "time_settings", "kata-time_settings", "kgs-time_settings", "kata-set-rules", "kgs-rules":
		fmt.Fprintln(os.Stderr, "got:", command, strings.Join(args, " "))
		return "", g.mode != "deaf-to-"+command
	}
	return "unknown command", false
}

func (g *guest) play(args []string) (string, bool) {
	if g.mode == "refuse" && g.moves >= g.at {
		return "illegal move", false
	}
	c, _ := board.ParseColor(args[0])
	p, err := g.size.ParseVertex(args[1])
	return "", err == nil && g.game.PlayTolerant(c, p) == nil
}

// dead answers "final_status_list dead" with White's stones, with none, or with an error, depending on the mode.
func (g *guest) dead() (string, bool) {
	switch g.mode {
	case "white-dead":
		var list []string
		for p := range g.size.Area() {
			if g.game.At(board.Point(p)) == board.White {
				list = append(list, g.size.Vertex(board.Point(p)))
			}
		}
		return strings.Join(list, " "), true
	case "score-crash":
		os.Exit(9)
	case "score-1", "score-2":
		return "cannot say", false
	}
	return "", true
}

func (g *guest) genmove(args []string) (string, bool) {
	c, _ := board.ParseColor(args[0])
	g.moves++
	if g.moves == g.at {
		if text, ok, done := g.misbehave(c); done {
			return text, ok
		}
	}
	time.Sleep(g.late)
	if g.mode == "junk" {
		fmt.Fprintf(g.out, "thinking = hard\n\n=\n\n?nonsense\n\x00\xff\x01\n")
	}
	p := g.pick(c)
	_ = g.game.Play(c, p)
	text := g.size.Vertex(p)
	if g.mode == "lower" {
		text = strings.ToLower(text) + "  "
	}
	return text, true
}

// misbehave carries out the guest's misbehaviour; done is false if genmove must still choose the move.
func (g *guest) misbehave(c board.Color) (text string, ok, done bool) {
	switch g.mode {
	case "occupied":
		for p := range g.size.Area() {
			if g.game.At(board.Point(p)) != board.Empty {
				return g.size.Vertex(board.Point(p)), true, true
			}
		}
	case "word":
		return "I think \x1b[31mD4 is good", true, true
	case "empty":
		return "", true, true
	case "error":
		return "cannot think", false, true
	case "resign":
		return "Resign", true, true
	case "crash", "child":
		fmt.Fprintln(os.Stderr, "boom: assertion failed")
		os.Exit(3)
	case "answer-and-crash":
		fmt.Printf("=\n")
		os.Exit(0)
	case "hang":
		time.Sleep(time.Hour)
	case "close-stdout":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "flood":
		for {
			_, _ = io.WriteString(g.out, strings.Repeat("flood ", 100)+"\n")
		}
	case "long-line":
		for {
			_, _ = io.WriteString(g.out, "no end ")
		}
	case "flood-reply":
		_, _ = io.WriteString(g.out, "= D4\n")
		for {
			_, _ = io.WriteString(g.out, strings.Repeat("more ", 100)+"\n")
		}
	case "flood-stderr":
		for range 20_000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 40))
		}
	}
	return "", false, false
}

// pick returns a random legal move of c that fills none of c's eyes, or a pass.
func (g *guest) pick(c board.Color) board.Point {
	var options []board.Point
	for i := range g.size.Area() {
		p := board.Point(i)
		if g.game.Legal(c, p) == nil && g.game.At(p) == board.Empty && !g.game.Board().IsEye(p, c) {
			options = append(options, p)
		}
	}
	if len(options) == 0 {
		return board.Pass
	}
	return options[g.rng.IntN(len(options))]
}
