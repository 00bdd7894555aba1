// A game tree as the server keeps it, positions played from it, and the engine's results for its
// nodes.
import { batch, computed, effect, signal } from "@preact/signals";
import type { Doc, DocChange, Frame, Node, NodeRef } from "./gen/api";
import { post, send } from "./net";
import { other, play, point, type Colour } from "./rules";
import { deleted, remove, settle } from "./undo";

export interface Position {
	stones: string;
	turn: Colour;
	last: number;
	number: number; // of the last move
}

export const doc = signal<Doc | null>(null);
const known = signal<Map<number, Node>>(new Map());
const branch = (id: number) => `branch:${doc.value?.doc}:${id}`;
/** The nodes, without the branches that are deleted. */
export const nodes = computed<Map<number, Node>>(() => {
	const cut = deleted.value.filter((d) => d.key.startsWith(`branch:${doc.value?.doc}:`)).map((d) => Number(d.key.split(":")[2])).filter((id) => known.value.has(id));
	if (cut.length === 0) return known.value;
	const left = new Map(known.value);
	for (const id of cut) {
		const p = left.get(known.value.get(id)!.parent);
		if (p) left.set(p.id, { ...p, children: children(p).filter((k) => k !== id) });
		for (const todo = [id]; todo.length; ) {
			const n = todo.pop()!;
			todo.push(...children(known.value.get(n)));
			left.delete(n);
		}
	}
	return left;
});
export const at = signal(0);
export const results = signal<Map<number, Frame>>(new Map());
/** The same four times a second: for all but the board, where ten would only cost time. */
export const calm = signal<Map<number, Frame>>(new Map());
let calming = 0;
let positions = new Map<number, Position>();

effect(() => {
	const now = results.value;
	if (now.size === 0) calm.value = now;
	else if (!calming) calming = window.setTimeout(() => { calming = 0; calm.value = results.peek(); }, 240);
});

export const size = computed((): [number, number] => doc.value?.size ?? [9, 9]);

export function take(d: Doc): void {
	batch(() => {
		const same = doc.value?.doc === d.doc;
		positions = new Map();
		known.value = new Map(d.nodes.map((n) => [n.id, n]));
		doc.value = d;
		if (!same) {
			results.value = new Map();
			at.value = nodes.value.has(d.at) ? d.at : 0;
		} else if (!nodes.value.has(at.value)) at.value = 0;
	});
}

export function change(c: DocChange): void {
	const d = doc.value;
	if (c.doc !== d?.doc) return;
	const next = new Map(known.value);
	let replay = false;
	for (const n of c.set) {
		const before = next.get(n.id);
		if (before && JSON.stringify([before.b, before.w, before.e, before.pl]) !== JSON.stringify([n.b, n.w, n.e, n.pl])) replay = true;
		next.set(n.id, n);
	}
	for (const id of c.gone ?? []) next.delete(id);
	batch(() => {
		if (d.rules !== c.rules || d.komi !== c.komi) doc.value = { ...d, rules: c.rules, komi: c.komi };
		if (replay) {
			positions = new Map();
			results.value = new Map();
		}
		known.value = next;
		if (!next.has(at.value)) at.value = 0;
	});
}

export const children = (n: Node | undefined): number[] => n?.children ?? [];

/** The nodes from the beginning to one. */
export function pathTo(id: number): number[] {
	const out: number[] = [];
	for (let n = nodes.value.get(id); n; n = nodes.value.get(n.parent)) out.push(n.id);
	return out.reverse();
}

/** The line through the present node: down to it, then always the first child. */
export const line = computed<number[]>(() => {
	const out = pathTo(at.value);
	for (let kids = children(nodes.value.get(at.value)); kids.length; kids = children(nodes.value.get(kids[0]))) out.push(kids[0]);
	return out;
});

function positionOf(id: number): Position {
	const known = positions.get(id);
	if (known) return known;
	const [w, h] = size.peek();
	const path = pathTo(id);
	let start = path.length - 1;
	while (start >= 0 && !positions.has(path[start])) start--;
	let p: Position = start >= 0 ? positions.get(path[start])! : { stones: ".".repeat(w * h), turn: "b", last: -1, number: 0 };
	for (let i = start + 1; i < path.length; i++) {
		p = step(p, nodes.peek().get(path[i])!, w, h);
		positions.set(path[i], p);
	}
	return p;
}

function step(p: Position, n: Node, w: number, h: number): Position {
	let { stones, turn, last, number } = p;
	if (n.b?.length || n.w?.length || n.e?.length) {
		const b = stones.split("");
		for (const [list, c] of [[n.e, "."], [n.b, "b"], [n.w, "w"]] as [string[] | undefined, string][]) for (const v of list ?? []) b[point(v, w, h)] = c;
		stones = b.join("");
		last = -1;
		const first = nodes.peek().get(children(n)[0]);
		turn = (n.pl as Colour) || (first?.c as Colour) || (n.parent < 0 && !stones.includes("w") ? "w" : turn);
	} else if (n.pl) turn = n.pl as Colour;
	if (n.m) {
		const c = n.c as Colour;
		const q = point(n.m, w, h);
		stones = play(stones, q, c, w, h).stones;
		last = q;
		number++;
		turn = other(c);
	}
	return { stones, turn, last, number };
}

export const position = computed<Position>(() => {
	void nodes.value;
	return positionOf(at.value);
});

let told = 0;

/** Goes to a node; the server is told, for the next reader. */
export function goTo(id: number | undefined): void {
	if (id === undefined || !nodes.value.has(id) || id === at.value) return;
	at.value = id;
	clearTimeout(told);
	told = window.setTimeout(() => doc.value && post("tree.op", { doc: doc.value.doc, op: "goto", node: at.value }), 400);
}

/** The node of the line that is shown after so many of its moves, or the last one. */
export function afterMoves(n: number): number {
	let at = 0;
	for (const id of line.value) {
		if (nodes.value.get(id)?.m && n-- === 0) break;
		at = id;
	}
	return at;
}

/** How many moves lead to the i-th node of the line: nodes of stones or of words alone are none. */
export const movesTo = (i: number): number => line.value.slice(0, i + 1).filter((id) => nodes.value.get(id)?.m).length;

export function walk(steps: number): void {
	const l = line.value;
	const i = l.indexOf(at.value);
	goTo(l[Math.max(0, Math.min(l.length - 1, i + steps))]);
}

/** The next or previous variation beside the present node. */
export function beside(step: number): void {
	const n = nodes.value.get(at.value);
	const kids = children(nodes.value.get(n?.parent ?? -1));
	const i = kids.indexOf(at.value);
	if (kids.length > 1) goTo(kids[(i + step + kids.length) % kids.length]);
}

/** Plays moves below a node; moves that are there are followed. stay: they are only put into the tree. */
export async function playMoves(moves: string[], stay = false): Promise<void> {
	const from = at.value;
	const d = doc.value;
	if (!d || moves.length === 0) return;
	if (moves.length === 1 && !stay) {
		const there = children(nodes.value.get(from)).find((k) => nodes.value.get(k)?.m === moves[0]);
		if (there !== undefined) {
			goTo(there);
			return;
		}
	}
	for (const k of children(known.value.get(from))) if (known.value.get(k)?.m === moves[0]) await settle(branch(k)); // a deleted branch that is played anew is deleted for good first
	const ref = await send<NodeRef>("tree.op", { doc: d.doc, op: "play", node: from, line: moves, c: positionOf(from).turn }, true);
	if (!stay) goTo(ref.node);
}

/** Deletes the present node with all that follows it. */
export function cut(text: string): void {
	const n = nodes.value.get(at.value);
	const d = doc.value?.doc;
	if (!n || n.parent < 0) return;
	batch(() => {
		remove(branch(n.id), text, () => send("tree.op", { doc: d, op: "delete", node: n.id }, true), () => { if (doc.value?.doc === d) goTo(n.id); });
		goTo(n.parent);
	});
}

export const op = (o: string, more: object = {}, node = at.value) => send<NodeRef | null>("tree.op", { doc: doc.value?.doc, op: o, node, ...more }, true);

export function remember(f: Frame): void {
	const known = results.value.get(f.node);
	if (known && known.visits > f.visits && (!f.final || known.final)) return;
	const next = new Map(results.value);
	next.set(f.node, known ? { ...f, own: f.own ?? known.own, human: f.human ?? known.human } : f);
	results.value = next;
	if (f.final || !known) calm.value = next;
}

// Whether a pass only lets the other side place handicap stones: White has no stone yet.
function placing(n: Node): boolean {
	const before = pathTo(n.parent).map((id) => nodes.value.get(id)!).filter((m) => m.m && m.m !== "pass");
	return n.c === "w" && before.length > 0 && before.every((m) => m.c === "b") && !positionOf(n.parent).stones.includes("w");
}

/** How many points a move lost, from the two positions around it; undefined while unknown. */
export function lossOf(id: number): number | undefined {
	const n = nodes.value.get(id);
	if (!n?.m || n.parent < 0) return undefined;
	const [before, after] = [calm.value.get(n.parent), calm.value.get(id)];
	if (!before || !after || before.error || after.error) return undefined;
	if (n.m === "pass" && placing(n)) return undefined;
	const lost = n.c === "b" ? before.lead - after.lead : after.lead - before.lead;
	return Math.max(0, lost);
}
