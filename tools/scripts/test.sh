#!/bin/sh
# test.sh [GO TEST ARGUMENT...]: go test, and then how long the ten slowest packages took.
said=$(mktemp)
trap 'rm -f "$said"' EXIT
{ "${GO:-go}" test "$@"; echo $? >"$said.code"; } | tee "$said"
code=$(cat "$said.code")
rm -f "$said.code"
slowest=$(sed -nE 's/^(ok|FAIL)[ \t]+([^ \t]+)[ \t]+([0-9.]+)s.*/\3 s  \2/p' "$said" | sort -rn | head -n 10)
[ -z "$slowest" ] || printf 'the slowest packages:\n%s\n' "$slowest"
exit "$code"
