// Fingers and mice on the board, without a DOM: presses in, moves out. Only a press that began on
// this board in this state can play.

type Mode = "tap" | "slide" | "confirm";

/** How a touch plays, by the size of a cell on the screen; a mouse always taps. */
export function modeFor(cell: number, touch: boolean, confirm: "size" | "always" | "never"): Mode {
	if (confirm === "always") return "confirm";
	if (!touch || confirm === "never" || cell >= 36) return "tap";
	return cell >= 26 ? "slide" : "confirm";
}

export interface Result {
	/** the stone that is shown half seen, or -1 */
	ghost: number;
	/** a point to play now, or -1 */
	play: number;
	/** the ghost waits for a second tap */
	waiting: boolean;
}

const REST = 150; // ms that a finger must have stayed over a point to play it by sliding
const DEAF = 250; // ms in which presses are ignored after the opponent's stone has appeared

export class Pointer {
	private id = -1;
	private from = -1;
	private at = -1;
	private since = 0;
	private mode: Mode = "tap";
	private waiting = -1;
	private deafUntil = 0;

	/** The position or the turn has changed: whatever is down does not count. */
	reset(now: number): void {
		this.id = -1;
		this.waiting = -1;
		this.deafUntil = now + DEAF;
	}

	down(id: number, p: number, mode: Mode, now: number): Result {
		if (this.id !== -1 && this.id !== id) {
			this.id = -2; // a second finger cancels
			return this.result(-1);
		}
		if (this.id === -2 && id !== -2) this.id = -1;
		if (now < this.deafUntil && mode !== "tap") return this.result(-1);
		this.id = id;
		this.mode = mode;
		this.from = this.at = p;
		this.since = now;
		return this.result(-1);
	}

	move(id: number, p: number, now: number): Result {
		if (id !== this.id) return this.result(-1);
		if (p !== this.at) {
			this.at = p;
			this.since = now;
		}
		return this.result(-1);
	}

	up(id: number, p: number, now: number): Result {
		if (id !== this.id) {
			if (this.id === -2) this.id = -1;
			return this.result(-1);
		}
		this.id = -1;
		if (p < 0) {
			this.waiting = -1;
			return this.result(-1);
		}
		const second = this.waiting >= 0 && p === this.waiting && this.from === p;
		if (this.mode === "tap") return p === this.from ? this.played(p) : this.result(-1);
		if (second || (this.mode === "slide" && p === this.at && now - this.since >= REST)) return this.played(p);
		this.waiting = p;
		return this.result(-1);
	}

	/** The stone that waits is moved to another point. */
	wait(p: number): void {
		this.id = -1;
		this.waiting = p;
	}

	cancel(): Result {
		this.id = -1;
		this.waiting = -1;
		return this.result(-1);
	}

	private played(p: number): Result {
		this.waiting = -1;
		return this.result(p);
	}

	private result(play: number): Result {
		const pressed = this.id >= 0 ? (this.mode === "tap" ? this.from : this.at) : -1;
		return { ghost: pressed >= 0 ? pressed : this.waiting, play, waiting: this.waiting >= 0 && this.id < 0 };
	}
}
