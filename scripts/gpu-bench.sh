#!/bin/sh
# Measures a network on an NVIDIA GPU in fp32 and fp16, in turns, and says how much
# fp16 costs in accuracy:
#   scripts/gpu-bench.sh NETWORK [BOARDSIZE [BATCH [ROUNDS]]]
# It needs a GPU with its driver, CUDA and cuDNN, and the onnxruntime build with the
# CUDA provider (scripts/fetch-onnxruntime.sh --cuda). Where something of that is
# missing it says what and ends with 1; wrong usage is 2.
set -eu

ENGINE=${ENGINE:-bin/engine}
[ $# -ge 1 ] && [ $# -le 4 ] && [ -n "$1" ] || {
	echo "usage: $0 NETWORK [BOARDSIZE [BATCH [ROUNDS]]]; make gpu-bench MODEL=net.bin.gz" >&2
	exit 2
}
MODEL=$1 SIZE=${2:-19} BATCH=${3:-32} ROUNDS=${4:-3}

cuda=$("$ENGINE" doctor --all --boardsize "$SIZE" 2>/dev/null | grep 'provider cuda' || true)
case $cuda in
ok*) ;;
*)
	echo "gpu-bench: nothing was measured: onnxruntime cannot use an NVIDIA GPU here." >&2
	echo "gpu-bench: engine doctor says: ${cuda:-nothing about cuda: no onnxruntime library was found}" >&2
	exit 1
	;;
esac

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
round=1
while [ "$round" -le "$ROUNDS" ]; do
	for precision in fp32 fp16; do
		echo "round $round of $ROUNDS, $precision:"
		"$ENGINE" benchmark --provider cuda --precision "$precision" --model "$MODEL" --boardsize "$SIZE" \
			--sessions 2 --batch "$BATCH" --rounds 3 --seconds 3 --log-level warn
	done
	round=$((round + 1))
done
