#!/bin/sh
# slowly.sh TEXT COMMAND...: runs a command, and says TEXT if that takes more than ten seconds.
text=$1
shift
(
	trap 'kill $! 2>/dev/null; exit' TERM
	sleep "${KOSUMI_SLOWLY:-10}" >/dev/null 2>&1 &
	wait $!
	echo "$text" >&2
) &
teller=$!
"$@"
code=$?
kill $teller 2>/dev/null
exit $code
