// A question of life and death about stones of the board that is shown: the choice of stones, the
// server's findings, and a line that is played against the proof.
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { BoardProps } from "../board/Board";
import type { Overlay } from "../board/overlay";
import type { LifeAsked, LifeCard, LifeState, LifeStep } from "../gen/api";
import { t } from "../i18n";
import { say, toast } from "../live";
import { inWords, post, Refused, send, welcome } from "../net";
import { chain, point, vertex, type Colour } from "../rules";
import { stoneSound } from "../sound";

/** The position that is shown: a node of a game tree, or a game that is over or reviewed after n moves. */
export interface Place { doc?: string; node?: number; game?: string; review?: string; n?: number; w: number; h: number; stones: string; turn: Colour }

export const place = signal<Place | null>(null);
export const chosen = signal<number[]>([]); // a stone of each chain
export const whom = signal<"every" | "some">("every"); // how many of several chains have to live
export const state = signal<LifeState | null>(null);
export const first = signal<Colour>("b"); // whose card is looked at
export const step = signal<LifeStep | null>(null);

const canAsk = computed(() => !!welcome.value?.features?.includes("life"));
export const cards = computed(() => state.value?.cards ?? []);
export const card = computed(() => cards.value.find((c) => c.first === first.value));
/** The question was sent, and its answer is not complete yet. */
export const busy = computed(() => !!state.value?.busy);

let expected = 0; // the number of the question that was sent
let within: number | undefined; // seconds that it may take
let asking = false; // the stone that is pressed next is asked about at once
let walls: string[] | undefined; // the chains assumed alive, once one of them was struck out
let newest: LifeState | null = null;

/** Takes what the server says of its newest question. */
export function take(d: LifeState): void {
	newest = d;
	if (d.ask === 0 && expected > 0 && busy.peek()) void ask(within); // a new connection does not know the question
	if (d.ask === 0 || d.ask !== expected) return;
	state.value = d;
	if (!d.busy) say(d.error ? inWords(new Refused(d.error)) : d.cards.map(told).join(". "));
}

const name = (c: string): string => t(c === "b" ? "black" : "white");

/** A card in words. */
export function told(c: LifeCard): string {
	const moves = movesText(c);
	return `${t("life_first", { who: name(c.first) })}: ${verdict(c.verdict)}${c.proved ? ", " + t("life_proved") : ""}${moves && ". " + moves}`;
}

/** A verdict, of several chains in words that say how many of them it is about. */
export function verdict(v: string): string {
	const several = chosen.value.length > 1 && (v === "dead" || v === "alive");
	return t(`life_${v}${several ? ((whom.value === "every") === (v === "alive") ? "_every" : "_some") : ""}` as "life_dead");
}

const spelled = (moves: string[]): string => moves.map((m) => (m === "pass" ? t("pass_said") : m)).join(", ");

/** Which first moves reach a verdict, and for whom; "" where none is known. */
export function movesText(c: LifeCard): string {
	if (!c.moves.length && !c.every) return "";
	const winner = wins(c);
	if ((c.verdict === "dead" || c.verdict === "alive") && winner !== c.first) return t(c.verdict === "dead" ? "life_kills" : "life_lives", { who: name(winner), other: name(c.first) });
	return t(c.every ? "life_moves" : "life_moves_some", { who: name(c.first), moves: spelled(c.moves) });
}

/** The effect of ko threats, "" for none. */
export function threats(c: LifeCard): string {
	if (!c.threats) return "";
	const who = name(c.who ?? "");
	if (c.threats < 0) return c.verdict === "dead" ? t("life_delay") : t("life_endless", { who, then: verdict(c.then ?? "") });
	if (c.atLeast && !c.then) return t("life_no_change", { n: c.threats - 1, who });
	return t(c.atLeast ? "life_at_least" : "life_threats", { n: c.threats, who, then: verdict(c.then ?? "") });
}

/** The kind of a ko, by its English name. */
export const kind = (ko: string): string => t(`life_kind_${ko.replace(/[- ]/g, "_")}` as "life_kind_ko");

function chainAt(at: Place, p: number): number[] {
	return chain(at.stones, p, at.w, at.h).stones;
}

/** Chooses the chain on a point, or leaves it out again; stones of the other colour begin anew. */
function choose(at: Place, p: number): void {
	if (!canAsk.peek() || at.stones[p] === ".") return;
	const had = state.peek() || !same(at, place.peek()) ? [] : chosen.peek();
	if (state.peek()) stop();
	const here = chainAt(at, p);
	let next = had.filter((q) => at.stones[q] === at.stones[p]);
	next = next.some((q) => here.includes(q)) ? next.filter((q) => !here.includes(q)) : [...next, p];
	place.value = at;
	state.value = step.value = null;
	chosen.value = next;
	walls = undefined;
	if (next.length < 2) whom.value = "every";
	if (asking) void ask();
	else if (next.length > 0) say(title() + " " + t("life_ask"));
}

const same = (a: Place | null, b: Place | null): boolean => !!a && !!b && a.stones === b.stones && a.doc === b.doc && a.node === b.node && a.game === b.game && a.review === b.review && a.n === b.n;

/** Asks about all chains of a colour that some stones belong to. */
export function askAbout(at: Place, stones: readonly string[], c: string): Promise<void> {
	close();
	for (const v of stones) {
		const p = point(v, at.w, at.h);
		if (at.stones[p] === c && !chosen.peek().some((q) => chainAt(at, q).includes(p))) choose(at, p);
	}
	return ask();
}

/** "White: C3, E5". */
export function title(): string {
	const at = place.value;
	if (!at || chosen.value.length === 0) return "";
	return t("life_stones", { who: name(at.stones[chosen.value[0]]), stones: chosen.value.map((p) => vertex(p, at.w, at.h)).join(", ") });
}

/** Asks without a chain that was taken for alive. */
export function strike(wall: string): void {
	walls = (state.peek()?.assumed ?? []).filter((v) => v !== wall);
	anew();
}

/** Says how many of the chosen chains have to live, and asks that if something was asked. */
export function mean(n: "every" | "some"): void {
	whom.value = n;
	if (state.peek()) anew();
}

function anew(): void {
	state.value = { ...state.peek()!, cards: [] };
	void ask();
}

/** Asks for what is chosen. */
export async function ask(seconds?: number): Promise<void> {
	const at = place.peek();
	asking = !at || chosen.peek().length === 0;
	if (!at || asking) {
		toast(t("life_press"), { ms: 2500 });
		return;
	}
	const keep = state.peek()?.cards ?? [];
	step.value = null;
	expected = -1;
	within = seconds;
	state.value = { ask: -1, target: [], assumed: walls ?? state.peek()?.assumed ?? [], busy: true, cards: keep, seconds: 0 };
	if (keep.length === 0) first.value = at.turn;
	try {
		const stones = chosen.peek().map((p) => vertex(p, at.w, at.h));
		const a = await send<LifeAsked>("life.ask", { doc: at.doc, node: at.node, game: at.game, review: at.review, n: at.n, stones, all: whom.peek() === "some", assume: walls, seconds }, true);
		if (!same(at, place.peek()) || !state.peek()) return post("life.stop", a);
		expected = a.ask;
		if (newest?.ask === expected) take(newest);
	} catch (e) {
		if (!(e instanceof Refused)) throw e;
		state.value = null;
		toast(inWords(e), { bad: true });
	}
}

/** Ends the search. */
export function stop(): void {
	if (busy.peek() && expected > 0) post("life.stop", { ask: expected });
}

/** Leaves the line, or the whole question; false if there was none. */
export function close(all = true): boolean {
	asking = false;
	if (step.peek() && !all) {
		step.value = null;
		return true;
	}
	if (chosen.peek().length === 0) return false;
	stop();
	expected = 0;
	state.value = step.value = place.value = null;
	chosen.value = [];
	walls = undefined;
	whom.value = "every";
	return true;
}

/** Plays moves against the proof of a card. */
export async function against(c: Colour, moves: string[]): Promise<void> {
	const at = place.peek();
	if (!at || !state.peek()) return;
	first.value = c;
	try {
		const s = await send<LifeStep>("life.play", { ask: expected, first: c, moves });
		if (s.ask !== expected) return;
		const before = step.peek();
		step.value = s;
		const last = s.line.at(-1);
		if (last && before && s.moves.length > before.moves.length) stoneSound((Math.max(0, point(last, at.w, at.h)) % at.w) / Math.max(1, at.w - 1), 0);
		say([s.line.slice(before ? before.line.length : 0).map((m) => (m === "pass" ? t("pass_said") : m)).join(", "), status(s)].filter(Boolean).join(". "));
	} catch (e) {
		if (!(e instanceof Refused)) throw e;
		toast(e.said.code === "illegal" ? t("no_illegal") : inWords(e), { bad: true, ms: 2500 });
	}
}

/** Takes the last of one's own moves back; false if no line is played. */
export function takeBack(): boolean {
	const s = step.peek();
	if (!s) return false;
	if (s.moves.length > 0) void against(s.first as Colour, s.moves.slice(0, -1));
	return true;
}

/** The words for a line. */
export function status(s: LifeStep): string {
	if (s.end) return t(`life_end_${s.end.replace(/ /g, "_")}` as "life_end_taken");
	if (s.elsewhere) return t("life_elsewhere");
	if (!s.winner) return t("life_begin", { who: name(s.toMove) });
	const meant = wins(cards.peek().find((c) => c.first === s.first));
	return t(meant && s.winner !== meant && s.moves.length === 1 ? "life_fails" : "life_any", { who: name(s.toMove), winner: name(s.winner) });
}

// The side whose aim is the verdict.
function wins(c: LifeCard | undefined): string {
	const colour = state.peek()?.c ?? "";
	if (!c) return "";
	return c.verdict === "dead" ? (colour === "b" ? "w" : "b") : colour;
}

/** The board's overlay while a question is open; null: the usual one. */
const overlay = computed<Overlay | null>(() => {
	const at = place.value;
	const c = card.value;
	const s = step.value;
	if (!at || chosen.value.length === 0) return null;
	const points = (list: readonly string[]) => list.map((v) => point(v, at.w, at.h)).filter((p) => p >= 0);
	if (s) return { stones: s.stones, hints: s.moves.length === 0 && c && !s.winner ? points(c.moves) : undefined, region: c ? new Set(points(c.zone)) : undefined };
	if (!c) return { stones: at.stones };
	return { stones: at.stones, region: new Set(points(c.zone)), hints: points(c.moves) };
});

/** An overlay that gives way to the question's. */
export const over = (base: ReadonlySignal<Overlay | null>): ReadonlySignal<Overlay | null> => computed(() => overlay.value ?? base.value);

/** The board's part in a question: stones are chosen by pressing them, and a line is played on it. */
export function onBoard(at: Place): Partial<BoardProps> {
	if (!canAsk.value) return {};
	const s = step.value;
	const press = { onStone: (p: number) => choose(at, p) };
	if (!same(at, place.value) || chosen.value.length === 0) return press;
	const targets = chosen.value.flatMap((p) => chainAt(at, p));
	if (s) {
		const last = s.line.at(-1);
		return {
			stones: s.stones, legal: s.end ? "0".repeat(s.stones.length) : s.legal, turn: s.toMove as Colour, last: last ? point(last, at.w, at.h) : -1, ko: -1, dead: undefined, next: undefined, numbers: undefined, any: false, onStone: undefined, onMiddle: undefined,
			marks: targets.filter((p) => s.stones[p] === at.stones[p]).map((p) => ({ k: "tr", p })),
			onPlay: (p, refused) => { if (refused) toast(t(s.end ? "life_over" : "no_illegal"), { ms: 2000 }); else void against(s.first as Colour, [...s.moves, vertex(p, at.w, at.h)]); },
		};
	}
	const assumed = (state.value?.assumed ?? []).flatMap((v) => chainAt(at, point(v, at.w, at.h)));
	const works = new Set(card.value?.moves ?? []);
	return {
		...press, numbers: undefined, next: undefined,
		marks: [...targets.map((p) => ({ k: "tr", p })), ...assumed.map((p) => ({ k: "sq", p }))],
		cell: (p) => [targets.includes(p) ? t("life_target") : "", works.has(vertex(p, at.w, at.h)) ? t("life_works") : ""].filter(Boolean).join(", "),
	};
}

