#!/usr/bin/env bash
# Installs the programs that the tests work with: @sabaki/gtp, a real GTP client,
# axe-core, which checks pages (npm, into testdata/*/node_modules), KaTrain, a real
# client of analysis, WebGPU as a plugin of onnxruntime's (PyPI, into
# testdata/*/packages), and, where this user may install packages, GNU Go and Chromium
# (which looks at the pages, and has a GPU in software).
# Nothing is done twice.
set -eu
cd "$(dirname "$0")/.."

for guest in sabaki:@sabaki/gtp axe:axe-core; do
	folder=testdata/${guest%%:*} package=${guest#*:}
	[ -d "$folder/node_modules/$package" ] && continue
	if command -v npm >/dev/null 2>&1; then
		echo "fetching $package from npm" >&2
		(cd "$folder" && npm ci --silent --no-audit --no-fund >&2)
	else
		echo "npm not found: the tests with $package need it" >&2
	fi
done

if ! [ -d testdata/katrain/packages/katrain ]; then
	if command -v python3 >/dev/null 2>&1 && python3 -m pip --version >/dev/null 2>&1; then
		echo "fetching KaTrain from PyPI" >&2
		python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
			--target testdata/katrain/packages -r testdata/katrain/requirements.txt >&2 ||
			echo "KaTrain could not be installed (Python 3.11 to 3.13 is needed): the test with it needs it" >&2
	else
		echo "python3 with pip not found: the test with KaTrain needs it" >&2
	fi
fi

if [ "$(uname -sm)" = "Linux x86_64" ] && ! [ -d testdata/plugins/packages/onnxruntime_ep_webgpu ]; then
	if command -v python3 >/dev/null 2>&1 && python3 -m pip --version >/dev/null 2>&1; then
		echo "fetching onnxruntime's WebGPU plugin from PyPI" >&2
		python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
			--target testdata/plugins/packages -r testdata/plugins/requirements.txt >&2 ||
			echo "the plugin could not be installed (Python 3.11 or newer is needed): the test with it needs it" >&2
	else
		echo "python3 with pip not found: the test with onnxruntime's WebGPU plugin needs it" >&2
	fi
fi

missing=""
PATH="$PATH:/usr/games" command -v gnugo >/dev/null 2>&1 || missing="gnugo"
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
if [ -n "$missing" ]; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
		echo "installing" $missing >&2
		apt-get update -qq >&2
		# shellcheck disable=SC2086 # two names
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
	else
		echo "not found:" $missing "- install the packages of these names to run the tests that use them" >&2
	fi
fi
