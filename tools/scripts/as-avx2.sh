#!/bin/sh
# as-avx2.sh COMMAND...: runs a command as on a processor with AVX2 and nothing
# newer (no AVX-512, no VNNI, no AMX), at full speed. For go test -exec. as-avx2.c
# answers the cpuid instructions of a copy of onnxruntime; KOSUMI_PROCESSOR tells our
# Go code about the processor, KOSUMI_KERNELS our kernels. The copy is made once, in
# bin/avx2. Needs Linux on x86-64, a C compiler and binutils.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dir=$here/../../bin/avx2
die() {
	echo "as-avx2: $*" >&2
	exit 1
}

[ $# -gt 0 ] || die "usage: as-avx2.sh COMMAND..."
[ "$(uname -s) $(uname -m)" = "Linux x86_64" ] || die "this is for Linux on x86-64"

library=${KOSUMI_ONNXRUNTIME:-}
[ -n "$library" ] || library=$(ls -d "${XDG_CACHE_HOME:-$HOME/.cache}"/kosumi/onnxruntime/*[0-9] 2>/dev/null | sort -V | tail -n 1)
[ ! -d "$library" ] || library=$library/libonnxruntime.so
[ -f "$library" ] || die "no onnxruntime library: run make deps"

# mask copies the library and replaces each cpuid (0f a2) by hlt; nop (f4 90).
mask() {
	objdump -h "$library" | awk '$2 == ".text" { print "0x" $4, "0x" $6 }' >"$work/text"
	read -r address offset <"$work/text" || die "$library has no code"
	objdump -d --no-show-raw-insn -j .text "$library" | awk '$2 == "cpuid" { print "0x" $1 }' | tr -d : >"$work/places"
	[ -s "$work/places" ] || die "$library asks no cpuid"
	cp "$library" "$work/libonnxruntime.so"
	while read -r place; do
		at=$((place - address + offset))
		was=$(od -An -tx1 -j "$at" -N 2 "$library" | tr -d ' ')
		[ "$was" = 0fa2 ] || die "$library: $was at $place instead of cpuid"
		printf '\364\220' | dd of="$work/libonnxruntime.so" bs=1 seek="$at" conv=notrunc status=none
	done <"$work/places"
}

if ! [ "$dir/libonnxruntime.so" -nt "$library" ] || ! [ "$dir/as-avx2.so" -nt "$here/as-avx2.c" ] || ! [ "$dir/as-avx2.so" -nt "$here/as-avx2.sh" ]; then
	mkdir -p "$dir"
	work=$(mktemp -d "$dir/.new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	${CC:-cc} -O2 -Wall -Wextra -shared -fPIC -o "$work/as-avx2.so" "$here/as-avx2.c"
	mask
	mv -f "$work/libonnxruntime.so" "$dir/libonnxruntime.so"
	mv -f "$work/as-avx2.so" "$dir/as-avx2.so"
	rm -rf "$work"
	trap - EXIT
fi

export KOSUMI_ONNXRUNTIME="$dir/libonnxruntime.so" KOSUMI_PROCESSOR=avx2 KOSUMI_KERNELS=avx2
export LD_PRELOAD="$dir/as-avx2.so${LD_PRELOAD:+:$LD_PRELOAD}"
exec "$@"
