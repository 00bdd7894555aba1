#!/bin/sh
# npm-ci.sh FOLDER [ARGUMENT...]: installs the packages of FOLDER/package-lock.json, which
# has their checksums. Where that fails, one line says why, within seconds where there is
# no network.
set -u
fail() {
	echo "$*" >&2
	exit 1
}
folder=$1
shift
command -v npm >/dev/null 2>&1 || fail "npm not found (Node 18 or newer)"
version=$(node --version 2>&1) || fail "node does not run: $version"
case $version in
v[0-9].* | v1[0-7].*) fail "Node 18 or newer is needed, here is $version" ;;
esac
said=$(cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error \
	--fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000 "$@" 2>&1) ||
	{
		reason=$(echo "$said" | sed -n 's/.*reason: //p' | head -n 1)
		fail "npm: ${reason:-$said}"
	}
