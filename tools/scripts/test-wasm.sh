#!/bin/sh
# test-wasm.sh [GO TEST ARGUMENT...] PACKAGE...: the tests of some packages as a page runs
# them: Go and the kernels as WebAssembly, in node, 20 or newer. For example:
#   make kernel-wasm && tools/scripts/test-wasm.sh -run TestLayers -v ./nn/kernel
set -eu

: "${GO:=go}"
die() {
	echo "test-wasm: $*" >&2
	exit 1
}
# The arguments and variables of a Go program in node have 12 KiB together.
if [ "${1:-}" = --exec ]; then
	shift
	exec env -i PATH="$PATH" HOME="$HOME" CI="${CI:-}" KOSUMI_SHARED="${KOSUMI_SHARED:-}" "$("$GO" env GOROOT)/lib/wasm/go_js_wasm_exec" "$@"
fi
[ $# -gt 0 ] || die "usage: test-wasm.sh [GO TEST ARGUMENT...] PACKAGE..."
command -v node >/dev/null || die "node is needed, 20 or newer"
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$here/../../bin/page/kernel.wasm" ] || die "there are no kernels: run make kernel-wasm"
GOOS=js GOARCH=wasm exec "$GO" test -timeout 60m -exec "'$here/test-wasm.sh' --exec" "$@"
