#!/usr/bin/env bash
# Installs the programs that the tests work with: @sabaki/gtp, a real GTP client,
# and axe-core, which checks pages (npm, into testdata/*/node_modules), and, where
# this user may install packages, GNU Go and Chromium (which looks at the pages).
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
