#!/usr/bin/env bash
# Installs the programs that the tests work with: @sabaki/gtp (npm), a real
# GTP client, into testdata/sabaki/node_modules, and, where this user may install
# packages, GNU Go and Chromium (which looks at the report of engine loop).
# Nothing is done twice.
set -eu
cd "$(dirname "$0")/.."

if [ ! -d testdata/sabaki/node_modules/@sabaki/gtp ]; then
	if command -v npm >/dev/null 2>&1; then
		echo "fetching @sabaki/gtp from npm" >&2
		(cd testdata/sabaki && npm ci --silent --no-audit --no-fund >&2)
	else
		echo "npm not found: the tests with a real GTP client need it" >&2
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
