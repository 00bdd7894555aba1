#!/bin/sh
# test-arm64.sh [GO TEST ARGUMENT...]: the tests of some packages as an ARM64
# program, emulated by qemu on this machine: correctness, not speed (a network runs
# some hundred times slower). For example:
#   tools/scripts/test-arm64.sh ./board ./nn/kernel
#   KOSUMI_ARM64_CPU=cortex-a72 tools/scripts/test-arm64.sh -run TestKernels -v ./nn/kernel
# Packages (Debian): qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross
# libstdc++6-arm64-cross. CC names another cross compiler. On an ARM64 machine the
# tests run without qemu.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dir=$here/../../bin/arm64
sysroot=${KOSUMI_ARM64_ROOT:-/usr/aarch64-linux-gnu}
core=${KOSUMI_ARM64_CPU:-neoverse-n1}
die() {
	echo "test-arm64: $*" >&2
	exit 1
}

[ $# -gt 0 ] || die "usage: test-arm64.sh [GO TEST ARGUMENT...] PACKAGE..."
case $(uname -m) in
aarch64 | arm64) exec "${GO:-go}" test "$@" ;;
esac

qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || die "qemu-aarch64 is needed (Debian: qemu-user-static)"
: "${CC:=aarch64-linux-gnu-gcc}"
command -v "${CC%% *}" >/dev/null || die "$CC is needed (Debian: gcc-aarch64-linux-gnu), or another cross compiler in CC"
[ -e "$sysroot/lib/libstdc++.so.6" ] || die "$sysroot/lib/libstdc++.so.6 is needed (Debian: libstdc++6-arm64-cross), or another root in KOSUMI_ARM64_ROOT"

# The part number and the features that a core has in qemu; onnxruntime reads them
# from /proc/cpuinfo, where the host's own would not do.
base="fp asimd evtstrm aes pmull sha1 sha2 crc32"
newer="$base atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp"
case $core in
cortex-a72) part=0xd08 features=$base ;;
cortex-a76) part=0xd0b features=$newer ;;
neoverse-n1) part=0xd0c features=$newer ;;
*) die "KOSUMI_ARM64_CPU=$core: use cortex-a72 (no dot product), cortex-a76 or neoverse-n1" ;;
esac

"$here/../../nn/ort/fetch-onnxruntime.sh" --platform linux/arm64 --dir "$dir/onnxruntime" >&2
root=$dir/$core
mkdir -p "$root/proc"
ln -sfn "$sysroot/lib" "$root/lib"
: >"$root/proc/cpuinfo"
for n in $(seq 0 $(($(nproc) - 1))); do
	cat >>"$root/proc/cpuinfo" <<-TEXT
		processor	: $n
		BogoMIPS	: 100.00
		Features	: $features
		CPU implementer	: 0x41
		CPU architecture: 8
		CPU variant	: 0x0
		CPU part	: $part
		CPU revision	: 0

	TEXT
done

export GOARCH=arm64 CGO_ENABLED=1 CC KOSUMI_ONNXRUNTIME="$dir/onnxruntime/libonnxruntime.so"
exec "${GO:-go}" test -timeout 60m -exec "$qemu -cpu $core -L $root" "$@"
