package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
)

// TestWrongCalls: a call with a missing, wrong or huge argument, or with an output that cannot be
// written, gets a one-line error that names the mistake, and leaves no file.
func TestWrongCalls(t *testing.T) {
	dir := t.TempDir()
	text := writeFile(t, "text.txt", "no network, no game, no JSON\n")
	there, six := writeFile(t, "there.onnx", "mine"), writeFile(t, "six.sgf", sixInTheCorner)
	badKeys, huge := writeFile(t, "bad.toml", "visits = 5\nvisists = 5\n[boards]\nsize = 9\n"), writeFile(t, "huge.toml", strings.Repeat("\n", maxConfigSize+1))
	recipe, method := writeFile(t, "recipe.toml", "arch = 'kb2c16'\nbogus = 1\n"), writeFile(t, "method.toml", "[search]\nmethod = 'alphabeta'\n")
	positions := writeFile(t, "positions.toml", "[selfplay.positions]\nshare = 0.5\nrecords = ['none.sgf']\n")
	place := strings.NewReplacer(
		"DIR", dir, "TEXT", text, "THERE", there, "NET", "../../models/kosumi-zero.bin.gz",
		"TORCH", "../../testdata/onnx/pytorch-dualhead-9x9.onnx", "SGF", "../../testdata/sgf", "SIX", six, "LINK", filepath.Dir(six)+"/./six.sgf",
		"NOWHERE", filepath.Join(dir, "no", "such"), "BLOCKED", filepath.Join(text, "x"), "BADKEYS", badKeys, "HUGE", huge, "RECIPE", recipe, "METHOD", method,
		"EMPTY", t.TempDir(), "POSITIONS", positions,
	)
	goWords := []string{"strconv", "context canceled", "exec:", "fork/exec", "goroutine", "panic", "<nil>", "looking for beginning", "stat ", "mkdir ", "%!"}
	for _, c := range strings.Split(strings.TrimSpace(wrongCalls), "\n") {
		call, want, ok := strings.Cut(c, " -> ")
		require.True(t, ok, c)
		code, want, _ := strings.Cut(want, " ")
		t.Run(call, func(t *testing.T) {
			o := invoke(t, nil, "", strings.Fields(place.Replace(call))...)
			require.Equal(t, code, map[int]string{exitFailed: "1", exitUsage: "2"}[o.code], "%s: %s", call, o.stderr)
			said := strings.Split(strings.TrimSpace(o.stderr), "\n")
			require.Len(t, said, 1, call)
			require.True(t, strings.HasPrefix(said[0], "engine: "), said[0])
			require.Contains(t, said[0], strings.NewReplacer("TEXT", text, "BLOCKED", text).Replace(want), call)
			if o.code == exitUsage {
				require.Contains(t, said[0], "--help)", call)
			}
			for _, w := range goWords {
				require.NotContains(t, said[0], w, call)
			}
		})
	}
	require.Equal(t, "mine", testshared.Read(t, there), "nothing is replaced unasked")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// wrongCalls lists a call, the exit code and a part of the answer on each line.
const wrongCalls = `
gtp --visits -> 2 --visits needs a value
gtp --vresion -> 2 did you mean --version?
gtp --no-resign -> 2 did you mean --resign=false?
gtp --cores 1 -> 2 did you mean --sessions?
gtp --resign false -> 2 write --resign=false
gtp --resign no -> 2 "no": write --resign=false
gtp --visits 5 no -> 2 unexpected argument "no" (
gtp --config NOWHERE.cfg -> 1 no file
gtp --override-config maxVisits=x -> 2 maxVisits is "x"
gtp --visits 1e99 -> 2 --visits is "1e99"
gtp --boardsize 26 -> 2 --boardsize
gtp --rules martian -> 2 one of chinese, japanese
gtp --rules japanse -> 2 did you mean japanese?
analysis game.sgf -> 2 did you mean engine review game.sgf?
match a.bin.gz b.bin.gz -> 2 --a 'engine gtp --model a.bin.gz'
train games -> 2 did you mean --data games?
web --port 80 -> 2 did you mean --listen?
gtp --komi x -> 2 --komi is "x"
gtp --config TEXT -> 2 TEXT
gtp --config BADKEYS -> 2 unknown setting visists, did you mean visits?
gtp --config DIR -> 1 folder
gtp --config HUGE -> 1 more than
gtp --visits -1 --boardsize 30 --rules martian --komi 999 --threads -2 --log-level loud -> 2 ; 2 more;
-x -> 2 -x
gtp --set x -> 2 --set x: want NAME=VALUE
gtp --set usegraphsearch=true -> 2 did you mean useGraphSearch?
gtp --set cpuctExploration=-1 -> 2 a number from 0 to 10
gtp --set nosuch=1 -> 2 unknown setting nosuch
gtp --level 99k -> 2 --level
gtp --set humanSLProfile=rank_99k -> 2 humanSLProfile
gtp --preset nosuch -> 2 --preset
gtp --autosave BLOCKED -> 1 --autosave
gtp --level-file BLOCKED -> 1 --level-file
gtp --level auto --level-file DIR -> 1 --level-file
gtp --level auto --level-file TEXT -> 1 --level-file
gtp --human-model NOWHERE -> 1 --human-model
gtp extra -> 2 "extra"
gtp net.bin.gz -> 2 did you mean --model net.bin.gz?
net.onnx -> 2 did you mean --model net.onnx?
game.sgf -> 2 review game.sgf?
foo --help -> 2 unknown command "foo" for "engine" (
score -> 2 did you mean gtp?
match gate -h -> 2 "gate"
net fetsh --help -> 2 did you mean fetch?
review -> 2 give FILE|DIR
analysis --positions 0 -> 2 --positions
analysis --perspective RED -> 2 "RED"
analysis --visits 0 -> 2 --visits
analysis --max-memory 16 --positions 8 -> 2 32 or more
analysis --boardsize 9 -> 2 unknown flag: --boardsize
match --a x -> 2 --a and --b
match --a x --b y --games x -> 2 --games is "x", must be an integer
match --a x --b y --boardsize 99 -> 2 --boardsize
match --a x --b y --time-settings never -> 2 never
match --a x --b y --openings NOWHERE -> 1 no file
match --a x --b y --elo0 0 -> 2 --elo0 and --elo1
match --a x --b y --out BLOCKED -> 1 BLOCKED
match --a x --b y --discard --out DIR/m -> 2 --discard keeps no games
match --a x --b y --log-level loud -> 2 --log-level
match --a NOWHERE --b NOWHERE --games 2 -> 2 there is no program
match openings -> 2 give -o FILE
match openings --count 0 -o DIR/x.txt -> 2 --count is 0
match openings --count 5 -o NOWHERE/x.txt -> 1 cannot be written
match openings --count 5 -o THERE -> 1 --force
match openings --temperature 0 -o DIR/x.txt -> 2 --temperature is 0
match openings --balance 0.6 -o DIR/x.txt -> 2 --balance is 0.6
match openings --min-moves 5 --max-moves 4 -o DIR/x.txt -> 2 --max-moves is 4
match ladder --dials x -> 2 --dials
match ladder --games -1 -> 2 -1 games
match ladder --anchor-step 0 -> 2 --anchor-step
match ladder --parallel 0 -> 2 --parallel
match ladder --time=-1s -> 2 --time
match ladder --gnugo NOWHERE -> 2 --gnugo
match ladder --anchors v1 --model NOWHERE -> 1 no file
match ladder --anchors v1 -o NOWHERE/x.json -> 1 cannot be written
match ladder --anchors x -> 2 --anchors
match ladder --show --boardsize 99 -> 2 --boardsize
match ladder --show --add NOWHERE -> 1 no file
match ladder --show --boardsize 7 -> 1 nothing is known
match ladder --json -> 2 --json goes with --show
match ladder --boardsize 9,x -> 2 --boardsize
review SGF --first-visits 0 -> 2 first
review SGF --positions 0 -> 2 positions
review NOWHERE -> 2 no file
review SGF -o BLOCKED -> 1 BLOCKED
life -> 2 give a game record
life NOWHERE -> 2 no file
life TEXT -> 2 text.txt
life SIX --at E5 -> 2 there is no stone
life SIX --at Z9 -> 2 outside the 9x9 board
life SIX --at D9,E9 -> 2 of different colours
life SIX --at D9 --assume D9 -> 2 assumed alive
life SIX --at D9 --assume J1 -> 2 there is no stone
life SIX --at D9 --move 3 -> 2 engine: --move 3: the record has 0 moves
life SIX --at D9 --time 0 -> 2 --time is 0, must be above 0
life SIX --at D9 --move -1 -> 2 --move is -1, must be 0 or more
drill --new -1 -> 2 --new is -1, must be 0 or more
life SIX --at D9 --first red -> 2 --first is red, must be black, white or both
life SIX --at D9 -o SIX --force -> 2 is an input
life SIX --at D9 -o LINK -> 2 is an input
life SIX --at D9 -o THERE -> 1 --force
life SIX --at D9 --model NET -o NET --force -> 2 is an input
life --check SIX -o DIR/x -> 2 leave --out and --at out
life SIX --at D9 -o BLOCKED -> 1 BLOCKED
life SIX -o BLOCKED -> 2 --out needs --at
life SIX --first black -> 2 --first and --all need --at
life SIX --check SIX -> 2 --check takes its own file
life --check NOWHERE -> 2 no file
life --check TEXT -> 1 neither a proof file
drill a b -> 2 wrong number of arguments (2)
drill NOWHERE -> 2 no file
drill TEXT -> 1 not a problem set
net -> 2 info, mix, new
net new -> 2 give --arch NAME and -o FILE
net new --arch nosuch -o DIR/x.onnx -> 2 --arch
net new --arch mini --boardsize 9 -> 2 -o
net new --arch mini --boardsize 99 -o DIR/x.onnx -> 2 --boardsize
net new --arch mini --boardsize 9 -o NOWHERE/x.onnx -> 1 cannot be written
net new --arch mini --boardsize 9 -o DIR -> 1 folder
net new --arch mini --boardsize 9 -o THERE -> 1 --force
net new --arch mini --boardsize 9 -o DIR/x.bin.gz -> 2 .onnx
net new --arch kb1c16 -o DIR/x.foo -> 2 x.foo: the name has to end in .onnx, or for KataGo's format in .bin.gz
net mix THERE -> 2 wrong number of arguments (1)
net mix THERE THERE -> 2 -o FILE
net mix THERE THERE -o DIR/x.onnx -> 2 .bin.gz
net mix THERE THERE --share 2 -o DIR/x.bin.gz -> 2 --share is 2
net mix NOWHERE THERE -o DIR/x.bin.gz -> 1 no file
net mix THERE THERE -o DIR/x.bin.gz -> 1 there.onnx
net info TEXT -> 1 TEXT
net info DIR -> 1 folder
convert -> 2 engine convert IN OUT
convert a -> 2 wrong number of arguments (1)
convert NOWHERE.onnx DIR/x.onnx -> 1 no file
convert TEXT DIR/x.onnx -> 1 TEXT
convert DIR DIR/x.onnx -> 1 is a directory
convert NET DIR/x.foo -> 2 .bin.gz
convert NET NOWHERE/x.onnx -> 1 cannot be written
convert NET THERE -> 1 --force
convert NET NET --force -> 2 is an input
net mix NET NET -o NET --force -> 2 is an input
net new --arch kb8c128 --grow NET -o NET --force -> 2 is an input
match ladder --add SIX -o SIX -> 2 is an input
match ladder --anchors v1 -o THERE -> 1 not a file of ladders
review SIX -o SGF -> 1 holds other files than reviews
review SGF -o SGF -> 2 is read and would be written into
drill --answers SIX -> 1 is not a file of answers
match --a x --b y --journal SIX -> 1 is another file
match openings --model NET -o NET --force -> 2 is an input
loop SGF -> 2 holds other files than a loop's
loop SGF --init -> 2 holds other files than a loop's
train --model NET --data SGF=1e-300 --data THERE -o DIR/t -> 2 a share of 1e-300
train --model NET --data SGF -o DIR/t --validation 1e-300 -> 2 --validation 1e-300
convert NET DIR/x.onnx --boardsize 26 -> 2 --boardsize
convert TORCH DIR/y.bin.gz -> 1 engine convert or engine train
selfplay --human-model NOWHERE -> 2 unknown flag: --human-model
selfplay -> 2 --out DIR
selfplay --out DIR/s --games -1 -> 2 --games is -1
selfplay --out DIR/s --method nosuch -> 2 "nosuch"
selfplay --out DIR/s --recipe NOWHERE -> 1 no file
selfplay --out DIR/s --recipe RECIPE -> 2 unknown key
selfplay --out DIR/s --recipe METHOD -> 2 alphabeta
selfplay --out DIR/s --visits 1 -> 2 visits
selfplay --out DIR/s --method random --rows-encoder v9 -> 2 v9
selfplay --out BLOCKED --games 1 --method random -> 1 BLOCKED
label -> 2 --teacher FILE and --out DIR
label --teacher NOWHERE -o DIR/l -> 1 no file
label --teacher SGF -o DIR/l -> 1 not a usable network file
label --teacher NET -o DIR/l --player NOWHERE -> 1 no file
label --teacher NET -o DIR/l --rows-encoder v9 -> 2 "v9": use v7, seed22, mini7, agz17 or agz17-split
label --teacher NET -o DIR/l --rows-encoder v3 -> 2 use v7, seed22, mini7, agz17 or agz17-split
label --teacher NET -o DIR/l --from SGF --boardsize 9 -> 2 are of fresh games: leave --from or these out
label --teacher NET -o DIR/l --from SGF --player NOWHERE -> 2 are of fresh games: leave --from or these out
label --teacher NET -o DIR/l --from SGF --recipe NOWHERE -> 2 are of fresh games: leave --from or these out
label --teacher NET -o DIR/l --boardsize 1 -> 2 --boardsize
label --teacher NET -o DIR/l --recipe NOWHERE -> 1 no file
label --teacher NET -o DIR/l --share 2 -> 2 a share of 2
label --teacher NET -o DIR/l --rows -1 -> 2 -1 rows
label --teacher NET -o DIR/l --from NOWHERE -> 2 no file
label --teacher NET -o BLOCKED -> 1 BLOCKED
train -> 2 give --data DIR and -o OUT
train --model NET --data NOWHERE -o DIR/t -> 2 no file
train --model NET --data SGF -o DIR/t --epochs 0 -> 2 --epochs
train --model NET --data SGF -o DIR/t --steps 1 --epochs 1 -> 2 not both
train --model NET --data SGF -o DIR/t --batch 0 -> 2 --batch
train --model NET --data SGF -o DIR/t --log-every -1 -> 2 --log-every is -1, must be 0 or more
train --model NET --data SGF -o DIR/t --window -1 -> 2 --window is -1, must be 0 or more
match --a x --b y --discard --parallel -1 -> 2 match cannot be played: parallel must not be negative
train --model NET --data SGF -o DIR/t --lr x -> 2 --lr is "x", must be a number
train --model NET --data SGF -o DIR/t --lr inf -> 2 --lr
train --model NET --data SGF -o DIR/t --loss value -> 2 --loss value
train --model NET --data SGF -o DIR/t --loss vlaue=1 -> 2 vlaue
train --model NET --data SGF -o DIR/t --optimizer rprop -> 2 rprop
train --model NET --data SGF -o DIR/t --freeze all -> 2 all
train --model NET --data SGF -o DIR/t --schedule up -> 2 up
train --model NET --data SGF -o DIR/t --validation 0.1 --validate SGF -> 2 not both
train --model NET --data SGF=0.5 -o DIR/t -> 2 share
train --model NET --data SGF -o DIR/t --memory 0 -> 2 --memory
train --model NET --data SGF -o BLOCKED -> 1 BLOCKED
loop -> 2 engine loop DIR
loop BLOCKED -> 2 BLOCKED
loop DIR --games -1 -> 2 --games
loop DIR/l --hours -1 -> 2 --hours
loop DIR/l b -> 2 one folder
loop DIR/l --config RECIPE -> 2 unknown key bogus
loop DIR/l --from NOWHERE.bin.gz -> 2 such.bin.gz
loop DIR/l --from RECIPE -> 2 start
loop DIR/l --from kosumi --config RECIPE -> 2 [start]
loop DIR/l --from kosumi --data NOWHERE -> 2 such
loop DIR/l --from kosumi --data EMPTY -> 2 no training rows
loop DIR/l --config POSITIONS -> 2 positions: 
loop DIR/l --serve nohost:xx -> 2 --serve "nohost:xx"
loop DIR/l --data SGF -> 2 --data goes with --from
loop DIR/l --preset nosuch -> 2 "nosuch"
loop rate NOWHERE -> 1 no loop
loop rate DIR --games -1 -> 2 --games
loop rate DIR --against gnugo -> 2 NAME=COMMAND
loop report -> 2 engine loop report DIR
loop report NOWHERE -> 1 no loop
benchmark --onnxruntime NOWHERE -> 1 --onnxruntime
benchmark --seconds 0 -> 2 --seconds
benchmark --rounds 0 -> 2 --rounds
benchmark --model NOWHERE.onnx -> 1 no file
config x -> 2 "x"
config --from-katago NOWHERE.cfg -> 2 such.cfg
install-as-katago -> 2 engine install-as-katago DIR
install-as-katago BLOCKED -> 1 BLOCKED
net fetch -> 2 engine net fetch strongest|newest
net fetch weakest -> 2 strongest or newest
net fetch newest --networks BLOCKED -> 1 BLOCKED
web --port x -> 2 unknown flag: --port
web x -> 2 unexpected argument "x"
web --model NOWHERE -> 1 --model
web --human-model NOWHERE -> 1 --human-model
web --networks NOWHERE -> 1 --networks
web --tls-cert NOWHERE -> 2 --tls-key
web --config NOWHERE -> 1 no file
web --loop NOWHERE -> 1 --loop
web --loop DIR -> 1 no loop
web --ui DIR --folder BLOCKED -> 1 BLOCKED
web --ui DIR --reviews BLOCKED -> 1 BLOCKED
web --ui NOWHERE -> 1 --ui
web --tls-cert NOWHERE --tls-key NOWHERE -> 1 certificate
web --tls-cert TEXT --tls-key TEXT -> 1 certificate
web --listen nosuch -> 2 --listen is "nosuch"
web --listen :99999 -> 2 the port is "99999"
completion -> 2 bash, fish
completion nosuch -> 2 unknown command "nosuch"
work -> 2 engine work ADDRESS
doctor --human-model NOWHERE -> 2 unknown flag: --human-model
config --from-katago TEXT -> 2 TEXT
config --from-katago DIR -> 2 is a directory
train --model NOWHERE --data SGF -o DIR -> 1 no file
train --model TEXT --data SGF -o DIR -> 1 text.txt
drill DIR -> 2 no file
work nosuch -> 2 nats://
work env:KOSUMI_NO_SUCH_VARIABLE -> 2 is not set
work DIR -> 2 a folder
work TEXT -> 2 holds no address
work nats://T@127.0.0.1:1 --games -1 -> 2 --games
work nats://T@127.0.0.1:1 --precision int1 -> 2 --precision
work nats://T@127.0.0.1:1 --dir BLOCKED -> 1 BLOCKED
cluster -> 2 status
cluster status nosuch -> 2 nats://
cluster status nats://T@127.0.0.1:1 --ca NOWHERE -> 1 no file
serve --cert NOWHERE -> 2 --cert and --key
serve --level 99k -> 2 --level
serve --level-file BLOCKED -> 1 --level-file
serve --dir BLOCKED -> 1 BLOCKED
serve --users NOWHERE -> 1 no file
serve --users TEXT -> 2 TEXT
serve --cert NOWHERE --key NOWHERE -> 1 no file
serve --seats 0 -> 2 --seats
serve --metrics nosuch -> 2 --metrics
serve --metrics :99999 -> 2 the port is "99999"
serve --model NOWHERE -> 1 no file
serve --listen nosuch -> 2 --listen is "nosuch"
remote -> 2 engine remote ADDRESS
remote kosumi://T@127.0.0.1:1#x gtp -> 2 not the SHA-256
remote http://127.0.0.1:1 gtp -> 2 kosumi://
remote nosuch gtp -> 2 kosumi://
remote TEXT gtp -> 2 holds no address
manual BLOCKED -> 1 BLOCKED
help nosuch -> 2 nosuch
--vists 5 -> 2 did you mean --visits?
fly -> 2 unknown command "fly"
`
