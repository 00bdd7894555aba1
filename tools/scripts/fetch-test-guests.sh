#!/usr/bin/env bash
# Installs the programs that the tests work with: @sabaki/gtp, a real GTP client,
# axe-core, which checks pages (npm, into testdata/*/node_modules), KaTrain, a real
# client of analysis, with its network, WebGPU as a plugin of onnxruntime's (PyPI, into
# testdata/*/packages), and, where this user may install packages, GNU Go and Chromium
# (which looks at the pages, and has a GPU in software). All are verified by sha256 or
# better. A program that cannot be had is named, and its tests skip. Nothing is done twice.
set -eu
cd "$(dirname "$0")/../.."

for guest in sabaki:@sabaki/gtp axe:axe-core; do
	folder=testdata/${guest%%:*} package=${guest#*:}
	[ -d "$folder/node_modules/$package" ] && continue
	echo "fetching $package with npm" >&2
	tools/scripts/npm-ci.sh "$folder" || echo "$package could not be installed: the tests with it need it" >&2
done

# from_pip FOLDER NAME FILE: installs the packages of FOLDER/requirements.txt, of which FILE is one.
from_pip() {
	local folder=testdata/$1 name=$2 said
	[ -e "$folder/packages/$3" ] && return
	echo "fetching $name with pip" >&2
	said=$(python3 -m pip install --quiet --disable-pip-version-check --retries 1 --no-deps --only-binary :all: --root-user-action ignore \
		--target "$folder/packages" -r "$folder/requirements.txt" 2>&1) ||
		echo "$name could not be installed by python3 with pip (Python 3.11 or newer is needed): the test with it needs it: $(echo "$said" | tail -n 1)" >&2
}

from_pip katrain KaTrain katrain/models/b10c384h6nbttflrs.bin.gz
if [ "$(uname -sm)" = "Linux x86_64" ]; then
	from_pip plugins "onnxruntime's WebGPU plugin" onnxruntime_ep_webgpu
fi

missing=""
PATH="$PATH:/usr/games" command -v gnugo >/dev/null 2>&1 || missing="gnugo"
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
if [ -n "$missing" ]; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
		echo "installing" $missing >&2
		# shellcheck disable=SC2086 # two names
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >&2 ||
			echo "not installed:" $missing "- the tests with them need them" >&2
	else
		echo "not found:" $missing "- install the packages of these names to run the tests that use them" >&2
	fi
fi
