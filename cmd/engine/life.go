package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kosumi/board"
	"kosumi/internal/console"
	"kosumi/internal/file"
	"kosumi/life"
	"kosumi/life/check"
	"kosumi/sgf"
)

type lifeFlags struct {
	at, assume, out, check string
	first                  string
	all, json              bool
	move                   int
	seconds                float64
	force                  *bool
}

func lifeCommand() *cobra.Command {
	s := defaultSettings()
	f := lifeFlags{first: "both", move: -1, seconds: 10}
	c := &cobra.Command{
		Use:        "life FILE --at STONE[,STONE...]",
		SuggestFor: []string{"alive", "dead"},
		Short:      "Answer \"is it alive?\" with a proof: dead, alive, seki, or which ko",
		Long: `Answers whether stones live, with each side to move first, at the end of a game record
or after --move moves. The FILE - is standard input. An independent checker verifies every
result called proved; "engine life --check FILE" runs it again.

Chains in the open around the fight are assumed alive, and the answer names them.
--assume names them instead: a list of stones, or none; -Q16 strikes one of the
default. Several stones after --at must all live; with --all the attacker must capture
every one of them. Without --at it searches for groups of two stones or more whose
life depends on the first move.

A network orders the moves and estimates the chance of life of groups without a proof.
No proof depends on it. Without --at, groups that it takes for settled are left out.

The threats in an answer are ko threats that one side has more than the other. ^C ends
the search and prints the results so far.`,
		Example: `  engine life problem.sgf --at B2
  engine life game.sgf --move 57 --at C3,E3 --assume Q16,-D10 --json
  engine life problem.sgf --at B2 -o proof.sgf && engine life --check proof.sgf`,
		Args:    cobra.MaximumNArgs(1),
		PreRunE: s.load,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLife(cmd, &s, &f, args)
		},
	}
	fl := c.Flags()
	s.oneNetworkFlags(fl)
	fl.StringVar(&f.at, "at", "", "`STONES` in question, separated by commas")
	fl.BoolVar(&f.all, "all", false, "the attacker must capture all of the stones, not only one")
	fl.StringVar(&f.assume, "assume", "", "`STONES` of chains assumed alive, none, or -STONE to strike one; default: chains in the open")
	fl.IntVar(&f.move, "move", f.move, "after move `N` of the main line; default: its end")
	fl.Lookup("move").DefValue = "0" // hides the default in help
	fl.StringVar(&f.first, "first", f.first, "who moves first: black, white or both")
	fl.Float64Var(&f.seconds, "time", f.seconds, "time limit in `seconds`, for all groups together")
	fl.BoolVar(&f.json, "json", false, "print the answer as JSON")
	fl.StringVarP(&f.out, "out", "o", "", "write the proof to `FILE`: a game record to play through if it ends in .sgf")
	f.force = forceFlag(c)
	fl.StringVar(&f.check, "check", "", "verify the proof in `FILE` and print what it shows")
	return c
}

func runLife(cmd *cobra.Command, s *settings, f *lifeFlags, args []string) error {
	if f.check != "" {
		if len(args) > 0 {
			return usagef("--check takes its own file: leave %s out", strings.Join(args, " "))
		}
		if f.out != "" || f.at != "" {
			return usagef("--check reads a proof: leave --out and --at out")
		}
		return checkLife(cmd, f)
	}
	if len(args) == 0 {
		return usagef("give a game record, or a proof with --check")
	}
	q, first, err := f.question(cmd, args[0], s.stderr)
	if err != nil {
		return usageError{err}
	}
	opts := life.Options{Time: time.Duration(f.seconds * float64(time.Second)), First: first}
	net := openNetwork(s, q.Size, s.stderr)
	defer net.Close()
	if err := net.Wait(); err != nil {
		if s.Model != "" {
			return err
		}
		s.stderr.Warn("no network orders the moves: " + err.Error())
	} else {
		opts.Network = life.Evaluated{Evaluator: net}
	}
	if q.Assumed, err = f.assumed(cmd.Context(), q, opts.Network); err != nil {
		return usageError{err}
	}
	progress := console.NewProgress(cmd.ErrOrStderr())
	defer progress.Close()
	opts.Progress = func(what string, nodes int64) { progress.Show("", nodes, 0, "positions", what) }
	if f.at == "" {
		return f.allGroups(cmd, q, opts, progress)
	}
	if f.out != "" {
		if err := tryOutput(f.out, *f.force, s.inputs(args[0])...); err != nil {
			return err
		}
	}
	out, err := life.Ask(cmd.Context(), q, opts)
	progress.Close()
	if errors.Is(err, life.ErrQuestion) {
		return usageError{plainQuestion(err)}
	}
	if err != nil {
		return err
	}
	if err := f.write(cmd, out); err != nil {
		return err
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), out)
	}
	fmt.Fprint(cmd.OutOrStdout(), out.Text())
	return nil
}

// question reads the position and the question about it.
func (f *lifeFlags) question(cmd *cobra.Command, name string, log *slog.Logger) (*life.Question, board.Color, error) {
	first, noColour := board.ParseColor(f.first)
	if err := cmp.Or(must(f.seconds > 0 && f.seconds <= 1e6, "time", f.seconds, "above 0, up to 1000000"),
		must(f.move >= 0 || !cmd.Flags().Changed("move"), "move", f.move, "0 or more"),
		must(noColour == nil || f.first == "both", "first", f.first, "black, white or both")); err != nil {
		return nil, 0, err
	}
	var roots []*sgf.Node
	var err error
	if name == "-" {
		roots, err = sgf.Read(cmd.InOrStdin())
	} else {
		roots, err = sgf.ReadFile(name)
	}
	if err != nil {
		return nil, 0, err
	}
	root, others := sgf.First(roots)
	for _, note := range others {
		log.Warn(name + ": " + note)
	}
	q, err := life.PositionOf(root, f.move)
	if errors.Is(err, life.ErrQuestion) {
		return nil, 0, fmt.Errorf("--%w", plainQuestion(err))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	if n := solutionMoves(root); n > 0 && f.move < 0 {
		log.Warn(fmt.Sprintf("%s is a set-up position with moves: the answer is about the position after move %d; --move 0 asks about the first one", name, n))
	}
	q.All = f.all
	if f.at != "" {
		if q.Targets, err = stones(q, "--at", f.at); err != nil {
			return nil, 0, err
		}
	}
	return q, first, nil
}

// solutionMoves returns the number of moves of a problem's main line; 0 for the record of a game.
func solutionMoves(root *sgf.Node) int {
	rec, err := sgf.RecordOf(root)
	if err != nil || rec.Setup == nil || len(rec.Setup.Black) == 0 || len(rec.Setup.White) == 0 {
		return 0
	}
	return len(rec.Moves())
}

// plainQuestion takes the common prefix off an error about a question.
func plainQuestion(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), life.ErrQuestion.Error()+": "))
}

func stones(q *life.Question, flag, text string) (list []board.Point, err error) {
	for name := range strings.SplitSeq(text, ",") {
		p, err := q.Size.ParseVertex(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		if p == board.Pass || q.Stones[p] == board.Empty {
			return nil, fmt.Errorf("%s %s: there is no stone", flag, strings.TrimSpace(name))
		}
		list = append(list, p)
	}
	return list, nil
}

// assumed returns the chains to assume alive.
func (f *lifeFlags) assumed(ctx context.Context, q *life.Question, net life.Network) ([]board.Point, error) {
	if f.assume == "none" {
		return nil, nil
	}
	var named, struck []string
	for name := range strings.SplitSeq(f.assume, ",") {
		if name = strings.TrimSpace(name); strings.HasPrefix(name, "-") {
			struck = append(struck, name[1:])
		} else if name != "" {
			named = append(named, name)
		}
	}
	var list []board.Point
	if len(named) == 0 || len(struck) > 0 {
		list = life.EnclosedBy(ctx, q, net)
	}
	if len(named) > 0 {
		more, err := stones(q, "--assume", strings.Join(named, ","))
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if len(struck) > 0 {
		out, err := stones(q, "--assume", strings.Join(struck, ","))
		if err != nil {
			return nil, err
		}
		list = q.Without(list, out)
	}
	return list, nil
}

// write writes the proof to the file of --out, and records that path in the cards with a proved answer.
func (f *lifeFlags) write(cmd *cobra.Command, out *life.Answer) error {
	if f.out == "" {
		return nil
	}
	if len(out.Proof) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "nothing was proved: %s is not written\n", f.out)
		return nil
	}
	data := out.Proof
	if strings.HasSuffix(strings.ToLower(f.out), ".sgf") {
		var err error
		if data, err = sgf.Marshal(out.Record); err != nil {
			return err
		}
	}
	if err := file.WriteBytes(f.out, data); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s: engine life --check verifies it\n", f.out)
	for _, c := range []*life.Card{out.Attacks, out.Defends} {
		if c != nil && c.Proved {
			c.Proof = f.out
		}
	}
	return nil
}

// allGroups asks about each group in turn, and reports those whose life depends on who moves first.
func (f *lifeFlags) allGroups(cmd *cobra.Command, q *life.Question, opts life.Options, progress *console.Progress) error {
	switch {
	case f.out != "":
		return usagef("--out needs --at: one proof is of one group")
	case f.first != "both" || f.all:
		return usagef("--first and --all need --at: without it every group is examined")
	}
	unsettled, err := life.Unsettled(cmd.Context(), q, opts, func(q *life.Question) ([]board.Point, error) { return f.assumed(cmd.Context(), q, opts.Network) })
	if err != nil {
		return err
	}
	progress.Close()
	if f.json {
		return writeJSON(cmd.OutOrStdout(), append([]*life.Answer{}, unsettled...))
	}
	for _, out := range unsettled {
		fmt.Fprintln(cmd.OutOrStdout(), out.Text())
	}
	if len(unsettled) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no group was found whose life is proved to depend on who moves first; --at STONE asks about one")
	}
	return nil
}

func checkLife(cmd *cobra.Command, f *lifeFlags) error {
	data, err := os.ReadFile(f.check)
	if err != nil {
		return usageError{err}
	}
	if data, err = life.ProofIn(data); err != nil {
		return fmt.Errorf("%s: %w", f.check, err)
	}
	c, err := check.Proof(data)
	if err != nil {
		return fmt.Errorf("%s: %w", f.check, err)
	}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), c)
	}
	fmt.Fprint(cmd.OutOrStdout(), c.Text())
	return nil
}
