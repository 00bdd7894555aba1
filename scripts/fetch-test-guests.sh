#!/usr/bin/env bash
# Installs the programs that the tests play against: @sabaki/gtp (npm), a real
# GTP client, into testdata/sabaki/node_modules, and GNU Go (Debian package
# gnugo) where this user may install packages. Nothing is done twice.
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

if ! PATH="$PATH:/usr/games" command -v gnugo >/dev/null 2>&1; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
		echo "installing gnugo" >&2
		apt-get update -qq >&2
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq gnugo >&2
	else
		echo "GNU Go not found: install the package gnugo to run the tests that play it" >&2
	fi
fi
