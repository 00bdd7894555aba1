#!/usr/bin/env bash
# Runs every fuzz target of the module in turn. Usage: tools/scripts/fuzz.sh [TIME]
set -eu
cd "$(dirname "$0")/../.."
time=${1:-20s}
grep -rlE '^func Fuzz[A-Z][A-Za-z0-9]*\(' --include='*_test.go' . | while read -r file; do
	dir=$(dirname "$file")
	sed -nE 's/^func (Fuzz[A-Za-z0-9]*)\(.*/\1/p' "$file" | while read -r target; do
		echo "== $dir $target"
		go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x </dev/null
	done
done
