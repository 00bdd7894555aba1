// The lessons, and the answers to a learner's moves: they are found by trying moves, as far as a
// few stones need it, so that a wrong move is answered by what really happens.
import data from "./lessons.json";
import { chain, neighbours, other, play, point, vertex, type Colour } from "./rules";

interface Task {
	size: number;
	rows: string[];
	turn: string;
	/** take: at once; save: the stone at; kill: by force; forbidden: try a point; threat: then take the ko; close: the border; count; pass */
	goal: string;
	at: string;
	good?: string[];
	region?: string[]; // the points that decide the task
	ko?: string;
	dead?: string[];
	numbers?: number[];
	answer?: number;
}

interface Lesson {
	id: string;
	tasks: Task[];
}

export const LESSONS = data as Lesson[];

export interface Position {
	stones: string;
	ko: number;
}

/** The position after a move; null where it is not allowed. A pass is -1. */
export function after(b: Position, p: number, c: Colour, size: number): Position | null {
	if (p < 0) return { stones: b.stones, ko: -1 };
	if (b.stones[p] !== "." || p === b.ko) return null;
	const { stones, taken } = play(b.stones, p, c, size, size);
	if (stones[p] === ".") return null;
	let ko = -1;
	if (taken === 1) {
		const mine = chain(stones, p, size, size);
		const gone = neighbours(p, size, size).find((q) => b.stones[q] === other(c) && stones[q] === ".");
		if (mine.stones.length === 1 && mine.liberties.length === 1 && gone !== undefined) ko = gone;
	}
	return { stones, ko };
}

const SAFE = 3; // liberties with which a chain in the open is out of reach
const DEPTH = 10;

// The points that matter for a chain: its liberties, and those of enemy chains around
// it that are short of them.
function candidates(b: Position, target: number, size: number, region?: Set<number>): number[] {
	if (region) return [...region].filter((p) => b.stones[p] === ".");
	const own = chain(b.stones, target, size, size);
	const all = new Set(own.liberties);
	for (const s of own.stones) {
		for (const q of neighbours(s, size, size)) {
			if (b.stones[q] === "." || b.stones[q] === b.stones[target]) continue;
			const near = chain(b.stones, q, size, size);
			if (near.liberties.length <= 2) for (const l of near.liberties) all.add(l);
		}
	}
	return [...all];
}

/** The moves by which the chain on target is taken, whatever its side does; null where it cannot be. turn is who moves first. */
export function taking(b: Position, target: number, turn: Colour, size: number, region?: Set<number>, depth = DEPTH): number[] | null {
	const defender = b.stones[target] as Colour;
	if (depth === 0) return null;
	if (!region && chain(b.stones, target, size, size).liberties.length >= SAFE) return null;
	const attacks = turn !== defender;
	let longest: number[] | null = null;
	const moves = candidates(b, target, size, region);
	for (const p of attacks ? moves : [...moves, -1]) {
		const next = after(b, p, turn, size);
		if (!next) continue;
		const line = next.stones[target] !== defender ? [] : taking(next, target, other(turn), size, region, depth - 1);
		if (attacks) {
			if (line) return [p, ...line];
		} else {
			if (!line) return null;
			if (!longest || line.length >= longest.length) longest = [p, ...line];
		}
	}
	return longest;
}

/** The move by which the side of the chain on target saves it; -1 where a pass will do, undefined where nothing does. */
function saving(b: Position, target: number, size: number, region?: Set<number>): number | undefined {
	const c = b.stones[target] as Colour;
	for (const p of [...candidates(b, target, size, region), -1]) {
		const next = after(b, p, c, size);
		if (next && next.stones[target] === c && !taking(next, target, other(c), size, region)) return p;
	}
	return undefined;
}

export interface Answer {
	right: boolean;
	shown: { p: number; c: Colour }[]; // the move and what follows
	text: "learn_illegal" | "learn_no_ko" | "learn_gets_out" | "learn_is_taken" | "learn_lives" | "learn_enters" | "learn_no_threat" | "learn_answered" | "learn_not_it" | "";
	point?: string; // the point that the text speaks of
	n?: number;
	then?: Position; // the task goes on from here
}

const alternate = (points: number[], c: Colour) => points.map((p, i) => ({ p, c: i % 2 ? other(c) : c }));

/** The answer to a move. */
export function judge(task: Task, b: Position, p: number, stage: number): Answer {
	const { size } = task;
	const me = task.turn as Colour;
	const at = (v: string) => point(v, size, size);
	const region = task.region && new Set(task.region.map(at));
	const target = at(task.at);
	if (task.goal === "pass") return p < 0 ? { right: true, shown: [], text: "" } : wasted(task, b, p);
	if (p < 0) return { right: false, shown: [], text: "learn_not_it" };
	const next = after(b, p, me, size);
	if (task.goal === "forbidden") return { right: !next && (task.good ?? []).includes(vertex(p, size, size)), shown: [], text: next ? "learn_not_it" : "" };
	if (!next) return { right: false, shown: [], text: p === b.ko ? "learn_no_ko" : "learn_illegal" };
	const mine = { p, c: me };
	switch (task.goal) {
		case "take":
		case "kill": {
			if (next.stones[target] === ".") return { right: true, shown: [mine], text: "" };
			if (task.goal === "kill" && taking(next, target, other(me), size, region)) return { right: true, shown: [mine], text: "" };
			// If nothing saves it, it runs all the same.
			const q = saving(next, target, size, region) ?? chain(next.stones, target, size, size).liberties.find((l) => after(next, l, other(me), size));
			if (q === undefined || q < 0) return { right: false, shown: [mine], text: region ? "learn_lives" : "learn_not_it", point: task.at };
			const out = after(next, q, other(me), size)!;
			return { right: false, shown: [mine, { p: q, c: other(me) }], text: region ? "learn_lives" : "learn_gets_out", point: vertex(q, size, size), n: chain(out.stones, target, size, size).liberties.length };
		}
		case "save": {
			const line = taking(next, target, other(me), size, region);
			return line ? { right: false, shown: [mine, ...alternate(line, other(me))], text: "learn_is_taken", point: vertex(line[0], size, size) } : { right: true, shown: [mine], text: "" };
		}
		case "threat": {
			if (stage > 0) return next.stones[target] === "." ? { right: true, shown: [mine], text: "" } : { right: false, shown: [mine], text: "learn_not_it" };
			for (let s = 0; s < next.stones.length; s++) {
				if (next.stones[s] !== other(me) || s === target) continue;
				const c = chain(next.stones, s, size, size);
				if (c.stones.length < 2 || c.liberties.length !== 1) continue;
				const then = after(next, c.liberties[0], other(me), size);
				if (then) return { right: false, shown: [mine, { p: c.liberties[0], c: other(me) }], text: "learn_answered", point: vertex(c.liberties[0], size, size), then: { ...then, ko: -1 } };
			}
			return { right: false, shown: [mine], text: "learn_no_threat" };
		}
	}
	if ((task.good ?? []).includes(vertex(p, size, size))) return { right: true, shown: [mine], text: "" };
	return wasted(task, b, p);
}

// A move that gains nothing: the opponent enters where the border is open, if it is.
function wasted(task: Task, b: Position, p: number): Answer {
	const me = task.turn as Colour;
	const next = after(b, p, me, task.size);
	if (!next) return { right: false, shown: [], text: "learn_illegal" };
	const q = task.goal === "close" ? point(task.good![0], task.size, task.size) : -1;
	if (q < 0 || !after(next, q, other(me), task.size)) return { right: false, shown: [{ p, c: me }], text: "learn_not_it" };
	return { right: false, shown: [{ p, c: me }, { p: q, c: other(me) }], text: "learn_enters", point: vertex(q, task.size, task.size) };
}

/** The position that a task begins with. */
export const start = (task: Task): Position => ({ stones: task.rows.join(""), ko: task.ko ? point(task.ko, task.size, task.size) : -1 });
