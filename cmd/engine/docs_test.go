package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// documents lists all documents for users.
func documents(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return append(all, "../../README.md", "../../CHANGELOG.md", "../../CONTRIBUTING.md")
}

var (
	fence    = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```")
	span     = regexp.MustCompile("`([^`\n]+)`")
	sideNote = regexp.MustCompile(`\s{2,}\S.*$`)
	joining  = regexp.MustCompile(`\\\n\s*`)
)

// commandsIn returns the calls of the engine in blocks or spans of code: lines that begin with
// engine, without the remarks beside them.
func commandsIn(blocks []string) []string {
	var all []string
	for _, b := range blocks {
		for line := range strings.SplitSeq(joining.ReplaceAllString(b, ""), "\n") {
			if line = sideNote.ReplaceAllString(strings.TrimSpace(line), ""); strings.HasPrefix(line, "engine ") {
				all = append(all, line)
			}
		}
	}
	return all
}

// firsts returns the first group of every match.
func firsts(pattern *regexp.Regexp, text string) []string {
	var all []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// shellWords divides a line as a shell does, without its expansions.
func shellWords(line string) []string {
	var all []string
	for _, w := range regexp.MustCompile(`(?:[^\s"']|"[^"]*"|'[^']*')+`).FindAllString(line, -1) {
		all = append(all, strings.NewReplacer(`"`, "", `'`, "").Replace(w))
	}
	return all
}

// parses returns an error unless the program has the command and the flags of a line.
func parses(line string) error {
	args := longDashes(shellWords(line)[1:])
	root := newRoot()
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if c == root && len(rest) > 0 && rest[0] != "--version" && strings.HasPrefix(rest[0], "-") { // engine alone speaks GTP
		c, rest, err = root.Find(withSubcommand(root, args))
	}
	if err != nil {
		return err
	}
	if c == root && len(args) > 0 && !strings.HasPrefix(args[0], "-") && args[0] != strings.ToUpper(args[0]) {
		return fmt.Errorf("there is no command %s", args[0])
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	for _, w := range args {
		_, value, _ := strings.Cut(w, "=")
		for _, inner := range []string{w, value} {
			if strings.HasPrefix(inner, "engine ") {
				if err := parses(inner); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// TestDocumentedFlags reads every call of the engine in the documents and in the examples of the
// help, and requires that its command and flags exist.
func TestDocumentedFlags(t *testing.T) {
	count := 0
	check := func(where, line string) {
		count++
		err := parses(line)
		if err != nil && strings.Contains(err.Error(), "needs an argument") { // a sentence about the flag
			err = nil
		}
		require.NoError(t, err, "%s: %s", where, line)
	}
	for _, file := range documents(t) {
		text := testshared.Read(t, file)
		blocks := firsts(fence, text)
		for _, line := range append(commandsIn(blocks), commandsIn(firsts(span, fence.ReplaceAllString(text, "")))...) {
			check(filepath.Base(file), line)
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, line := range commandsIn([]string{c.Example}) {
			check(c.CommandPath()+" --help", line)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
	require.Greater(t, count, 100)
	t.Logf("%d calls", count)
}

// walks lists the calls in the code blocks of each document. After -> come flags that make the call
// short or, after #, the reason why the call is not run.
const walks = `
README.md
engine gtp --boardsize 19 --model "$(engine net fetch strongest)" -> # asks katagotraining.org: TestNetFetch
engine train --model net.bin.gz --data games/ -o better -> --batch 4
engine loop run1 -> --games 4

cluster.md
engine loop run1 --serve :4222 -> # on three machines: cluster's tests
engine work address -> # likewise
engine cluster status address -> # likewise

playing.md
engine serve --model net.bin.gz --listen :7777 -> # on two machines: TestServe
engine remote bigmachine gtp -> # likewise

pytorch.md
engine gtp --model net.onnx -> --visits 2
engine train --model net.onnx --data games/ -o better -> --steps 2 --batch 4

review.md
engine review games/ -o reviews --drills -> --visits 4
engine drill reviews/drills.json -> --visits 4

teaching.md
engine label --teacher strong.bin.gz --boardsize 19 --rows 1000 -o check -> --boardsize 7 --rows 20
engine label --teacher strong.bin.gz --rows 10000 -o labels -> --boardsize 7 --rows 60
engine train --data labels --validate check --beside strong.bin.gz -o taught --epochs 2 --batch 64 --optimizer muon --lr 0.00005 --warmup 50 --schedule cosine --average-every 4096 -> --batch 8
engine match --a "engine gtp --model taught/model.bin.gz --visits 100" --b "engine gtp --visits 100" --boardsize 19 --games 60 -> --boardsize 5 --games 2

training.md
engine loop run1 --hours 3 -> --games 4
engine match --a "engine gtp --model run1/models/NAME/model.bin.gz --visits 100" --b "gnugo --mode gtp --level 10 --chinese-rules" --games 100 --boardsize 9 --komi 7 -> --boardsize 5 --games 2
engine train --model net.bin.gz --data games/ -o better --epochs 2 --lr 0.001 -> --batch 4
engine net new --arch mini --boardsize 9 --seed 1 -o mini.onnx ->
engine net info mini.onnx ->
engine gtp --model mini.onnx -> --visits 2
engine selfplay --model mini.onnx --visits 100 --games 50 --out games -> --visits 4 --games 2 --out played
engine train --model mini.onnx --data games -o trained --epochs 10 --batch 32 --optimizer adam --lr 0.001 -> --data played --epochs 1 --batch 4
engine gtp --model trained/model.onnx -> --visits 2
engine loop class --preset tutorial -> --games 4
engine web --model class/models/NAME/model.onnx -> # serves until it is stopped: the page's tests
engine loop rate class --visits 50 --games 10 --against "untrained=engine gtp --model class/models/fresh-mini/model.onnx --visits 50" -> # wants networks that took hours
`

// TestDocumentedWalks requires that walks lists exactly the calls in the documents' code blocks. In
// make test-all it also runs the calls of each page in order: each must succeed.
func TestDocumentedWalks(t *testing.T) {
	short := map[string]string{} // by page and call
	page := ""
	for line := range strings.SplitSeq(strings.TrimSpace(walks), "\n") {
		if call, how, ok := strings.Cut(line, " ->"); ok {
			short[page+": "+call] = how
		} else if line != "" {
			page = line
		}
	}
	type walk struct{ call, how string }
	var pages [][]walk
	for _, file := range documents(t) {
		var calls []walk
		for _, call := range commandsIn(firsts(fence, testshared.Read(t, file))) {
			key := filepath.Base(file) + ": " + call
			how, ok := short[key]
			require.True(t, ok, "%s is not in walks", key)
			delete(short, key)
			if !strings.Contains(how, "#") {
				calls = append(calls, walk{call, how})
			}
		}
		pages = append(pages, calls)
	}
	require.Empty(t, short, "no document has these")

	testshared.Long(t)
	engine := built(t)
	bin := t.TempDir()
	require.NoError(t, os.Symlink(engine, filepath.Join(bin, "engine")))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH")+string(os.PathListSeparator)+"/usr/games")
	for _, calls := range pages {
		dir := readerFolder(t)
		for _, w := range calls {
			walkOne(t, dir, w.call, w.how)
		}
	}
}

// readerFolder makes a folder with the files that the documents speak of.
func readerFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	fresh := freshNetwork(t)
	for name, from := range map[string]string{
		"net.bin.gz": fresh, "strong.bin.gz": fresh, "net.onnx": "../../testdata/onnx/pytorch-dualhead-9x9.onnx",
		"games/one.sgf": writeFile(t, "one.sgf", readersGame), "games/two.sgf": writeFile(t, "two.sgf", strings.Replace(readersGame, ";B[ee]", ";B[eg]", 1)),
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(testshared.Read(t, from)), 0o644))
	}
	return dir
}

// readersGame is a game of 9x9 with a move that loses much.
const readersGame = `(;FF[4]GM[1]SZ[9]KM[7]RU[Chinese]PB[Anna]PW[Bert]RE[B+R];B[ee];W[gc];B[cg];W[gg];B[cc];W[gf];B[ff];W[fg];B[eg];W[fh];B[eh];W[gd];B[fe];W[aa];B[ge];W[he])`

// walkOne runs one call in a reader's folder.
func walkOne(t *testing.T, dir, call, how string) {
	t.Helper()
	args := append(shellWords(call)[1:], strings.Fields(how)...)
	for i, a := range args {
		if before, _, ok := strings.Cut(a, "models/NAME"); ok { // NAME stands for a network that the reader's loop has made
			before = before[strings.LastIndexAny(before, " =")+1:]
			models, err := filepath.Glob(filepath.Join(dir, before, "models", "*"))
			require.NoError(t, err)
			require.NotEmpty(t, models, call)
			args[i] = strings.Replace(a, "NAME", filepath.Base(models[0]), 1)
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("genmove b\nquit\n")
	var out testshared.Log
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Run(), "%s\n%s", call, out.String())
}

var (
	target  = regexp.MustCompile(`(?m)(?:^|` + "`" + `)make ([a-z][a-z0-9-]*)`)
	script  = regexp.MustCompile(`\b(tools/scripts/[a-z0-9.-]+\.sh)\b`)
	goTest  = regexp.MustCompile("go test (\\./\\S+)([^`\n]*)")
	pattern = regexp.MustCompile(`-(run|bench) '?([A-Za-z|]+)`)
)

// TestDocumentedTools: the targets of make, the scripts, and the tests and benchmarks that the
// documents name exist.
func TestDocumentedTools(t *testing.T) {
	makefile := testshared.Read(t, "../../Makefile")
	count := 0
	for _, file := range documents(t) {
		text := testshared.Read(t, file)
		for _, name := range firsts(target, text) {
			require.Regexp(t, `(?m)^(\S+ )*`+name+`( \S+)*:`, makefile, "%s: make %s", file, name)
			count++
		}
		for _, name := range firsts(script, text) {
			require.FileExists(t, filepath.Join("../..", name), file)
			count++
		}
		for _, call := range goTest.FindAllStringSubmatch(text, -1) {
			sources, err := filepath.Glob(filepath.Join("../..", call[1], "*_test.go"))
			require.NoError(t, err)
			var code strings.Builder
			for _, s := range sources {
				code.WriteString(testshared.Read(t, s))
			}
			for _, m := range pattern.FindAllStringSubmatch(call[2], -1) {
				kind, names := map[string]string{"run": "Test", "bench": "Benchmark"}[m[1]], m[2]
				if names == "xxx" || names == "X" { // xxx matches no test, and X stands for any
					continue
				}
				for name := range strings.SplitSeq(names, "|") {
					require.Regexp(t, `func `+kind+`\w*`+strings.TrimPrefix(name, kind), code.String(), "%s: %s", file, call[0])
					count++
				}
			}
		}
	}
	require.Greater(t, count, 40)
	t.Logf("%d names", count)
}
