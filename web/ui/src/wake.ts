// The screen of a phone stays on while somebody thinks about a move.

/** Keeps the screen on until the returned function is called; if that is not possible, nothing happens. */
export function keepAwake(): () => void {
	let lock: WakeLockSentinel | undefined;
	let over = false;
	const ask = () => {
		if (over || document.visibilityState !== "visible") return;
		navigator.wakeLock?.request("screen").then((l) => {
			if (over) void l.release();
			else lock = l;
		}, () => undefined); // a battery that runs low refuses
	};
	document.addEventListener("visibilitychange", ask); // hiding the page ends a lock
	ask();
	return () => {
		over = true;
		document.removeEventListener("visibilitychange", ask);
		void lock?.release();
	};
}
