// A game as the page has it: its state, its commands, its sounds and its words. Play.tsx shows
// it.
import { batch, computed, signal } from "@preact/signals";
import type { Mark } from "../board/Board";
import type { Overlay } from "../board/overlay";
import type { Clock, ClockState, Estimate, GameState, Hint, ID } from "../gen/api";
import { resultText, t } from "../i18n";
import { say, toast } from "../live";
import { inWords, Refused, send, welcome } from "../net";
import { go, route } from "../router";
import { chain, lineOf, other, play, point, vertex, type Colour } from "../rules";
import { settings } from "../settings";
import { once, passSound, stoneSound } from "../sound";

export const game = signal<GameState | null>(null);
export const arrived = signal(0); // when the state came, for the clocks
export const pending = signal<{ rev: number; stones: string; last: number } | null>(null);
export const help = signal<{ rev: number; hint?: Hint; estimate?: Estimate } | null>(null);
export const asking = signal("");
export const now = signal(0);
export const slow = signal(false); // the stone is on its way for longer than it should

/** Why the last press did nothing, in the game's own line. */
export const note = signal<{ id: number; text: string } | null>(null);
let notes = 0;

function noted(text: string): void {
	const id = ++notes;
	note.value = { id, text };
	say(text, true);
	setTimeout(() => { if (note.value?.id === id) note.value = null; }, 5000);
}

/** The move after which the board is shown, while somebody looks back; null: as the game stands. */
export const back = signal<number | null>(null);
/** The game whose end was just seen: its review begins by itself. */
export const ended = signal("");

export const size = computed((): [number, number] => game.value?.size ?? [9, 9]);

/** The board after each move, from the beginning. */
export const positions = computed<string[]>(() => {
	const g = game.value;
	if (!g) return [];
	const [w, h] = size.value;
	const b = ".".repeat(w * h).split("");
	for (const v of g.setup ?? []) b[point(v, w, h)] = "b";
	const all = [b.join("")];
	g.moves.forEach((m, i) => all.push(play(all[i], point(m, w, h), moverOf(g, i), w, h).stones));
	return all;
});

/** The side that made move i, counted from 0. */
export const moverOf = (g: GameState, i: number): Colour => (i % 2 ? other(g.first as Colour) : g.first) as Colour;

/** Shows the board after a move; the last one is the game as it stands. */
export function lookAt(n: number): void {
	const g = game.value;
	if (!g || g.phase === "place" || g.phase === "count" || g.moves.length === 0) return;
	const at = Math.max(0, Math.min(g.moves.length, n));
	if (at === (back.value ?? g.moves.length)) return;
	back.value = at === g.moves.length ? null : at;
	if (at > 0) say(t("said_move", { who: t(moverOf(g, at - 1) === "b" ? "black" : "white"), move: spell(g.moves[at - 1]) }));
}

/** The board's overlay while a count is told step by step. */
export const counting = signal<{ territory: string; marks: Mark[] } | null>(null);

export const walk = (steps: number): void => lookAt((back.value ?? game.value?.moves.length ?? 0) + steps);

/** The stones that may live or die while the game is counted. */
export const unsettled = computed(() => new Set(game.value?.count?.open?.map((v) => point(v, ...size.value))));

export const overlay = computed<Overlay | null>(() => {
	const g = game.value;
	if (!g || back.value !== null) return null;
	const o: Overlay = { stones: g.stones };
	if (g.phase === "count" || (g.phase === "over" && g.count)) {
		o.territory = counting.value?.territory ?? [...(g.count?.owner ?? "")].map((c, p) => (unsettled.value.has(p) ? "." : c)).join(""); // a question mark in place of a square
		return o;
	}
	if (g.advice) {
		Object.assign(o, { line: lineOf((g.advice.line ?? []) as string[], g.toMove as Colour, ...size.value), hint: true });
		return o;
	}
	const h = help.value;
	if (!h || h.rev !== g.rev) return null;
	const [w, hh] = size.value;
	if (h.hint?.region) o.region = new Set(h.hint.region);
	if (h.hint?.stage === 2) o.hints = h.hint.moves?.map((m) => point(m, w, hh)).filter((p) => p >= 0);
	o.hint = true;
	if (h.hint?.stage === 3) o.line = lineOf(h.hint.line ?? [], g.toMove as Colour, w, hh);
	if (h.estimate) o.ownership = Int8Array.from(atob(h.estimate.ownership), (c) => (c.charCodeAt(0) << 24) >> 24);
	return o;
});

function spell(v: string): string {
	return v === "pass" ? t("pass_said") : v[0] + " " + v.slice(1);
}

// Makes the sound of a change of the game, and announces it.
function announce(before: GameState | null, g: GameState): void {
	if (!before || before.game !== g.game || before.rev === g.rev) return;
	const [w] = size.value;
	if (g.phase === "over" && before.phase !== "over") {
		say(t("said_over", { result: resultText(g.result ?? "") }));
		return;
	}
	if (g.phase === "count" && before.phase !== "count") say(t("said_count"));
	if (g.moves.length <= before.moves.length) return;
	const last = g.moves[g.moves.length - 1];
	const mover = g.toMove === "b" ? "w" : "b";
	const taken = Number(g.captures[mover === "b" ? 0 : 1]) - Number(before.captures[mover === "b" ? 0 : 1]);
	if (mover !== g.colour) {
		const event = g.game + "/" + g.rev;
		if (last === "pass") {
			once(event, passSound);
			say(t("said_pass", { who: t(mover === "b" ? "black" : "white") }));
		} else {
			once(event, () => stoneSound((point(last, w, size.value[1]) % w) / Math.max(1, w - 1), taken));
			say(t("said_move", { who: t(mover === "b" ? "black" : "white"), move: spell(last) }) + (taken > 0 ? " " + t("said_takes", { n: taken }) : "") + " " + t("your_move"));
		}
		if (document.hidden) document.title = "● " + t("your_move");
	}
}

export function take(g: GameState): void {
	batch(() => {
		const before = game.value;
		game.value = g;
		arrived.value = performance.now();
		if (pending.value && pending.value.rev !== g.rev) pending.value = null;
		if (before?.game !== g.game || before.rev !== g.rev) back.value = null;
		if (before?.game === g.game && before.phase !== "over" && g.phase === "over") ended.value = g.game;
		if (!pending.value) slow.value = false;
		if (before?.rev !== g.rev) note.value = null;
		announce(before, g);
		const fit = g.fit;
		if (fit && welcome.value) welcome.value = { ...welcome.value, fits: [...(welcome.value.fits ?? []).filter((f) => f.size !== fit.size), fit] };
	});
	document.title = title(g);
}

function title(g: GameState): string {
	if (g.phase === "over") return resultText(g.result ?? "") + " · Kosumi";
	return (g.toMove === g.colour && g.phase === "play" ? t("your_move") + " · " : "") + "Kosumi";
}

export async function command(t0: string, more: object = {}): Promise<boolean> {
	const g = game.value;
	if (!g) return false;
	try {
		await send(t0, { game: g.game, rev: g.rev, ...more }, true);
		return true;
	} catch (e) {
		refused(e);
		return false;
	}
}

const REASONS = { ko: "no_ko", superko: "no_superko", suicide: "no_suicide", occupied: "no_occupied", over: "no_over", turn: "no_turn" } as const;

export function refused(e: unknown): void {
	pending.value = null;
	if (!(e instanceof Refused)) return;
	if (e.said.code === "stale") return;
	const why = REASONS[(e.said.args?.[0] ?? "") as keyof typeof REASONS];
	const text = e.said.code === "illegal" && why ? t(why) : inWords(e);
	const playing = game.value?.phase === "play" || game.value?.phase === "place";
	if (playing && route.value.startsWith("/play/")) noted(text);
	else toast(text, { bad: true });
}

// Why a point may not be played, from what the client knows.
function why(g: GameState, p: number): string {
	const [w, h] = size.value;
	if (g.phase !== "play" && g.phase !== "place") return t("no_over");
	if (g.toMove !== g.colour && g.phase === "play") return t("no_turn");
	if (g.stones[p] !== ".") return t("no_occupied");
	if (g.ko && p === point(g.ko, w, h)) return t("no_ko");
	const after = play(g.stones, p, g.toMove as Colour, w, h);
	return after.stones[p] === "." ? t("no_suicide") : t("no_superko");
}

export async function place(p: number, forbidden: boolean): Promise<void> {
	const g = game.value;
	if (!g || pending.value) return;
	if (back.value !== null) {
		back.value = null;
		return;
	}
	const [w, h] = size.value;
	if (g.phase === "count") {
		if (g.stones[p] !== ".") await command("game.score", { toggle: vertex(p, w, h) });
		return;
	}
	if (forbidden || (g.toMove !== g.colour && g.phase === "play")) {
		noted(why(g, p));
		return;
	}
	const after = play(g.stones, p, g.toMove as Colour, w, h);
	pending.value = { rev: g.rev, stones: after.stones, last: p };
	stoneSound((p % w) / Math.max(1, w - 1), after.taken);
	const late = setTimeout(() => (slow.value = true), 400);
	await command("game.play", { move: vertex(p, w, h) });
	clearTimeout(late);
	slow.value = false;
}

export async function pass(): Promise<void> {
	passSound();
	await command("game.play", { move: "pass" });
}

/** Whether the game counts for the rank, or why not. */
export const countsText = (g: GameState, as = g.counts): string => t(`counts_${as}` as "counts_short", { n: g.enough });

/** Why the result would not count if the game ended now, in a game that counts otherwise; empty if it would. */
export const tooShort = (g: GameState): string => (g.counts === "yes" && g.moves.length < g.enough ? countsText(g, "short") : "");

let told = ""; // the game whose player was told last that a kind of help ends its counting, and the kind

/** Says before the first help in a game that counts for the rank that it will not any more; true: it waits for another press. */
function uncounts(key: "counts_before_hint" | "counts_before_undo"): boolean {
	const g = game.value;
	if (g?.counts !== "yes" || told === key + g.game) return false;
	told = key + g.game;
	noted(t(key));
	return true;
}

export const undo = (): void => { if (!uncounts("counts_before_undo")) void command("game.undo"); };

export async function hint(): Promise<void> {
	const g = game.value;
	if (!g || asking.value || uncounts("counts_before_hint")) return;
	const before = help.value?.rev === g.rev ? (help.value.hint?.stage ?? 0) : 0;
	asking.value = "hint";
	try {
		const h = await send<Hint>("game.hint", { game: g.game, rev: g.rev, stage: Math.min(3, before + 1) });
		help.value = { rev: h.rev, hint: h };
		say(hintText(h, spell));
	} catch (e) {
		refused(e);
	} finally {
		asking.value = "";
	}
}

/** A hint in words: an area, several moves, or the best one. */
export function hintText(h: Hint, name = (m: string) => m): string {
	const moves = h.moves ?? [];
	const text = t(h.stage === 1 ? "hint_1" : moves.length > 1 ? "hint_2" : "hint_3", { moves: moves.map(name).join(", ") });
	return h.stage === 3 && h.loss ? text + " " + t("hint_why", { points: h.loss }) : text;
}

export async function count(): Promise<void> {
	const g = game.value;
	if (!g || asking.value) return;
	if (help.value?.rev === g.rev && help.value.estimate) {
		help.value = null;
		return;
	}
	asking.value = "count";
	try {
		const e = await send<Estimate>("game.estimate", { game: g.game, rev: g.rev });
		help.value = { rev: e.rev, estimate: e };
		say(estimateText(e));
	} catch (e) {
		refused(e);
	} finally {
		asking.value = "";
	}
}

export function estimateText(e: Estimate): string {
	const who = t(e.lead >= 0 ? "black" : "white");
	const points = Math.abs(Math.round(e.lead * 2) / 2);
	return points < 1 && e.spread > 0 ? t(e.spread > 8 ? "estimate_even_unsure" : "estimate_even") : t(e.spread > 8 ? "estimate_unsure" : "estimate", { who, points });
}

// The time that a clock shows: the server's, run down since. rest is the text for the time after
// the main time.
export function clockText(c: ClockState, g: { clock: Clock }, since = arrived.value): { text: string; rest: string; low: boolean } {
	let ms = c.over ? c.period : c.main;
	let { periods, over } = c;
	if (c.running) ms -= Math.max(0, now.value - since);
	if (ms < 0 && !over && (g.clock.kind === "byoyomi" || g.clock.kind === "canadian")) {
		over = true;
		periods = g.clock.periods ?? 0;
		ms += (g.clock.period ?? 0) * 1000;
	}
	while (ms < 0 && g.clock.kind === "byoyomi" && periods > 1) {
		periods--;
		ms += (g.clock.period ?? 0) * 1000;
	}
	ms = Math.max(0, ms);
	const s = ms / 1000;
	const text = s < 10 ? s.toFixed(1) : s >= 3600 ? `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, "0")}:${String(Math.floor(s) % 60).padStart(2, "0")}` : `${Math.floor(s / 60)}:${String(Math.floor(s) % 60).padStart(2, "0")}`;
	const rest = over ? "" : g.clock.kind === "byoyomi" ? `${g.clock.periods ?? 0} × ${span(g.clock.period)}` : g.clock.kind === "canadian" ? `${g.clock.periods ?? 0} / ${span(g.clock.period)}` : g.clock.kind === "fischer" ? `+${g.clock.bonus ?? 0}` : "";
	return { rest, text: over ? (g.clock.kind === "byoyomi" ? `${periods} × ${text}` : `${text} / ${periods}`) : text, low: s < 10 && (over ? g.clock.kind !== "byoyomi" || periods <= 1 : g.clock.kind === "absolute" || g.clock.kind === "fischer") };
}

const span = (s = 0) => `${Math.floor(s / 60)}:${String(Math.floor(s) % 60).padStart(2, "0")}`;

/** Performs a typed line: d4, pass, undo, ... */
export function typed(text: string): boolean {
	const g = game.value;
	if (!g) return false;
	const [w, h] = size.value;
	const [word, arg] = text.trim().toLowerCase().split(/\s+/);
	const row = (y: number) => Array.from({ length: w }, (_, x) => y * w + x);
	const read = (points: number[]) => say(points.filter((p) => g.stones[p] !== ".").map((p) => `${spell(vertex(p, w, h))} ${t(g.stones[p] === "b" ? "colour_b" : "colour_w")}`).join(", ") || t("said_empty"));
	switch (word) {
		case "pass": void pass(); return true;
		case "undo": undo(); return true;
		case "redo": void command("game.redo"); return true;
		case "resign": void command("game.resign"); return true;
		case "count": void count(); return true;
		case "hint": void hint(); return true;
		case "agree": void command("game.score", { accept: true }); return true;
		case "back": walk(-1); return true;
		case "go": if (Number(arg) >= 0) lookAt(Number(arg)); return true;
		case "last": say(g.moves.length ? spell(g.moves[g.moves.length - 1]) : t("said_empty")); return true;
		case "clock": say(g.clock.kind === "none" ? t("clock_none") : [0, 1].map((i) => `${t(i ? "white" : "black")} ${clockText(g.clocks[i] as ClockState, g).text}`).join(", ")); return true;
		case "row": if (arg) read(row(h - Number(arg))); return true;
		case "col": if (arg) { const x = point(arg + "1", w, h) % w; if (x >= 0) read(Array.from({ length: h }, (_, y) => y * w + x)); } return true;
		case "group": {
			const p = arg ? point(arg, w, h) : -2;
			if (p >= 0) say(group(g, p));
			return true;
		}
	}
	const p = point(word ?? "", w, h);
	if (p < 0) return false;
	void place(p, g.legal[p] !== "1");
	return true;
}

export function group(g: GameState, p: number): string {
	const [w, h] = size.value;
	if (g.stones[p] === ".") return t("said_empty");
	const c = chain(g.stones, p, w, h);
	return t("said_group", { n: c.stones.length, liberties: c.liberties.map((q) => spell(vertex(q, w, h))).join(", ") });
}

/** The numbers of the moves whose stones are on the board that is shown. */
export function numbersOf(g: GameState): Map<number, number> {
	const [w, h] = size.value;
	const at = back.value ?? g.moves.length;
	const stones = back.value === null ? g.stones : positions.value[at];
	const all = new Map<number, number>();
	g.moves.slice(0, at).forEach((m, i) => {
		const p = point(m, w, h);
		if (p >= 0 && stones[p] !== ".") all.set(p, i + 1);
	});
	return all;
}

/** Another game under the same conditions. */
export async function again(g: GameState, swapped: boolean): Promise<void> {
	try {
		const seat = g.seat.auto ? { ...g.seat, level: "auto" } : g.seat;
		const { id } = await send<ID>("game.new", { size: g.size, rules: g.rules, komi: g.komi, handicap: g.handicap, colour: swapped ? other(g.colour as Colour) : g.colour, seat, clock: g.clock, teach: settings.value.teach || undefined }, true);
		go("/play/" + id);
	} catch (e) {
		refused(e);
	}
}

/** Opens a game for analysis, as it stands or after a move. */
export async function analyseGame(id: string, after: number | null = null): Promise<void> {
	try {
		const d = await send<ID>("doc.new", { size: [9, 9], game: id }, true);
		go("/analyse/" + d.id + (after === null ? "" : "?at=" + after));
	} catch (e) {
		refused(e);
	}
}

export async function reviewGame(id: string): Promise<void> {
	try {
		const r = await send<ID>("review.add", { game: id }, true);
		go("/review/" + r.id);
	} catch (e) {
		refused(e);
	}
}

