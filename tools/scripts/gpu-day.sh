#!/usr/bin/env bash
# Everything that a machine with one NVIDIA GPU should answer, in one run of at most
# ten minutes, the most important first. The machine may be bare and without a
# network: a driver, bash, coreutils, gzip and awk are enough. docs/performance.md says how
# to use it; `gpu-day.sh help` lists the commands and options.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
parcels=$root/bin/gpu-day
if ! [ -e "$root/go.mod" ]; then # an archive or a package
	: "${ENGINE:=$([ -x "$root/engine" ] && echo "$root/engine" || command -v kosumi)}"
fi
limit=600
out=${OUT:-$root/bin/gpu-day/results}
only='' force_cpu=''

# The steps in their order, with the seconds that each may take.
steps=(look train raw agree search)
declare -A bound=([look]=20 [train]=150 [raw]=160 [agree]=75 [search]=105)

say() { printf 'gpu-day: %s\n' "$*" >&2; }
die() {
	say "$@"
	exit 1
}
usage() {
	cat >&2 <<-'TEXT'
		usage: gpu-day.sh [run] [--only STEP] [--out DIR] [--limit SECONDS] [--cpu]
		       gpu-day.sh pack
		       gpu-day.sh unpack
		  run      every step that has not been done in DIR yet; a step that fails stops none
		    look     card, driver, libraries, what the engine can use
		    train    does the network learn on the GPU as on the CPU, and how fast
		    raw      evaluations a second of three networks alone, fp32 and fp16, batches of 8 to 256
		    agree    largest difference of winrate, lead and policy from fp32 on the CPU
		    search   evaluations a second in one search, by sessions and evaluations under way
		  --only   one step, again if it was done
		  --out    folder of the results; default $OUT, else bin/gpu-day/results
		  --limit  seconds of the whole run, 600 by default
		  --cpu    the CPU in place of the GPU, small, to try the script
		  pack     cut program ($ENGINE, else built now) and onnxruntime's CUDA build, which
		           fetch-onnxruntime.sh --cuda fetches, into parcels of 48 MiB in bin/gpu-day
		  unpack   join the parcels that have arrived, and verify them
		exit status: 0 every step answered, 1 one did not, 2 wrong usage
	TEXT
	exit 2
}

# ---- parcels ----------------------------------------------------------------

# bundle NAME FILE...: a compressed archive of the files, without their folders, cut
# into pieces, its sums in NAME.sha256.
bundle() {
	local name=$1 work
	shift
	work=$(mktemp -d) || return 1
	cp "$@" "$work/" || return 1
	rm -f "$parcels/$name".tgz.*
	(cd "$work" && sha256sum -- * && tar cf - -- * | gzip -6 | split -d -b 48M - "$parcels/$name.tgz.") >"$parcels/$name.sha256" || return 1
	(cd "$parcels" && sha256sum "$name".tgz.*) >"$parcels/$name.pieces" || return 1
	rm -rf "$work"
}

pack() {
	local engine="$parcels/stripped/engine" cuda
	mkdir -p "$parcels/stripped"
	if [ -n "${ENGINE:-}" ]; then
		cp "$ENGINE" "$engine" || die "$ENGINE could not be copied"
	else
		(cd "$root" && go build -ldflags '-s -w' -o "$engine" ./cmd/engine) || die "the program could not be built"
	fi
	bundle program "$engine" || die "the program could not be packed"
	rm -rf "$parcels/stripped"
	cuda=$(find "${XDG_CACHE_HOME:-$HOME/.cache}/kosumi/onnxruntime" -maxdepth 1 -name '*-cuda' 2>/dev/null | sort | tail -1)
	if [ -f "$cuda/libonnxruntime_providers_cuda.so" ]; then
		bundle cuda "$cuda"/libonnxruntime.so "$cuda"/libonnxruntime_providers_shared.so "$cuda"/libonnxruntime_providers_cuda.so ||
			die "onnxruntime's CUDA build could not be packed"
	else
		say "onnxruntime's CUDA build is not here: fetch-onnxruntime.sh --cuda, then pack again"
	fi
	echo "carry these, each with the .sha256 and .pieces of its name; then, there: tools/scripts/gpu-day.sh unpack && tools/scripts/gpu-day.sh run"
	(cd "$parcels" && du -h --apparent-size program.tgz.* cuda.tgz.* 2>/dev/null)
}

# unbundle NAME FOLDER: unpacks a bundle and verifies it, unless its files are in place already.
unbundle() {
	local name=$1 to=$2
	[ -f "$parcels/$name.pieces" ] || { say "$name: no parcel has arrived"; return 1; }
	if (cd "$to" 2>/dev/null && sha256sum --quiet -c "$parcels/$name.sha256" >/dev/null 2>&1); then
		echo "$name: in place in $to"
		return 0
	fi
	(cd "$parcels" && sha256sum --quiet -c "$name.pieces") >&2 || { say "$name: carry the parcels above again, then unpack again"; return 1; }
	mkdir -p "$to"
	cat "$parcels/$name".tgz.* | gzip -dc | tar xf - -C "$to" || return 1
	(cd "$to" && sha256sum --quiet -c "$parcels/$name.sha256") >&2 || { say "$name: what came out is not what was packed"; return 1; }
	echo "$name: joined and verified in $to"
}

unpack() {
	local rc=0
	unbundle program "$root/bin" || rc=1
	chmod +x "$root/bin/engine" 2>/dev/null
	unbundle cuda "$parcels/lib" || rc=1
	return $rc
}

# ---- what is here -----------------------------------------------------------

# cuda_folders prints the folders that hold CUDA's libraries: what an operator has
# brought, those of the driver, of the toolkit and of Python packages.
cuda_folders() {
	timeout 8 find "$parcels/lib" /usr/local /usr/lib /opt "$HOME" -maxdepth 10 \( -name 'libcudart.so.*' -o -name 'libcublas*.so.*' -o -name 'libcudnn*.so.*' \
		-o -name 'libcurand.so.*' -o -name 'libcufft.so.*' -o -name 'libnvrtc.so.*' -o -name 'libcuda.so.*' \) -printf '%h\n' 2>/dev/null | sort -u
}

# ort_folder prints the folder of an onnxruntime with the CUDA provider: a parcel's,
# or that of a Python package which is here already.
ort_folder() {
	timeout 8 find "$parcels/lib" "${XDG_CACHE_HOME:-$HOME/.cache}/kosumi" /usr/local /usr/lib /opt -maxdepth 10 -name libonnxruntime_providers_cuda.so -printf '%h\n' 2>/dev/null | head -1
}

# settle finds program and libraries, once for all steps.
settle() {
	engine=${ENGINE:-$root/bin/engine}
	[ -x "$engine" ] || die "$engine is not there: make build, or carry the parcel and unpack"
	provider=cpu
	with_cuda=$(ort_folder) cuda_dirs=$(cuda_folders | paste -sd:)
	if [ -z "$force_cpu" ]; then
		if [ -n "$with_cuda" ]; then
			export KOSUMI_ONNXRUNTIME=${KOSUMI_ONNXRUNTIME:-$with_cuda}
			export LD_LIBRARY_PATH=$with_cuda${cuda_dirs:+:$cuda_dirs}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
		fi
		if "$engine" doctor --all 2>/dev/null | grep -q '^ok *provider cuda'; then
			provider=cuda
		else
			say "THERE IS NO GPU THAT THE ENGINE CAN USE HERE: every step is tried with the CPU in its place, and small"
		fi
	else
		say "--cpu: every step is tried with the CPU in the GPU's place, and small"
	fi
	if [ "$provider" = cuda ]; then
		nets=(kb6c96:9 kb10c384h6nbttflrs:19 kb18c384nbt-mish:19)
		batches=(8 64 256) precisions=(fp32 fp16) seconds=1
		train_arch=kb6c96 train_steps=200 train_batch=256 train_games=600
		searches=(1:64:64 2:64:256 2:256:1024 4:256:1024)
	else
		nets=(kb2c32:9 kb2c32h2nbttflrs:9 kb2c32nbt-mish:9)
		batches=(8 32) precisions=(fp32 fp16) seconds=0.2
		train_arch=kb2c16 train_steps=40 train_batch=32 train_games=40
		searches=(1:8:16 2:8:64)
	fi
}

# ---- results ----------------------------------------------------------------

# result prints a line and adds it to the results at once.
result() { printf '%s\t%s\n' "$step" "$*" | tee -a "$out/results.txt"; }

# left prints the seconds that the whole run still has, at least 0.
left() { echo $((deadline > SECONDS ? deadline - SECONDS : 0)); }

# within SECONDS COMMAND...: runs a command for at most the seconds, and no longer than the step
# and the whole run may take.
within() {
	local most=$1 rest
	shift
	rest=$(left)
	[ "$step_end" -gt "$SECONDS" ] || return 124
	[ "$most" -le $((step_end - SECONDS)) ] || most=$((step_end - SECONDS))
	[ "$most" -le "$rest" ] || most=$rest
	[ "$most" -gt 0 ] || return 124
	timeout -k 5 "$most" "$@" 2>>"$out/log.txt"
}

# number FIELD: prints the first value of a field in JSON from stdin.
number() { grep -o "\"$1\": *-\?[0-9.eE+-]*" | head -1 | sed 's/.*: *//'; }

# short NUMBER: prints a number in a form for people.
short() { awk -v x="$1" 'BEGIN { printf (x >= 100 ? "%.0f" : x >= 1 ? "%.2f" : "%.4f"), x }'; }

# network ARCH: makes a network of an architecture once, and prints its file.
network() {
	local file="$work/$1.bin.gz"
	[ -f "$file" ] || within 40 "$engine" net new --arch "$1" --seed 1 -o "$file" >>"$out/log.txt" || return 1
	echo "$file"
}

# ---- steps ------------------------------------------------------------------

step_look() {
	if command -v nvidia-smi >/dev/null; then
		result "card: $(within 10 nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | head -1)"
	else
		result "card: nvidia-smi is not here"
	fi
	result "processor: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
	result "onnxruntime with CUDA: ${with_cuda:-none}"
	result "CUDA libraries in: ${cuda_dirs:-none}"
	within 15 "$engine" doctor --all 2>&1 | grep -E 'provider (cuda|tensorrt)|^ok *(program|processor)' | while read -r line; do result "$line"; done
	[ -n "${KOSUMI_ONNXRUNTIME:-}" ] && result "KOSUMI_ONNXRUNTIME=$KOSUMI_ONNXRUNTIME"
	result "steps run on: $provider"
}

# train_on PROVIDER: trains, prints "before after samples/s".
train_on() {
	rm -rf "$work/train-$1"
	within "$2" "$engine" train --model "$work/$train_arch.bin.gz" --data "$work/rows" -o "$work/train-$1" --steps "$train_steps" --batch "$train_batch" \
		--validate-every 0 --validation 0.1 --loss score_error=0 --seed 1 --provider "$1" --json --log-level warn >"$work/train-$1.json" || return 1
	{
		sed -n '/"before"/,$p' "$work/train-$1.json" | number loss
		sed -n '/"after"/,$p' "$work/train-$1.json" | number loss
		number samples_per_second <"$work/train-$1.json"
	} | awk '{ printf "%s%.6g", (NR > 1 ? " " : ""), $1 }'
}

step_train() {
	[ -d "$work/rows" ] || within 30 "$engine" selfplay --method random --boardsize 9 --games "$train_games" --seed 1 --out "$work/rows" --log-level warn >>"$out/log.txt" 2>&1 ||
		return 1
	network "$train_arch" >/dev/null || return 1
	local device='' cpu=''
	device=$(train_on "$provider" 60) || result "on $provider: failed, see log.txt"
	[ -z "$device" ] || result "$provider: loss held out before, after $train_steps steps of $train_batch; samples/s: $device"
	if [ "$provider" = cpu ]; then
		result "there is no GPU to compare with"
	else
		cpu=$(train_on cpu 100) || result "on the CPU: failed or too slow, see log.txt"
		[ -z "$cpu" ] || result "cpu: loss held out before, after; samples/s: $cpu"
	fi
	[ -n "$device" ] || return 1
	awk -v d="$device" -v c="${cpu:-$device}" 'BEGIN {
		split(d, x, " "); split(c, y, " ")
		learnt = x[2] < x[1] - 0.001
		same = (x[2] - y[2]) / y[2]; if (same < 0) same = -same
		printf "%s: %.4f to %.4f; after it %.2f %% from the CPU; %.2f times as fast\n", learnt && same < 0.02 ? "LEARNS" : "DOES NOT LEARN AS THE CPU DOES", x[1], x[2], 100 * same, x[3] / y[3]
		exit !(learnt && same < 0.02)
	}' >"$work/verdict"
	local rc=$?
	result "$(cat "$work/verdict")"
	return $rc
}

# bench NETWORK BOARD ARGUMENTS...: one line of JSON to results.jsonl; its text is left
# in $work/bench.json.
bench() {
	local file
	file=$(network "$1") || return 1
	within 30 "$engine" benchmark --model "$file" --boardsize "$2" --rounds 1 --seconds "$seconds" --cache 64 --json --log-level error "${@:3}" >"$work/bench.json" || return 1
	printf '{"step": "%s", "result": %s}\n' "$step" "$(tr -d '\n' <"$work/bench.json")" >>"$out/results.jsonl"
}

step_raw() {
	local net name size precision batch rc=0
	for net in "${nets[@]}"; do
		name=${net%:*} size=${net#*:}
		for precision in "${precisions[@]}"; do
			for batch in "${batches[@]}"; do
				if bench "$name" "$size" --provider "$provider" --precision "$precision" --sessions 2 --batch "$batch" --threads $((4 * batch)); then
					result "$name ${size}x$size $precision batch $batch: $(short "$(number raw_evals_per_second <"$work/bench.json")") evaluations/s"
				else
					result "$name ${size}x$size $precision batch $batch: failed or out of time"
					rc=1
				fi
			done
		done
	done
	return $rc
}

# looks NETWORK BOARD PROVIDER PRECISION: what the network says of some positions.
looks() {
	local moves=(E5 C3 G7 C7 G3 D4 F6 E7 E3 C5 G5 D6) i
	{
		echo "boardsize $2"
		for i in "${!moves[@]}"; do
			[ $((i % 2)) = 0 ] && echo "play b ${moves[$i]}" || echo "play w ${moves[$i]}"
			[ $((i % 3)) = 2 ] && echo "kata-raw-nn 0"
		done
		echo quit
	} | within 40 "$engine" gtp --model "$1" --boardsize "$2" --provider "$3" --precision "$4" --sessions 1 --batch 1 --log-level error
}

step_agree() {
	local net name size precision file rc=0
	for net in "${nets[@]}"; do
		name=${net%:*} size=${net#*:}
		if ! file=$(network "$name") || ! looks "$file" "$size" cpu fp32 >"$work/cpu.txt"; then
			result "$name: the CPU does not answer"
			rc=1
			continue
		fi
		for precision in "${precisions[@]}"; do
			if ! looks "$file" "$size" "$provider" "$precision" >"$work/device.txt"; then
				result "$name $precision: failed"
				rc=1
				continue
			fi
			result "$name ${size}x$size $provider $precision beside fp32 on the CPU: $(paste -d' ' "$work/cpu.txt" "$work/device.txt" | awk '
				function far(a, b) { d = a - b; return d < 0 ? -d : d }
				$1 == "whiteWin" { n++; w = far($2, $4) > w ? far($2, $4) : w }
				$1 == "whiteLead" { l = far($2, $4) > l ? far($2, $4) : l }
				$1 == "policy" { p = 1; next }
				$1 ~ /^[a-z]/ { p = 0 }
				p { for (i = 1; i <= NF / 2; i++) if ($i != "NAN" && far($i, $(i + NF / 2)) > q) q = far($i, $(i + NF / 2)) }
				END { printf "%d positions, winrate within %.5f, lead %.4f, policy %.5f", n, w, l, q; exit !n }')"
		done
	done
	return $rc
}

step_search() {
	local net name size s rc=0 sessions batch threads
	for net in "${nets[@]}"; do
		name=${net%:*} size=${net#*:}
		for s in "${searches[@]}"; do
			IFS=: read -r sessions batch threads <<<"$s"
			if bench "$name" "$size" --provider "$provider" --precision "${precisions[-1]}" --sessions "$sessions" --batch "$batch" --threads "$threads"; then
				result "$name ${size}x$size, $sessions sessions, batch $batch, $threads under way: $(short "$(number search_evals_per_second <"$work/bench.json")") evaluations/s in one search," \
					"$(short "$(number raw_evals_per_second <"$work/bench.json")") alone, $(short "$(number visits_per_second <"$work/bench.json")") visits/s, batches of $(short "$(number mean_batch <"$work/bench.json")")"
			else
				result "$name ${size}x$size, $s: failed or out of time"
				rc=1
			fi
		done
	done
	return $rc
}

# ---- the run ----------------------------------------------------------------

run() {
	mkdir -p "$out" || die "$out cannot be written"
	deadline=$((SECONDS + limit))
	work=$(mktemp -d) || die "no folder for temporary files"
	trap 'rm -rf "$work"' EXIT
	settle
	local failed=0 began rc
	for step in ${only:-"${steps[@]}"}; do
		if [ -z "$only" ] && grep -qx "$step" "$out/done" 2>/dev/null; then
			say "$step: done before; --only $step does it again"
			continue
		fi
		if [ "$(left)" -lt 5 ]; then
			result "not run: the $limit seconds are over; the same command resumes"
			failed=1
			break
		fi
		began=$SECONDS
		step_end=$((SECONDS + bound[$step]))
		"step_$step"
		rc=$?
		if [ $rc = 0 ]; then
			echo "$step" >>"$out/done"
		else
			failed=1
		fi
		result "$( ((rc)) && echo FAILED || echo "done"), $((SECONDS - began)) s"
	done
	say "results in $out: results.txt, results.jsonl, log.txt"
	return $failed
}

command=run
case ${1:-} in
run | pack | unpack)
	command=$1
	shift
	;;
help | -h | --help) usage ;;
esac
while [ $# -gt 0 ]; do
	case $1 in
	--cpu) force_cpu=yes ;;
	--only | --out | --limit)
		[ -n "${2:-}" ] || usage
		case $1 in
		--only) only=$2 ;;
		--out) out=$2 ;;
		--limit) limit=$2 ;;
		esac
		shift
		;;
	*) usage ;;
	esac
	shift
done
[[ $limit =~ ^[1-9][0-9]*$ ]] || usage
[[ " ${steps[*]} " == *" ${only:-look} "* ]] || { say "there is no step $only: ${steps[*]}"; exit 2; }
"$command"
