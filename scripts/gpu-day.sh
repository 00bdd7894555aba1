#!/usr/bin/env bash
# Everything that a machine with one NVIDIA GPU should answer, in one run of at most
# ten minutes, the most important first. The machine may be bare and without a
# network: a driver, bash, coreutils, gzip and awk are enough. docs/performance.md says how
# to use it; `gpu-day.sh help` lists the commands and options.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
parcels=$root/bin/gpu-day
if ! [ -e "$root/go.mod" ]; then # an archive or a package
	: "${ENGINE:=$([ -x "$root/engine" ] && echo "$root/engine" || command -v kosumi)}"
fi
piece=48 # MiB of a parcel: 64 with the checkout and some air
limit=600
out=${OUT:-$root/bin/gpu-day/results}
dry='' only='' from='' cuda_dir='' force_cpu='' teacher='' plugin=''

# The steps in their order, with the seconds that each may take, what it needs and
# what it answers.
steps=(look train raw agree search selfplay webgpu auto teach)
declare -A bound=([look]=20 [train]=150 [teach]=120 [raw]=160 [agree]=75 [search]=105 [selfplay]=50 [webgpu]=40 [auto]=90)
declare -A needs=(
	[look]='driver'
	[train]='CUDA; rows and network are made here'
	[teach]='CUDA; a strong network, which pack --teacher brings: without one, one with random weights shows that it works'
	[raw]='CUDA; networks with random weights are made here'
	[agree]='CUDA, and a CPU to compare with'
	[search]='CUDA'
	[selfplay]='CUDA; the network inside the program'
	[webgpu]='a library with WebGPU (the CPU build of npm has it), libvulkan.so.1, a Vulkan driver'
	[auto]='nothing; a plugin too where --plugin names one or pack --plugin has brought it'
)
declare -A answers=(
	[look]='card, driver, libraries that are here already, what the engine can use'
	[train]='does engine train --provider cuda learn: losses held out before and after 200 steps, beside the CPU; steps a second of both'
	[teach]='labels a second, samples a second, how far the network inside is from the teacher before and after; its weights come back. --only teach takes all of --limit'
	[raw]='evaluations a second alone: kb6c96 on 9x9, kb10c384h6nbttflrs and kb18c384nbt-mish on 19x19, fp32 and fp16, batches of 8 to 256'
	[agree]='largest difference of winrate, lead and policy from fp32 on the CPU'
	[search]='evaluations a second in one search over alone, by sessions and evaluations under way'
	[selfplay]='games an hour'
	[webgpu]='the same network by WebGPU over Vulkan beside CUDA'
	[auto]='the devices that the engine lists, what --provider auto measured of two networks and took, and what a plugin makes'
)

say() { printf 'gpu-day: %s\n' "$*" >&2; }
die() {
	say "$@"
	exit 1
}
usage() {
	cat >&2 <<-'TEXT'
		usage: gpu-day.sh [run] [--dry-run] [--only STEP] [--from STEP] [--out DIR] [--limit SECONDS] [--plugin FILE] [--cpu]
		       gpu-day.sh pack [--cuda DIR] [--teacher FILE] [--plugin FILE] [--piece MIB]
		       gpu-day.sh unpack
		  run      every step that has not been done in DIR yet; a step that fails stops none
		  --dry-run  the plan, with what each step needs and may take
		  --only   one step, again if it was done; --from: this one and those behind it
		  --out    folder of the results; default $OUT, else bin/gpu-day/results
		  --limit  seconds of the whole run, 600 unless said
		  --plugin a library of execution providers for onnxruntime, which the step auto tries; pack brings
		           the libraries in its folder with it
		  --cpu    the CPU in place of the GPU, small, to try the script
		  pack     cut program ($ENGINE, else built now) and libraries into parcels in bin/gpu-day, to be
		           carried one by one; --cuda: the folder of fetch-onnxruntime.sh --cuda;
		           --teacher: the network whose answers the step teach labels with (.bin.gz)
		  unpack   join the parcels that have arrived, and verify them
		steps: look train raw agree search selfplay webgpu auto teach
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
	(cd "$work" && sha256sum -- * && tar cf - -- * | gzip -6 | split -d -b "${piece}M" - "$parcels/$name.tgz.") >"$parcels/$name.sha256" || return 1
	(cd "$parcels" && sha256sum "$name".tgz.*) >"$parcels/$name.pieces" || return 1
	rm -rf "$work"
}

pack() {
	mkdir -p "$parcels"
	local engine="$parcels/stripped/engine" cpu=${XDG_CACHE_HOME:-$HOME/.cache}/kosumi/onnxruntime n=0 file
	mkdir -p "$parcels/stripped"
	if [ -n "${ENGINE:-}" ]; then
		cp "$ENGINE" "$engine" || die "$ENGINE could not be copied"
	else
		(cd "$root" && go build -ldflags '-s -w' -o "$engine" ./cmd/engine) || die "the program could not be built"
	fi
	cpu=$(find "$cpu" -maxdepth 2 -name libonnxruntime.so -not -path '*-cuda/*' 2>/dev/null | sort | tail -1)
	bundle program "$engine" || die "the program could not be packed"
	rm -rf "$parcels/stripped"
	if [ -z "$cuda_dir" ]; then
		cuda_dir=$(find "${XDG_CACHE_HOME:-$HOME/.cache}/kosumi/onnxruntime" -maxdepth 1 -name '*-cuda' 2>/dev/null | sort | tail -1)
	fi
	if [ -f "$cuda_dir/libonnxruntime_providers_cuda.so" ]; then
		bundle cuda "$cuda_dir"/libonnxruntime.so "$cuda_dir"/libonnxruntime_providers_shared.so "$cuda_dir"/libonnxruntime_providers_cuda.so ||
			die "onnxruntime's CUDA build could not be packed"
	else
		say "onnxruntime's CUDA build is not here: fetch-onnxruntime.sh --cuda, then pack again"
	fi
	if [ -n "$cpu" ]; then
		bundle webgpu "$cpu" || die "onnxruntime's CPU build could not be packed"
	fi
	if [ -n "$teacher" ]; then
		[ -f "$teacher" ] || die "$teacher is not there"
		mkdir -p "$parcels/stripped"
		cp "$teacher" "$parcels/stripped/teacher.bin.gz"
		bundle teacher "$parcels/stripped/teacher.bin.gz" || die "$teacher could not be packed"
		rm -rf "$parcels/stripped"
	fi
	if [ -n "$plugin" ]; then
		[ -f "$plugin" ] || die "$plugin is not there"
		bundle plugin "$(dirname "$plugin")"/*.so* || die "$plugin could not be packed"
		basename "$plugin" >"$parcels/plugin.name"
	fi
	echo "parcels in $parcels; carry, one call each, what stands in one line, the .sha256, .pieces and .name files with it:"
	for file in "$parcels"/program.tgz.* "$parcels"/cuda.tgz.* "$parcels"/webgpu.tgz.* "$parcels"/teacher.tgz.* "$parcels"/plugin.tgz.*; do
		[ -f "$file" ] || continue
		n=$((n + 1))
		printf '  %2d  bin/gpu-day/%s  %5.1f MiB\n' "$n" "$(basename "$file")" "$(awk -v b="$(stat -c %s "$file")" 'BEGIN { print b / 1048576 }')"
	done
	(cd "$root" && git ls-files -z | xargs -0 cat | wc -c) | awk '{ printf "  the checkout takes %.1f MiB of each call\n", $1 / 1048576 }'
	echo "then, there: scripts/gpu-day.sh unpack && scripts/gpu-day.sh run"
}

# unbundle NAME FOLDER: 0 if it is there and right, or not needed.
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
	unbundle webgpu "$parcels/lib-webgpu" || rc=1
	[ ! -f "$parcels/teacher.pieces" ] || unbundle teacher "$parcels/teacher" || rc=1
	[ ! -f "$parcels/plugin.pieces" ] || unbundle plugin "$parcels/plugin" || rc=1
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
		teach_size=19 teach_check=2048 teach_batch=256 teach_sessions=4 teach_precision=fp16
		searches=(1:64:64 2:64:256 2:256:1024 4:256:1024) play_parallel=1024 play_sessions=4 play_batch=256 play_seconds=30 play_visits=64
	else
		nets=(kb2c32:9 kb2c32h2nbttflrs:9 kb2c32nbt-mish:9)
		batches=(8 32) precisions=(fp32 fp16) seconds=0.2
		train_arch=kb2c16 train_steps=40 train_batch=32 train_games=40
		teach_size=9 teach_check=128 teach_batch=32 teach_sessions=1 teach_precision=fp32
		searches=(1:8:16 2:8:64) play_parallel=4 play_sessions=1 play_batch=4 play_seconds=15 play_visits=6
	fi
}

# ---- results ----------------------------------------------------------------

# result prints and keeps a line, at once.
result() { printf '%s\t%s\n' "$step" "$*" | tee -a "$out/results.txt"; }

# left prints the seconds that the whole run still has, at least 0.
left() { echo $((deadline > SECONDS ? deadline - SECONDS : 0)); }

# within SECONDS COMMAND...: no longer than that, than the step and than the run.
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

# number FIELD: the value of a field in JSON from stdin, the first of that name.
number() { grep -o "\"$1\": *-\?[0-9.eE+-]*" | head -1 | sed 's/.*: *//'; }

# short NUMBER: as people read it.
short() { awk -v x="$1" 'BEGIN { printf (x >= 100 ? "%.0f" : x >= 1 ? "%.2f" : "%.4f"), x }'; }

# network ARCH: makes it once, prints its file.
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
	result "Vulkan: $(ldconfig -p 2>/dev/null | awk '/libvulkan.so.1/ { print $NF; exit }' | grep . || echo 'no libvulkan.so.1')"
	within 15 "$engine" doctor --all 2>&1 | grep -E 'provider (cuda|tensorrt|webgpu)|^ok *(program|processor)' | while read -r line; do result "$line"; done
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

# label_into FOLDER SECONDS ARGUMENTS...: labels until the time is over, which ^C tells
# it, or until there are enough; leaves its report in $work/label.json.
label_into() {
	local to=$1 seconds=$2
	shift 2
	[ "$seconds" -gt 0 ] || return 1
	timeout -s INT -k 20 "$seconds" "$engine" label --teacher "$strong" -o "$to" --boardsize "$teach_size" --provider "$provider" --precision "$teach_precision" \
		--sessions "$teach_sessions" --batch "$teach_batch" --json --log-level warn "$@" >"$work/label.json" 2>>"$out/log.txt"
	[ "$(number rows <"$work/label.json")" -gt 0 ] 2>/dev/null
}

# taught STEPS SECONDS: trains up to a step, and goes on with what was trained before.
taught() {
	within "$2" "$engine" train --data "$work/labels" --validate "$work/check" -o "$work/taught" --steps "$1" --batch "$teach_batch" --optimizer muon --lr 0.0005 \
		--warmup 10 --average-every $((8 * teach_batch)) --validate-every 100000 --provider "$provider" --json --log-level warn >"$work/taught.json"
}

# distance WHEN: how far the network was from its teacher, in nats.
distance() { sed -n "/\"$1\"/,\$p" "$work/taught.json" | grep -A1 '"policy_kl"' | number mean; }

step_teach() {
	local rest first=20 last seconds
	strong=$parcels/teacher/teacher.bin.gz
	if [ ! -f "$strong" ]; then
		result "no teacher was packed: one with random weights shows that the step works"
		strong=$(network kb2c32) || return 1
	fi
	rest=$((step_end - SECONDS))
	label_into "$work/check" $((rest / 6)) --rows "$teach_check" || { result "no label in $((rest / 6)) s"; return 1; }
	label_into "$work/labels" $((rest / 3)) || { result "no label in $((rest / 3)) s"; return 1; }
	result "$(sed -n 's/^ *"teacher": "\(.*\)",/\1/p' "$work/label.json") on ${teach_size}x$teach_size: $(number rows <"$work/label.json") labels, $(short "$(number labels_per_second <"$work/label.json")") a second," \
		"$(short "$(number evaluations_per_second <"$work/label.json")") evaluations/s, batches of $(short "$(number mean_batch <"$work/label.json")")"
	# The first steps say how many there is time for; the same run goes on.
	taught "$first" $((step_end - SECONDS)) || { result "training failed, see log.txt"; return 1; }
	seconds=$((step_end - SECONDS - 20))
	last=$(awk -v r="$(number samples_per_second <"$work/taught.json")" -v s="$seconds" -v b="$teach_batch" -v f="$first" 'BEGIN { n = int(0.7 * r * s / b); print f + (n > 0 ? n : 0) }')
	if [ "$last" -gt "$first" ]; then
		taught "$last" $((step_end - SECONDS)) || result "training was cut off, see log.txt"
	fi
	cp "$work/taught/model.bin.gz" "$out/taught.bin.gz" || return 1
	result "$last steps of $teach_batch: $(short "$(number samples_per_second <"$work/taught.json")") samples/s; nats from the teacher" \
		"$(short "$(distance before)") before, $(short "$(distance after)") after; weights in $out/taught.bin.gz"
	awk -v a="$(distance before)" -v b="$(distance after)" 'BEGIN { exit !(b < a) }' || { result "IT DID NOT COME CLOSER TO ITS TEACHER"; return 1; }
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
	result "CUDA graphs: not measured; they want inputs bound to the device, which sessions of this program do not do yet"
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

step_selfplay() {
	rm -rf "$work/games"
	[ "$(left)" -gt $((play_seconds + 15)) ] || return 1
	# It ends by ^C: what was finished by then is kept and summed up.
	timeout -s INT -k 15 "$play_seconds" "$engine" selfplay --out "$work/games" --boardsize 9 --parallel "$play_parallel" --sessions "$play_sessions" --batch "$play_batch" \
		--visits "$play_visits" --cheap-visits $((play_visits / 3)) --provider "$provider" --precision "${precisions[-1]}" --seed 1 --json --log-level warn \
		>"$work/play.json" 2>>"$out/log.txt"
	grep -q games_per_hour "$work/play.json" || return 1
	printf '{"step": "%s", "result": %s}\n' "$step" "$(tr -d '\n' <"$work/play.json")" >>"$out/results.jsonl"
	result "9x9, the network inside, $play_visits visits, $play_parallel games at once: $(short "$(number games_per_hour <"$work/play.json")") games an hour," \
		"$(short "$(number evaluations_per_second <"$work/play.json")") evaluations/s, batches of $(short "$(number mean_batch <"$work/play.json")")"
	[ "$(number games <"$work/play.json")" -gt 0 ] || { result "no game came to its end in $play_seconds s"; return 1; }
}

step_webgpu() {
	local net=${nets[0]} with=() by=webgpu
	[ -f "$parcels/lib-webgpu/libonnxruntime.so" ] && with=(--onnxruntime "$parcels/lib-webgpu")
	if ! within 15 env -u KOSUMI_ONNXRUNTIME "$engine" doctor --all "${with[@]}" 2>/dev/null | tee "$work/doctor.txt" | grep -q '^ok *provider webgpu'; then
		result "WebGPU: $(sed -n 's/^[a-z]* *provider webgpu: //p' "$work/doctor.txt" | head -1)"
		[ "$provider" = cpu ] || return 1
		result "the CPU in its place:"
		by=cpu
	fi
	local p
	for p in "$by" "$provider"; do
		if [ "$p" = webgpu ]; then
			(unset KOSUMI_ONNXRUNTIME && bench "${net%:*}" "${net#*:}" --provider "$p" --precision fp32 --sessions 1 --batch 32 --threads 128 "${with[@]}")
		else
			bench "${net%:*}" "${net#*:}" --provider "$p" --precision fp32 --sessions 1 --batch 32 --threads 128
		fi || return 1
		result "${net%:*} fp32 batch 32 by $p: $(short "$(number raw_evals_per_second <"$work/bench.json")") evaluations/s"
	done
}

# by_auto FILE BOARD ARGUMENTS...: what auto measures, which no earlier start has, and takes.
by_auto() {
	within 45 env XDG_CACHE_HOME="$work/cache" ${library:+KOSUMI_ONNXRUNTIME="$library"} "$engine" benchmark --model "$1" --boardsize "$2" --provider auto \
		--rounds 1 --seconds "$seconds" --cache 64 --json --log-level info "${@:3}" >"$work/bench.json"
}

step_auto() {
	local net name file library before with=() rc=0
	[ -n "$plugin" ] || ! [ -f "$parcels/plugin.name" ] || plugin=$parcels/plugin/$(cat "$parcels/plugin.name")
	[ -z "$plugin" ] || with=(--plugin "$plugin")
	within 25 "$engine" doctor --all "${with[@]}" >"$work/doctor.txt" 2>&1
	grep -E '^[a-z]+ +(device|plugin)' "$work/doctor.txt" | while read -r line; do result "$line"; done
	library=$(sed -n 's/^ok *onnxruntime: \(.*\), version .*/\1/p' "$work/doctor.txt" | head -1)
	for net in "${nets[0]}" "${nets[-1]}"; do
		name=${net%:*}
		before=$(wc -l <"$out/log.txt")
		if file=$(network "$name") && by_auto "$file" "${net#*:}" "${with[@]}"; then
			result "$name ${net#*:}x${net#*:} by auto: $(sed -n 's/.*"provider": "\(.*\)".*/\1/p' "$work/bench.json" | head -1)," \
				"$(tail -n "+$((before + 1))" "$out/log.txt" | grep -o '[A-Za-z ]* is the fastest here[^"]*' | head -1 | grep . || echo 'there was nothing to measure')"
		else
			result "$name by auto: failed, see log.txt"
			rc=1
		fi
	done
	[ -n "$plugin" ] || { result "no plugin was named: --plugin FILE tries one"; return $rc; }
	if bench "${nets[0]%:*}" "${nets[0]#*:}" --provider plugin "${with[@]}" --precision fp32 --sessions 1 --batch 32 --threads 128; then
		result "${nets[0]%:*} fp32 batch 32 by the plugin: $(short "$(number raw_evals_per_second <"$work/bench.json")") evaluations/s"
	else
		result "the plugin: failed, see log.txt"
		rc=1
	fi
	return $rc
}

# ---- the run ----------------------------------------------------------------

chosen() {
	local s on=''
	for s in "${steps[@]}"; do
		[ "$s" = "$from" ] && on=yes
		if [ -n "$only" ]; then
			[ "$s" = "$only" ] && echo "$s"
		elif [ -z "$from" ] || [ -n "$on" ]; then
			echo "$s"
		fi
	done
}

plan() {
	local s sum=0
	echo "in this order, results in $out, $limit seconds for the whole:"
	for s in $(chosen); do
		sum=$((sum + bound[$s]))
		printf '%-9s at most %3d s; needs %s\n%-9s answers: %s\n' "$s" "${bound[$s]}" "${needs[$s]}" '' "${answers[$s]}"
	done
	echo "together at most $sum s, cut off at $limit; program: ${ENGINE:-bin/engine}; onnxruntime with CUDA: $(ort_folder | grep . || echo 'none here: scripts/gpu-day.sh pack makes parcels of it')"
}

run() {
	mkdir -p "$out" || die "$out cannot be written"
	deadline=$((SECONDS + limit))
	work=$(mktemp -d) || die "no folder for temporary files"
	trap 'rm -rf "$work"' EXIT
	settle
	local failed=0 began rc
	for step in $(chosen); do
		if [ -z "$only" ] && [ -z "$from" ] && grep -qx "$step" "$out/done" 2>/dev/null; then
			say "$step: done before; --only $step does it again"
			continue
		fi
		if [ "$(left)" -lt 5 ]; then
			result "not run: the $limit seconds are over; --from $step goes on"
			failed=1
			break
		fi
		began=$SECONDS
		step_end=$((SECONDS + bound[$step]))
		[ "$only" != teach ] || step_end=$deadline
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
	--dry-run) dry=yes ;;
	--cpu) force_cpu=yes ;;
	--only | --from | --out | --limit | --cuda | --teacher | --plugin | --piece)
		[ -n "${2:-}" ] || usage
		case $1 in
		--only) only=$2 ;;
		--from) from=$2 ;;
		--out) out=$2 ;;
		--limit) limit=$2 ;;
		--cuda) cuda_dir=$2 ;;
		--teacher) teacher=$2 ;;
		--plugin) plugin=$2 ;;
		--piece) piece=$2 ;;
		esac
		shift
		;;
	*) usage ;;
	esac
	shift
done
[[ $limit =~ ^[1-9][0-9]*$ && $piece =~ ^[1-9][0-9]*$ ]] || usage
for s in $only $from; do
	[[ " ${steps[*]} " == *" $s "* ]] || { say "there is no step $s: ${steps[*]}"; exit 2; }
done
case $command in
run) if [ -n "$dry" ]; then plan; else run; fi ;;
*) "$command" ;;
esac
