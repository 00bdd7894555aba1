#!/bin/sh
# Puts the onnxruntime library where the engine looks for it:
#   ${XDG_CACHE_HOME:-~/.cache}/kosumi/onnxruntime/VERSION/        (CPU; the default)
#   ${XDG_CACHE_HOME:-~/.cache}/kosumi/onnxruntime/VERSION-cuda/   (--cuda)
#
# The files are Microsoft's own builds, taken out of packages of the npm and
# Python registries by whatever registry npm or pip is set up for. Each file is
# checked against the sha256 below before it is put in place. A second run finds
# the files, checks them and is done.
set -eu

VERSION=1.30.0

say() { printf 'fetch-onnxruntime: %s\n' "$*" >&2; }
# die ends it; the program, which says --why, tells the user itself what it gets from here.
die() {
	[ -n "$why" ] && echo "$*" || say "$@"
	exit 1
}
usage() {
	cat >&2 <<-'TEXT'
		usage: fetch-onnxruntime.sh [--cuda] [--from npm|pip] [--platform OS/ARCH] [--dir DIR] [--notices DIR] [--why TEXT]
		  --cuda      the build with the CUDA and TensorRT providers (Linux on x64;
		              about 250 MB to download, 300 MB on disk)
		  --from      where to take the CPU build from; without it npm, else pip
		  --platform  linux/x64 linux/arm64 darwin/arm64 win32/x64 win32/arm64
		  --dir       another folder to put the files in
		  --notices   a folder that gets the licence and the notices of the wheel
		  --why       what needs it, for people; a failure is told on standard output then
		exit status: 0 in place, 1 failed, 2 wrong usage
	TEXT
	exit 2
}
have() { command -v "$1" >/dev/null 2>&1; }

# plan prints one line a file: name to store it under, sha256, path inside the
# package. The library itself comes last: where it stands, all is in place.
plan() {
	case "$1 $2" in
	"npm linux/x64") echo "libonnxruntime.so ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23 package/bin/napi-v6/linux/x64/libonnxruntime.so.1" ;;
	"npm linux/arm64") echo "libonnxruntime.so 1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76 package/bin/napi-v6/linux/arm64/libonnxruntime.so.1" ;;
	"npm darwin/arm64") echo "libonnxruntime.dylib 685d2be5dba1309c89d3a5324b7fd06a5c42f1a61bfea32d14c4cc28d072121d package/bin/napi-v6/darwin/arm64/libonnxruntime.1.dylib" ;;
	"npm win32/x64")
		echo "DirectML.dll 234e8898778cdec88d3cb0539508273494082812c968699f3de665a018971625 package/bin/napi-v6/win32/x64/DirectML.dll"
		echo "dxil.dll cf9a3981263f8ec30c9905d136eeaf4b4573209c602198671b958ec86905dea8 package/bin/napi-v6/win32/x64/dxil.dll"
		echo "dxcompiler.dll 593d42df78c7f9cbd97c1374af107cfe20985759f98b77afc1448fe41ee3cc76 package/bin/napi-v6/win32/x64/dxcompiler.dll"
		echo "onnxruntime.dll 508c362f5673483dd3a086379c392795b2e42d10d5e6f3f90ebd7ac21c97af67 package/bin/napi-v6/win32/x64/onnxruntime.dll"
		;;
	"npm win32/arm64")
		echo "DirectML.dll aaf72a9d55aa123e0708d957d30dd4fbeb7a2e335ec6257ed5ff4261a402b9ee package/bin/napi-v6/win32/arm64/DirectML.dll"
		echo "dxil.dll 859b6d638c5ca3df39e9cab2a602cb0f63d0e63d750f84bb2a9ec9031319b73e package/bin/napi-v6/win32/arm64/dxil.dll"
		echo "dxcompiler.dll 442a995492579e1048cf1f05a86ab00f476c46b7f9d0996e588884040a543bbe package/bin/napi-v6/win32/arm64/dxcompiler.dll"
		echo "onnxruntime.dll 6c3a2abf5c6aca11c48a0d338a91af309f2266f25ce2e4084e6a87bbcb0fbfd0 package/bin/napi-v6/win32/arm64/onnxruntime.dll"
		;;
	"pip linux/x64") echo "libonnxruntime.so c902c70b3003c0e99fada202f37478c515ae9bba7944c2b2abd0017bae0c82ed onnxruntime/capi/libonnxruntime.so.1.30.0" ;;
	"pip linux/arm64") echo "libonnxruntime.so 8a218e1e446880131115c368ec7005969a5022af9a15a26173de648fef0b7789 onnxruntime/capi/libonnxruntime.so.1.30.0" ;;
	"pip darwin/arm64") echo "libonnxruntime.dylib b46713ea6a25a5227541c21001f6422c1ccdeaecc369aa026a61b752520325c3 onnxruntime/capi/libonnxruntime.1.30.0.dylib" ;;
	"pip win32/x64") echo "onnxruntime.dll e42c5c917207ff706530315177e39dca2539695a6a8d968a22225e34291b1f12 onnxruntime/capi/onnxruntime.dll" ;;
	"pip win32/arm64") echo "onnxruntime.dll 73f0a1ed25a088da5dbc5f76af9c32f8b7dd88033715078b0c04632a9d11f745 onnxruntime/capi/onnxruntime.dll" ;;
	"cuda linux/x64")
		echo "libonnxruntime_providers_shared.so 086ec1d5388f64153d9c63470d126693db9a182c8ce236d3a1119068471b8a0d onnxruntime/capi/libonnxruntime_providers_shared.so"
		echo "libonnxruntime_providers_tensorrt.so 4365c6412845f42d7de138055ad3dcff5d0fbca2d748e30e8a04aa3ab0643337 onnxruntime/capi/libonnxruntime_providers_tensorrt.so"
		echo "libonnxruntime_providers_cuda.so 35da2e7ed0dd0d1aec5cdb16ce11a51d06c0c48cf62d1b1c9332946a4fae14fc onnxruntime/capi/libonnxruntime_providers_cuda.so"
		echo "libonnxruntime.so 5a140dc17c8b60b35b2ceab0bb533e65ac54f06a208948417c1f9c31df6afc4c onnxruntime/capi/libonnxruntime.so.1.30.0"
		;;
	esac
}

# wheel_tag prints the platform that pip calls by this name.
wheel_tag() {
	case "$1" in
	linux/x64) echo manylinux_2_28_x86_64 ;;
	linux/arm64) echo manylinux_2_28_aarch64 ;;
	darwin/arm64) echo macosx_14_0_arm64 ;;
	win32/x64) echo win_amd64 ;;
	win32/arm64) echo win_arm64 ;;
	esac
}

this_platform() {
	os=$(uname -s)
	case "$os" in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	MINGW* | MSYS* | CYGWIN*) os=win32 ;;
	esac
	arch=$(uname -m)
	case "$arch" in
	x86_64 | amd64) arch=x64 ;;
	aarch64 | arm64) arch=arm64 ;;
	esac
	echo "$os/$arch"
}

sum() {
	if have sha256sum; then
		sha256sum <"$1"
	elif have shasum; then
		shasum -a 256 <"$1"
	elif have openssl; then
		openssl dgst -sha256 -r <"$1"
	elif have python3; then
		python3 -c 'import hashlib,sys; print(hashlib.sha256(open(sys.argv[1],"rb").read()).hexdigest())' "$1"
	else
		die "no sha256sum, shasum, openssl or python3 here: the file cannot be verified"
	fi | cut -d' ' -f1
}

# in_place says whether every file of the plan stands in folder $2, unharmed.
in_place() {
	echo "$1" | while read -r name want _; do
		[ -f "$2/$name" ] && [ "$(sum "$2/$name")" = "$want" ] || exit 1
	done
}

python() {
	for p in python3 python; do
		if have $p && $p -m pip --version >/dev/null 2>&1; then
			echo $p
			return
		fi
	done
}

# announce says what takes its time: package $1, by $2, so large $3.
announce() { say "${why:+$why: }fetching $1 with $2 ($3)"; }

# reason finds in npm's or pip's own words why it failed.
reason() {
	{ sed -n "s/.*reason: //p; s/.*NewConnectionError.*: \(.*\)')'.*/\1/p" "$work/said" && grep . "$work/said"; } | head -n 1
}

# quiet_npm keeps npm's words for reason.
quiet_npm() { npm "$@" --loglevel=error >/dev/null 2>"$work/said"; }

# get_npm unpacks the wanted files of the npm package into $work/got.
get_npm() {
	package=onnxruntime-node@$VERSION
	if ! quiet_npm view "$package" version --fetch-retries=0; then # at once where there is no network
		failed="npm: $(reason)"
		return 1
	fi
	announce "$package" npm "110 MB"
	if ! (cd "$work" && quiet_npm pack --ignore-scripts "$package"); then
		failed="npm: $(reason)"
		return 1
	fi
	tar -xzf "$work/onnxruntime-node-$VERSION.tgz" -C "$work/got" $(echo "$1" | cut -d' ' -f3)
}

# get_pip does the same with the wheel of package $2, which takes $3 to download.
get_pip() {
	py=$(python)
	[ -n "$failed" ] || announce "$2==$VERSION" pip "$3"
	if ! "$py" -m pip download --quiet --disable-pip-version-check --retries 1 --no-deps --only-binary=:all: \
		--implementation cp --python-version 3.12 --abi cp312 --platform "$(wheel_tag "$platform")" \
		--dest "$work" "$2==$VERSION" >"$work/said" 2>&1; then
		failed="${failed:+$failed; }pip: $(reason)"
		return 1
	fi
	"$py" - "$work" $(echo "$1" | cut -d' ' -f3) <<'PY'
import glob, sys, zipfile
work, names = sys.argv[1], sys.argv[2:]
with zipfile.ZipFile(glob.glob(work + "/*.whl")[0]) as z:
    for n in names + ["onnxruntime/LICENSE", "onnxruntime/ThirdPartyNotices.txt"]:
        z.extract(n, work + "/got")
PY
	if [ -n "$notices" ]; then
		mkdir -p "$notices" && mv -f "$work/got/onnxruntime/LICENSE" "$work/got/onnxruntime/ThirdPartyNotices.txt" "$notices/"
	fi
}

# install verifies all files, then moves each into place: a move is atomic, and
# the library moves last.
install() {
	while read -r name want path; do
		got=$(sum "$work/got/$path")
		[ "$got" = "$want" ] || die "$path: sha256 is $got, not $want: nothing was installed"
	done <<-FILES
		$1
	FILES
	while read -r name want path; do
		{ chmod 644 "$work/got/$path" && touch "$work/got/$path" && mv -f "$work/got/$path" "$dir/$name"; } ||
			die "$dir/$name cannot be written"
	done <<-FILES
		$1
	FILES
}

# fetch gets the files from one source; it fails where that does not serve.
fetch() {
	files=$(plan "$1" "$platform")
	rm -rf "$work/got"
	mkdir "$work/got"
	case $1 in
	npm) get_npm "$files" ;;
	pip) get_pip "$files" onnxruntime "25 MB" ;;
	cuda) get_pip "$files" onnxruntime-gpu "250 MB" ;;
	esac || return 1
	install "$files"
	say "onnxruntime $VERSION is in place: $dir/$(echo "$files" | tail -n 1 | cut -d' ' -f1)"
	[ "$1" != cuda ] || say "it needs an NVIDIA driver that knows CUDA 13 and, on the library path, cudart, cublas, cublasLt, curand, cufft and cuDNN 9; 'engine doctor' says what is missing. The extras of the Python package bring them: pip install 'onnxruntime-gpu[cuda,cudnn]==$VERSION'"
}

flavour= from= platform= dir= notices= why= failed=
while [ $# -gt 0 ]; do
	case $1 in
	--cuda) flavour=-cuda ;;
	--from | --platform | --dir | --notices | --why)
		[ $# -ge 2 ] || usage
		eval "${1#--}=\$2"
		shift
		;;
	*) usage ;;
	esac
	shift
done
: "${platform:=$(this_platform)}"
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
[ -n "$dir$cache" ] || die "there is no folder of yours to keep it in: set HOME"
: "${dir:=$cache/kosumi/onnxruntime/$VERSION$flavour}"

[ -z "$notices" ] || [ "$from" = pip ] || usage
if [ -n "$flavour" ]; then
	[ -z "$from" ] || [ "$from" = pip ] || usage
	sources=cuda
elif [ -n "$from" ]; then
	sources=$from
else
	sources="npm pip"
fi
known=
for s in $sources; do
	case $s in npm | pip | cuda) ;; *) usage ;; esac
	files=$(plan "$s" "$platform")
	[ -n "$files" ] || continue
	known=yes
	[ -z "$notices" ] || [ -f "$notices/LICENSE" ] || continue
	if in_place "$files" "$dir"; then
		say "onnxruntime $VERSION is in place: $dir"
		exit 0
	fi
done
[ -n "$known" ] || die "there is no such build of onnxruntime $VERSION for $platform: build it from source or find one that is 1.24 or newer and name it in KOSUMI_ONNXRUNTIME, or play with --provider onnx-go, which needs no library"

mkdir -p "$dir" 2>/dev/null || die "$dir cannot be made: set XDG_CACHE_HOME to a folder that can be written"
work=$(mktemp -d "$dir/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for s in $sources; do
	case $s in
	npm) have npm || continue ;;
	*) [ -n "$(python)" ] || continue ;;
	esac
	tried=yes
	! fetch "$s" || exit 0
done
[ -z "${tried-}" ] || die "the package could not be fetched${failed:+ ($failed)}. Offline? Copy the library from another machine and name it in KOSUMI_ONNXRUNTIME"
die "this needs npm, or python3 with pip, to fetch the library, and found neither that serves (sources: $sources)"
