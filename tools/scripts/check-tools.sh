#!/bin/sh
# check-tools.sh: checks whether a program of full speed can be built here; if not, one line
# says what to install. GO, GOOS, GOARCH, CC and CGO_ENABLED have the same effect as in Go.
set -eu
: "${GO:=go}"
cd "$(dirname "$0")/../.."
die() {
	echo "make build: $*" >&2
	exit 1
}

need=$(sed -n 's/^go //p' go.mod)
command -v "$GO" >/dev/null || die "Go $need or newer is needed, and there is none on the path"
here=$(GOTOOLCHAIN=local "$GO" env GOVERSION 2>/dev/null) || here=$("$GO" version | cut -d' ' -f3)
newer() { [ "$(printf '%s\n' "$1" "$2" | sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1)" = "$1" ]; }
if ! newer "${here#go}" "$need"; then # from 1.21 on Go fetches the one that is needed
	newer "${here#go}" 1.21 || die "Go $need or newer is needed, here is ${here#go}"
	why=$("$GO" version 2>&1) || die "Go $need or newer is needed, here is ${here#go}, which could not fetch it: $why"
fi

target=$("$GO" env GOOS)/$("$GO" env GOARCH) host=$("$GO" env GOHOSTOS)/$("$GO" env GOHOSTARCH)
case $target in
*/386 | */arm | */mips | */mipsle) die "$target has 32 bits, and Kosumi needs 64" ;;
esac
slow="CGO_ENABLED=0 make build makes a program that needs none and is some 70 times slower"
if [ "$("$GO" env CGO_ENABLED)" = 0 ] && [ -n "$("$GO" env -changed CGO_ENABLED)" ]; then
	echo "make build: CGO_ENABLED=0: networks will run some 70 times slower" >&2
	exit 0
fi
cc=$("$GO" env CC)
if [ "$target" != "$host" ] && [ -z "$("$GO" env -changed CC)" ] && [ "${target%/*} ${host%/*}" != "darwin darwin" ]; then
	die "a C compiler for $target is needed: name it by CGO_ENABLED=1 CC=…; make release VERSION=0.1.0 TARGETS=$target fetches one. $slow"
fi
command -v "${cc%% *}" >/dev/null ||
	die "a C compiler is needed, and there is no ${cc%% *}: install gcc (Debian, Ubuntu: apt install build-essential; Fedora: dnf install gcc; macOS: xcode-select --install). $slow"
why=$(printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | $cc -x c -fsyntax-only - 2>&1) ||
	die "$cc does not compile C (Debian, Ubuntu: apt install build-essential): $(echo "$why" | head -n 1)"
[ "$("$GO" env CGO_ENABLED)" = 1 ] || die "Go does not use the C compiler $cc for $target: set CGO_ENABLED=1"
