import { batch, computed, signal } from "@preact/signals";
import type { Disc, Overlay } from "../board/overlay";
import type { Candidate, Frame } from "../gen/api";
import { signed } from "../i18n";
import { post, status, welcome } from "../net";
import { lineOf, point } from "../rules";
import { remember as stored } from "../settings";
import * as tree from "../tree";

// The requests to the engine while a document is looked at, and the part of its answers that is
// shown.

export interface Wish { on: boolean; visits: number; moves: boolean; area: boolean; policy: boolean; human: boolean; rank: string; threads: number; bestOnly: boolean; tab: "mistakes" | "tree" | "notes" | "game" }
const store = stored<Wish>("kosumi.analysis", { on: true, visits: 1000, moves: true, area: false, policy: false, human: false, rank: "5k", threads: 0, bestOnly: false, tab: "tree" });
export const wish = signal<Wish>(store.get());
export const change = (v: Partial<Wish>) => {
	wish.value = { ...wish.value, ...v };
	store.put(wish.value);
};
export const goOn = signal(false); // past the budget
export const hover = signal(-1); // row of the table
export const steps = signal(0); // how much of its line is shown; 0: all
export const edit = signal<"" | "b" | "w" | "alt" | "erase" | "tr" | "sq" | "cr" | "ma" | "lb">("");
export const menu = signal(false);
export const flip = signal(false);

// The moves that are looked into more deeply, for as long as the reader stays there.
const into = signal<{ node: number; moves: string[] }>({ node: -1, moves: [] });
export const deeper = computed(() => (into.value.node === tree.at.value ? into.value.moves : []));
export function look(moves: string[]): void {
	into.value = { node: tree.at.peek(), moves };
	if (moves.length > 0 && !wish.peek().on) change({ on: true });
}
export const humans = computed(() => (welcome.value?.networks ?? []).some((n) => n.human));
export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export const frame = computed<Frame | null>(() => tree.results.value.get(tree.at.value) ?? null);

// The rows of the table change places only when visits differ by a tenth, at most every few
// seconds, and never while one of them is pointed at.
const CALM = 3000; // ms
let order: string[] = [];
let orderNode = -1;
let ordered = 0; // when
let listed: Frame["moves"] = [];
let drawn: Frame["moves"] = []; // by the table, which is behind by a quarter of a second
const pointedAt = signal(0);

/** The rows, to be drawn. */
export const drawnRows = (): Frame["moves"] => (drawn = rows.peek());

/** A row of the table is pointed at: those that are there stay where they are. */
export function pointRow(i: number): void {
	if (hover.peek() === i) return;
	batch(() => {
		if (hover.peek() < 0) listed = drawn;
		hover.value = i;
		steps.value = 0;
		pointedAt.value++;
	});
}

export const rows = computed((): Frame["moves"] => {
	const f = frame.value;
	void pointedAt.value;
	if (!f) return [];
	if (orderNode !== f.node) {
		order = [];
		listed = [];
		orderNode = f.node;
	}
	const now = f.moves.map((m) => m.m);
	const kept = order.filter((m) => now.includes(m));
	const list = [...kept, ...now.filter((m) => !kept.includes(m))];
	const of = new Map(f.moves.map((m) => [m.m, m]));
	if (hover.peek() >= 0 && listed.length > 0) {
		const there = new Set(listed.map((m) => m.m));
		return (listed = [...listed.map((m) => of.get(m.m) ?? m), ...f.moves.filter((m) => !there.has(m.m))]);
	}
	if (kept.length > 2 && !f.final && performance.now() - ordered < CALM) return (listed = (order = list).map((m) => of.get(m)!));
	ordered = performance.now();
	list.sort((a, b) => (a === now[0] ? -1 : b === now[0] ? 1 : 0));
	for (let i = 1; i < list.length - 1; i++) for (let j = i; j >= 1 && of.get(list[j + 1])!.v > of.get(list[j])!.v * 1.1; j--) [list[j], list[j + 1]] = [list[j + 1], list[j]];
	order = list;
	return (listed = list.map((m) => of.get(m)!));
});

export const overlay = computed<Overlay | null>(() => {
	const p = tree.position.value;
	const f = frame.value;
	const w = wish.value;
	const o: Overlay = { stones: p.stones, turn: p.turn };
	if (!f || edit.value) return o;
	const [bw, bh] = tree.size.value;
	const chosen = rows.value[hover.value];
	if (chosen) {
		const pv = steps.value > 0 ? chosen.pv.slice(0, steps.value) : chosen.pv;
		o.line = lineOf(pv, p.turn, bw, bh);
		return o;
	}
	if (w.area && f.own) o.ownership = Int8Array.from(atob(f.own), (c) => (c.charCodeAt(0) << 24) >> 24);
	if (humans.value && w.human && f.human) o.human = Uint8Array.from(atob(f.human), (c) => c.charCodeAt(0));
	if (w.policy && f.policy) o.policy = Uint8Array.from(atob(f.policy), (c) => c.charCodeAt(0));
	if (w.moves) o.discs = discs(f, o, bw, bh);
	return o;
});

/** Whether a row has a letter: the best one, and those that enough visits speak for. */
export const lettered = (m: Candidate, i: number): boolean => i < 10 && (i === 0 || m.v >= 10);

/** The loss of a move in points against the best; a gain in points has its sign, whatever the chances say. */
export function lossText(m: Candidate, best: Candidate): string {
	const gain = m === best ? 0 : m.lead - best.lead;
	return Math.abs(gain) < 0.05 ? "≈0" : signed(gain);
}

function discs(f: Frame, o: Overlay, bw: number, bh: number): Disc[] {
	const most = Math.max(1, ...f.moves.map((m) => m.v));
	const prior = o.policy ?? o.human; // shown in place of the value
	const list = (wish.value.bestOnly ? f.moves.slice(0, 1) : rows.value).flatMap((m, i): Disc[] => {
		const best = m.m === f.moves[0].m;
		const seen = i < 3 || m.v >= Math.max(3, most * 0.01);
		const at = (v: string) => point(v, bw, bh);
		const mirrors = (seen ? (m.mirrors ?? []) : []).map((v): Disc => ({ p: at(v), size: 0, cls: m.cls, best: false, top: "", low: "" }));
		const value = prior ? String(Math.round(100 * ((prior[at(m.m)] ?? 0) / 255) ** 2)) : best ? Math.round(m.w * 100) + "%" : lossText(m, f.moves[0]);
		return [{ p: at(m.m), size: m.v / most, cls: m.cls, best, top: lettered(m, i) || (prior && value !== "0") ? value : "", low: lettered(m, i) ? LETTERS[i] : "" }, ...mirrors];
	});
	return list.filter((d) => d.p >= 0).reverse(); // the best on top
}

// Asks for the analysis of the position looked at, soon after the last step.
let timer = 0;
let lastAsk = 0;
export function ask(): void {
	const d = tree.doc.peek();
	if (!d || status.peek() !== "open") return;
	const w = wish.peek();
	if (!w.on && sweep.peek()) return askSweep();
	clearTimeout(timer);
	const fast = performance.now() - lastAsk < 150;
	lastAsk = performance.now();
	const focus = deeper.peek();
	const request = (visits: number) => post("analysis.set", { doc: d.doc, node: tree.at.peek(), on: w.on, visits, focus: focus.length > 0 ? focus : undefined, steady: !goOn.peek() && visits > 100, ownership: w.area, policy: w.policy, human: humans.peek() && w.human ? "rank_" + w.rank : undefined, threads: w.threads || undefined });
	const known = tree.results.peek().get(tree.at.peek());
	const enough = goOn.peek() || focus.length > 0 ? 0 : w.visits;
	if (w.on && known?.final && enough > 0 && (known.final === "steady" || known.visits >= w.visits * 0.98) && (!w.area || known.own) && (!w.policy || known.policy) && (!w.human || !humans.peek() || known.human)) {
		if (sweep.peek()) askSweep();
		else post("analysis.set", { on: false });
		return;
	}
	if (fast && w.on && enough > 0) {
		request(60);
		timer = window.setTimeout(() => request(enough), 220);
	} else timer = window.setTimeout(() => request(enough), 30);
}

// The whole game: every position of the line for a moment, the graph's shape first (every
// eighth move). The position that is looked at comes before all others.
const SWEEP_VISITS = 80;
const LONGEST = 1000; // the most positions of a record that is analysed unasked
export const sweep = signal<{ todo: number[]; all: number } | null>(null);

export function startSweep(asked: boolean): void {
	const l = tree.line.peek();
	if (!asked && (!wish.peek().on || l.length < 3 || l.length > LONGEST)) return;
	const rank = (i: number) => (i % 8 === 0 ? 0 : i % 4 === 0 ? 1 : i % 2 === 0 ? 2 : 3);
	const todo = l.map((id, i) => ({ id, i })).filter((x) => (tree.results.peek().get(x.id)?.visits ?? 0) < SWEEP_VISITS).sort((a, b) => rank(a.i) - rank(b.i) || a.i - b.i).map((x) => x.id);
	if (todo.length === 0) return;
	sweep.value = { todo, all: l.length };
	if (asked) change({ tab: "mistakes" });
	if (asked) askSweep();
}

function askSweep(): void {
	clearTimeout(timer); // a request that ask put off would take the engine away
	const d = tree.doc.peek();
	const next = sweep.peek()?.todo[0];
	if (d && next !== undefined && status.peek() === "open") post("analysis.set", { doc: d.doc, node: next, on: true, visits: SWEEP_VISITS });
}

// Only the newest frame is sent, so the last one of a position can be replaced by one of
// another: after three seconds without a frame the sweep asks again.
let lastFrame = 0;
setInterval(() => {
	if (!sweep.peek() || performance.now() - lastFrame < 3000) return;
	lastFrame = performance.now();
	ask();
}, 1000);

/** Takes a frame into account; a final one makes room for the next position. */
export function swept(f: Frame): void {
	const s = sweep.peek();
	lastFrame = performance.now();
	if (!s) return;
	const mine = f.node === s.todo[0];
	if (f.final || f.visits >= SWEEP_VISITS) {
		const todo = s.todo.filter((id) => id !== f.node);
		if (todo.length < s.todo.length) sweep.value = todo.length ? { ...s, todo } : null;
	}
	if (!f.final || goOn.peek() || !(mine || f.node === tree.at.peek())) return;
	if (sweep.peek()) askSweep();
	else if (mine) ask();
}

export function stopSweep(): void {
	sweep.value = null;
	ask();
}

// The frame as the panel shows it, four times a second.
export const calmFrame = (): Frame | null => tree.calm.value.get(tree.at.value) ?? null;

// Another rank plays other moves: the results of the old one are dropped.
export function forgetHuman(): void {
	tree.results.value = new Map([...tree.results.value].map(([id, f]) => [id, { ...f, human: undefined }]));
	ask();
}
