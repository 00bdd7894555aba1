// A new game: what was chosen last, the levels that there are on its board, and its beginning.
import { signal } from "@preact/signals";
import type { Clock, Fit, GameState, ID, Level, NewGame, You } from "../gen/api";
import { rank, t } from "../i18n";
import { toast } from "../live";
import { inWords, send, welcome } from "../net";
import { go } from "../router";
import { remember, settings } from "../settings";
import { place, take } from "./game";

export interface Wish {
	size: number;
	other: boolean;
	w: number;
	h: number;
	auto: boolean; // the level that fits
	level?: string; // "" is full strength; not yet chosen: undefined
	visits: number;
	seconds: number;
	limit: "seconds" | "visits";
	colour: "b" | "w" | "random";
	handicap: number;
	free: boolean;
	rules: string;
	komi: string;
	clock: string;
	pace: boolean;
	more: boolean;
}

const store = remember<Wish>("kosumi.newgame", {
	size: 9, other: false, w: 9, h: 9, auto: true, visits: 400, seconds: 2, limit: "seconds", colour: "b", handicap: 0, free: false,
	rules: navigator.languages[0]?.startsWith("ja") || navigator.languages[0]?.startsWith("ko") ? "japanese" : "chinese", komi: "", clock: "none", pace: true, more: false,
});
export const wish = signal<Wish>(store.get());
const busy = signal(false);
export { busy };

export const change = (v: Partial<Wish>) => {
	wish.value = { ...wish.value, ...v };
	store.put(wish.value);
};

/** The board of the next game. Handicap stones are worth something else on another: they do not come along. */
export function changeBoard(v: Partial<Wish>): void {
	const [w, h] = sizeOf(wish.value);
	const [nw, nh] = sizeOf({ ...wish.value, ...v });
	change(w === nw && h === nh ? v : { ...v, handicap: 0 });
}

const CLOCKS: Record<string, Clock> = {
	none: { kind: "none", main: 0 },
	abs5: { kind: "absolute", main: 300 },
	abs20: { kind: "absolute", main: 1200 },
	byo: { kind: "byoyomi", main: 600, period: 30, periods: 3 },
	byoFast: { kind: "byoyomi", main: 60, period: 10, periods: 3 },
	canadian: { kind: "canadian", main: 600, period: 300, periods: 15 },
	fischer: { kind: "fischer", main: 180, bonus: 5 },
};

export function sizeOf(w: Wish): [number, number] {
	return w.other ? [w.w, w.h] : [w.size, w.size];
}

// The levels of each board: they depend on the network in use, and on the games so far.
const offered = signal<Record<string, Level[]>>({});
const boardKey = (w: number, h: number) => JSON.stringify([w, h, (welcome.value?.networks ?? []).find((n) => n.inUse)?.name, fitOn(w, h), welcome.value?.said]);

/** The levels on a board, the weakest first; undefined until they are known. */
export const levelsOn = (w: number, h: number): Level[] | undefined => offered.value[boardKey(w, h)];

export async function askLevels(w: number, h: number): Promise<Level[]> {
	const key = boardKey(w, h);
	const known = offered.peek()[key];
	if (known) return known;
	const all = await send<Level[]>("levels.on", { size: [w, h] }, true);
	offered.value = { ...offered.peek(), [key]: all };
	return all;
}

/** The player's levels, which reviews change too. */
export const askFits = (): Promise<void> => send<You>("watch", { what: "you" }, true).then((y) => { if (welcome.value) welcome.value = { ...welcome.value, fits: y.ranks.map((r) => r.fit) }; }, () => {});

/** The player's level on a board, as far as games have shown it. */
export const fitOn = (w: number, h: number): Fit | undefined => (welcome.value?.fits ?? []).find((f) => f.size === `${w}x${h}`);

const strength = (id: string) => (id.endsWith("d") ? parseInt(id) : 1 - parseInt(id));

/** The level of a board next to one that is wished. */
const nearest = (levels: Level[], id: string): string => [...levels].sort((a, b) => Math.abs(strength(a.id) - strength(id)) - Math.abs(strength(b.id) - strength(id)))[0]?.id ?? "";

/** The chosen level, "" for full strength, as the board has it. */
export function levelOf(w: Wish, levels: Level[]): string {
	if (w.level === "") return "";
	const [bw, bh] = sizeOf(w);
	return nearest(levels, w.level ?? rankOn(bw, bh));
}

/** The level of the next adaptive game; undefined until it is known. */
export const nextOn = (w: number, h: number): string | undefined => levelsOn(w, h)?.find((l) => l.next)?.id;

/** The level at which adaptive games begin while no game has counted. */
export function startText(w: number, h: number): string {
	const next = nextOn(w, h);
	if (!next) return "";
	const below = welcome.value?.said ? strength(welcome.value.said) - strength(next) : 0;
	return below > 0 ? t("fits_start_below", { rank: rank(next), n: below }) : t("fits_start", { rank: rank(next) });
}

/** The player's rank on a board as games show it, else as claimed, else that of a player who is no beginner any more. */
export const rankOn = (w: number, h: number): string => fitOn(w, h)?.mid ?? (welcome.value?.said || "15k");

/** The knowledge of the player's level. */
export const fitText = (f: Fit): string => t(f.games < 0.5 ? "fits_you_reviews" : f.games < 5 ? "fits_you_unsure" : "fits_you", { rank: rank(f.mid), low: rank(f.low), high: rank(f.high), size: f.size.replace("x", "×"), n: f.games < 0.5 ? (f.judged ?? 0) : f.games });

export function opponent(seat: { level?: string; visits?: number; seconds?: number }): string {
	return seat.level ? rank(seat.level) : t("full_strength");
}

export function maxHandicap(w: number, h: number, free: boolean): number {
	if (free) return Math.min(9, Math.floor((w * h) / 4));
	if (w % 2 && h % 2 && Math.min(w, h) >= 9) return 9;
	return Math.min(w, h) >= 7 ? 4 : 0;
}

/** Begins a game as it was chosen; first is a point where the player's first stone goes. */
export async function begin(first = -1): Promise<void> {
	if (busy.value) return;
	busy.value = true;
	const w = wish.value;
	const size = sizeOf(w);
	try {
		const levels = await askLevels(...size);
		const level = levels.length === 0 ? "" : w.auto ? "auto" : levelOf(w, levels);
		const full = !level;
		const game: NewGame = {
			size: size, rules: w.rules, colour: w.colour, clock: CLOCKS[w.clock] ?? CLOCKS.none,
			handicap: Math.min(w.handicap, maxHandicap(size[0], size[1], w.free)), free: w.free, teach: settings.value.teach || undefined,
			seat: { level: level || undefined, visits: full && w.limit === "visits" ? w.visits : undefined, seconds: full && w.limit === "seconds" && w.clock === "none" ? w.seconds : undefined, pace: w.pace ? "human" : undefined },
		};
		if (w.komi.trim() !== "" && Number.isFinite(Number(w.komi))) game.komi = Number(w.komi);
		const { id } = await send<ID>("game.new", game, true);
		if (first >= 0) {
			const g = await send<GameState>("watch", { what: "game:" + id }, true);
			take(g);
			if ((g.phase === "place" || g.toMove === g.colour) && g.legal[first] === "1") void place(first, false);
		}
		go("/play/" + id);
	} catch (e) {
		toast(inWords(e), { bad: true });
	} finally {
		busy.value = false;
	}
}
