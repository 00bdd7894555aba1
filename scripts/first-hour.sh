#!/bin/sh
# first-hour.sh ENGINE: walks what a researcher meets first, at a terminal of 80
# columns, and says for each step what came of it. With two programs to compare,
# run it with each. Needs tmux and GNU Go; takes some minutes.
set -eu

engine=$(readlink -f "${1:?usage: first-hour.sh ENGINE}")
gnugo=$(command -v gnugo || echo /usr/games/gnugo)
dir=$(mktemp -d)
session=first-hour-$$
trap 'tmux kill-session -t $session 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"

# at_terminal SECONDS COMMAND: what an 80-column terminal shows after so long.
at_terminal() {
	tmux kill-session -t $session 2>/dev/null || true
	tmux new-session -d -s $session -x 80 -y 24 "$2; sleep 600"
	sleep "$1"
	tmux capture-pane -p -t $session | sed '/^ *$/d'
	tmux kill-session -t $session
}

say() { printf '\n== %s\n' "$*"; }

"$engine" net new --arch kb2c16 --seed 1 -o net.bin.gz >/dev/null 2>&1
"$engine" selfplay --method random --boardsize 9 --games 20 --out games >/dev/null 2>&1

say "train: a bar at 80 columns"
at_terminal 15 "$engine train --model net.bin.gz --data games -o bar --steps 100000 --batch 64" | tail -3

say "train: twenty games"
"$engine" train --model net.bin.gz --data games -o better --epochs 1 --batch 64 2>&1 | grep -E 'held back|wrote' | head -5 || true

say "train: a learning rate of 1e9"
"$engine" train --model net.bin.gz --data games -o hot --steps 60 --batch 32 --lr 1e9 2>&1 | tail -1 || true
if [ -e hot/model.onnx ]; then echo "a network was exported"; else echo "nothing was exported"; fi

say "train: another batch in the same folder"
"$engine" train --model net.bin.gz --data games -o better --epochs 1 --batch 32 2>&1 | tail -1 || true

say "match: twenty games of GNU Go with itself on 5x5"
player="$gnugo --mode gtp --level 1 --chinese-rules --seed 1"
"$engine" match --a "$player" --b "$player" --games 20 --boardsize 5 --komi 7.5 --rules chinese 2>/dev/null || true

say "match: a program that ends at its start"
"$engine" match --a false --b "$player" --games 20 --boardsize 5 --rules chinese 2>&1 | tail -7 || true

say "loop: the tutorial's, after 25 seconds at a terminal"
at_terminal 25 "$engine loop class --preset tutorial" | tail -3

say "loop: --games 10, within 90 seconds"
timeout 90 "$engine" loop ten --preset tutorial --games 10 2>/dev/null | tail -1 || true
