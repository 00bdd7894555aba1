#!/usr/bin/env bash
# Exports a network from PyTorch in some forty ways, and has bin/engine play with
# each, train it and write it again; what was written is checked by
# onnx.checker and run by Python's onnxruntime. An export that is refused has to be
# told how to be made. PyTorch comes from the Python registry (some 3 GB), into the
# user's cache; KOSUMI_PYTHON names a python that has it already.
set -euo pipefail
cd "$(dirname "$0")/../.."
engine=$PWD/bin/engine
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kosumi/pytorch
if [ -z "${KOSUMI_PYTHON:-}" ]; then
	[ -x "$cache/bin/python" ] || python3 -m venv "$cache"
	"$cache/bin/pip" install --quiet --disable-pip-version-check -r tools/scripts/pytorch-requirements.txt
	KOSUMI_PYTHON=$cache/bin/python
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/exports" "$work/written"
"$KOSUMI_PYTHON" tools/scripts/pytorch_exports.py export "$work/exports" >/dev/null
"$engine" selfplay --method random --boardsize 9 --games 40 --out "$work/games" --seed 1 --log-level error >/dev/null 2>&1

played=0 trained=0 told=0 failed=0
complain() {
	echo "FAILED $1: $2" >&2
	failed=$((failed + 1))
}
# try NAME COMMAND...: 0 if it works, 1 if it says which export to make instead.
try() {
	local name=$1 said
	shift
	if said=$("$@" 2>&1 >/dev/null </dev/null); then
		return 0
	fi
	case $said in
	*torch.onnx.export*) told=$((told + 1)) ;;
	*) complain "$name" "$said" ;;
	esac
	return 1
}
for file in "$work"/exports/*.onnx; do
	name=$(basename "$file" .onnx)
	if try "$name" "$engine" benchmark --model "$file" --seconds 0.05 --rounds 1 --log-level error; then
		played=$((played + 1))
		if try "$name" "$engine" train --model "$file" --data "$work/games/sgfs" --steps 2 --batch 32 -o "$work/$name" --log-level error; then
			trained=$((trained + 1))
			mv "$work/$name/model.onnx" "$work/written/$name.onnx"
		fi
	fi
done
"$KOSUMI_PYTHON" tools/scripts/pytorch_exports.py check "$work"/written/*.onnx
echo "$played played, $trained trained, $(ls "$work/written" | wc -l) written and run again, $told told how to export, $failed failed"
[ "$failed" = 0 ]
