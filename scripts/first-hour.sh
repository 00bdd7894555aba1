#!/bin/sh
# first-hour.sh ENGINE [player|researcher]: walks what a player, and what a
# researcher, meets first, at a terminal of 80 columns, and says for each step what
# came of it. With two programs to compare, run it with each. Needs tmux, curl and
# GNU Go; takes some minutes.
set -eu

engine=$(readlink -f "${1:?usage: first-hour.sh ENGINE [player|researcher]}")
who=${2:-both}
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

# typed LINE: types a line into the terminal and shows what came of it, once a
# screen has stayed the same for two seconds.
typed() {
	tmux clear-history -t $session
	tmux send-keys -t $session -l "$1"
	tmux send-keys -t $session Enter
	before=
	for _ in $(seq 60); do
		sleep 2
		now=$(tmux capture-pane -p -t $session -S -100)
		[ "$now" = "$before" ] && [ -n "$now" ] && break
		before=$now
	done
	say "player: $1"
	printf '%s\n' "$now" | sed '/^ *$/d' | tail -"${2:-4}"
}

player() {
	export XDG_CONFIG_HOME="$dir/config" # games and levels of this user stay out of it
	say "player: the first move, from the start of the program"
	start=$(date +%s%N)
	printf 'genmove b\nquit\n' | "$engine" gtp --visits 50 2>/dev/null | grep '^= [A-Z]'
	echo "$((($(date +%s%N) - start) / 1000000)) ms"

	tmux new-session -d -s $session -x 80 -y 50 "XDG_CONFIG_HOME=$XDG_CONFIG_HOME '$engine' gtp --time 1; sleep 600"
	sleep 4
	typed "" 4
	typed help 12
	typed "help genmove" 6
	typed D4 14
	typed hint 2
	typed score 3
	typed undo 2
	typed "level 10k" 2
	typed "boardsize 19" 3
	typed genmvoe 2
	typed quit 1
	tmux kill-session -t $session 2>/dev/null || true

	say "player: the page"
	"$engine" web --no-open >web.txt 2>web.err &
	page=$!
	for _ in $(seq 30); do [ -s web.txt ] && break; sleep 1; done
	curl -s -o page.html -w '%{http_code}, %{size_download} bytes\n' "$(sed 's/#.*//;1q' web.txt)"
	kill $page
	wait $page 2>/dev/null || true

	say "player: under the name of KataGo, as a GUI starts it"
	"$engine" install-as-katago "$dir/katago" | tail -1 >line.txt
	printf 'boardsize 9\ngenmove b\nquit\n' | sh -c "$(cat line.txt)" 2>/dev/null | grep '^= [A-Z]'
}

case $who in player | both) (player) ;; esac
[ "$who" != player ] || exit 0

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
