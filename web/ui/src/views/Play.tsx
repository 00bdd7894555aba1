import { batch, computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Board } from "../board/Board";
import type { Overlay } from "../board/overlay";
import { Tool } from "../controls";
import type { ClockState, Estimate, GameState, Hint, ID } from "../gen/api";
import { num, resultText, signed, t } from "../i18n";
import { Icon } from "../icons";
import { keys } from "../keys";
import { say, toast } from "../live";
import { inWords, Refused, save, send, status, watch, welcome } from "../net";
import { go } from "../router";
import { chain, other, play, point, vertex, type Colour } from "../rules";
import { set, settings } from "../settings";
import { passSound, stoneSound, tickSound } from "../sound";
import { fitText, opponent } from "./Home";

const game = signal<GameState | null>(null);
const arrived = signal(0); // when the state came, for the clocks
const pending = signal<{ rev: number; stones: string; last: number } | null>(null);
const help = signal<{ rev: number; hint?: Hint; estimate?: Estimate } | null>(null);
const asking = signal("");
const resigning = signal(false);
const waiting = signal<{ p: number; place: () => void; nudge: (dx: number, dy: number) => void } | null>(null);
const flip = signal(false);
const now = signal(0);
const gone = signal(false);
const slow = signal(false); // the stone is on its way for longer than it should

const size = computed(() => (game.value?.size ?? [9, 9]) as unknown as [number, number]);

const overlay = computed<Overlay | null>(() => {
	const g = game.value;
	if (!g) return null;
	const o: Overlay = { stones: g.stones };
	if (g.phase === "count" || (g.phase === "over" && g.count)) {
		o.territory = g.count?.owner;
		return o;
	}
	const h = help.value;
	if (!h || h.rev !== g.rev) return null;
	const [w, hh] = size.value;
	if (h.hint?.region) o.region = new Set(h.hint.region);
	if (h.hint?.stage === 2) o.hints = h.hint.moves?.map((m) => point(m, w, hh)).filter((p) => p >= 0);
	if (h.hint?.stage === 3) o.line = (h.hint.line ?? []).map((m, i) => ({ p: point(m, w, hh), c: (i % 2 ? other(g.toMove as Colour) : g.toMove) as Colour, n: i + 1 }));
	if (h.estimate) o.ownership = Int8Array.from(atob(h.estimate.ownership), (c) => (c.charCodeAt(0) << 24) >> 24);
	return o;
});

function spell(v: string): string {
	return v === "pass" ? t("pass_said") : v[0] + " " + v.slice(1);
}

// What a change of the game sounds like, and what is said of it.
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
		if (last === "pass") {
			passSound();
			say(t("said_pass", { who: t(mover === "b" ? "black" : "white") }));
		} else {
			stoneSound((point(last, w, size.value[1]) % w) / Math.max(1, w - 1), taken);
			say(t("said_move", { who: t(mover === "b" ? "black" : "white"), move: spell(last) }) + (taken > 0 ? " " + t("said_takes", { n: taken }) : "") + " " + t("your_move"));
		}
		if (document.hidden) document.title = "● " + t("your_move");
	}
}

function take(g: GameState): void {
	batch(() => {
		const before = game.value;
		game.value = g;
		arrived.value = performance.now();
		if (pending.value && pending.value.rev !== g.rev) pending.value = null;
		if (!pending.value) slow.value = false;
		if (g.phase !== "play") resigning.value = false;
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

async function command(t0: string, more: object = {}): Promise<boolean> {
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

function refused(e: unknown): void {
	pending.value = null;
	if (!(e instanceof Refused)) return;
	if (e.said.code === "stale") return;
	const why = REASONS[(e.said.args?.[0] ?? "") as keyof typeof REASONS];
	toast(e.said.code === "illegal" && why ? t(why) : e.said.code === "not_saved" ? t("not_saved", { why: e.said.text }) : inWords(e), { bad: true });
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

async function place(p: number, forbidden: boolean): Promise<void> {
	const g = game.value;
	if (!g || pending.value) return;
	const [w, h] = size.value;
	if (g.phase === "count") {
		if (g.stones[p] !== ".") await command("game.score", { toggle: vertex(p, w, h) });
		return;
	}
	if (forbidden || (g.toMove !== g.colour && g.phase === "play")) {
		toast(why(g, p), { ms: 3000 });
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

async function pass(): Promise<void> {
	passSound();
	await command("game.play", { move: "pass" });
}

async function hint(): Promise<void> {
	const g = game.value;
	if (!g || asking.value) return;
	const before = help.value?.rev === g.rev ? (help.value.hint?.stage ?? 0) : 0;
	asking.value = "hint";
	try {
		const h = await send<Hint>("game.hint", { game: g.game, rev: g.rev, stage: Math.min(3, before + 1) });
		help.value = { rev: h.rev, hint: h };
		say(h.stage === 1 ? t("hint_1") : t(h.stage === 2 ? "hint_2" : "hint_3", { moves: (h.moves ?? []).map(spell).join(", ") }));
	} catch (e) {
		refused(e);
	} finally {
		asking.value = "";
	}
}

async function count(): Promise<void> {
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

function estimateText(e: Estimate): string {
	const who = t(e.lead >= 0 ? "black" : "white");
	const sure = e.spread > 8 ? " " + t("estimate_unsure") : "";
	return (Math.abs(e.lead) < 0.75 ? t("estimate_even") : t("estimate", { who, points: Math.abs(Math.round(e.lead * 2) / 2) })) + " " + t("estimate_open", { n: e.open }) + sure;
}

// The time that a clock shows: what the server said, run down since.
function clockText(c: ClockState, g: GameState): { text: string; low: boolean } {
	let ms = c.over ? c.period : c.main;
	let { periods, over } = c;
	if (c.running) ms -= Math.max(0, now.value - arrived.value);
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
	return { text: over ? (g.clock.kind === "byoyomi" ? `${periods} × ${text}` : `${text} / ${periods}`) : text, low: s < 10 && (over ? g.clock.kind !== "byoyomi" || periods <= 1 : g.clock.kind === "absolute" || g.clock.kind === "fischer") };
}

function Player({ g, colour }: { g: GameState; colour: Colour }) {
	const mine = g.colour === colour;
	const i = colour === "b" ? 0 : 1;
	const clock = g.clock.kind !== "none" && g.clock.kind ? clockText(g.clocks[i] as ClockState, g) : null;
	const taken = Number(g.captures[i]);
	const turn = g.phase === "play" && g.toMove === colour;
	return (
		<div class={"player" + (turn ? " turn" : "") + (g.thinking && !mine ? " thinking" : "")}>
			<span class={"disc " + colour} role="img" aria-label={t(colour === "b" ? "black" : "white")} />
			<span class="name">{mine ? t("you") : "Kosumi"} {!mine && <span class="dim">{opponent(g.seat)}</span>}</span>
			<span class="taken" title={t("prisoners")}>{taken > 0 ? "+" + num(taken) : ""}<span class="sr">{t("prisoners_n", { n: taken })}</span></span>
			{clock && <span class={"clock" + (clock.low ? " low" : "")} role="timer">{clock.text}</span>}
		</div>
	);
}

function MoveList({ g }: { g: GameState }) {
	const items = g.moves.map((m, i) => ({ n: i + 1, m, c: (i % 2 ? other(g.first as Colour) : g.first) as Colour }));
	return (
		<ol class="moves" aria-label={t("moves")} tabIndex={0} ref={(el) => { if (el) el.scrollTop = el.scrollHeight; }}>
			{items.map((x) => (
				<li key={x.n} class={x.n === items.length ? "now" : ""}>
					<span class="dim">{x.n}</span> <span class={"dot " + x.c} /> {x.m === "pass" ? t("pass_said") : x.m}
				</li>
			))}
		</ol>
	);
}

function CountPanel({ g }: { g: GameState }) {
	const c = g.count;
	if (!c || c.judging) return <div class="panel-box"><h2>{t("counting")}</h2><p class="dim thinking-line">{t("count_judging")}</p></div>;
	const area = c.method === "area";
	const row = (who: "black" | "white", s: NonNullable<typeof c>["black"]) => (
		<tr>
			<th scope="row"><span class={"disc small " + who[0]} /> {t(who)}</th>
			<td>{area ? num(s.stones) : num(s.territory)}</td>
			<td>{area ? num(s.territory) : num(s.prisoners)}</td>
			<td>{s.komi ? num(s.komi) : ""}</td>
			<td class="sum">{num(s.total)}</td>
		</tr>
	);
	return (
		<div class="panel-box count">
			<h2>{t("counting")}</h2>
			<table>
				<thead><tr><td /><th scope="col">{area ? t("stones") : t("territory")}</th><th scope="col">{area ? t("territory") : t("prisoners")}</th><th scope="col">{t("komi")}</th><th scope="col">=</th></tr></thead>
				<tbody>{row("black", c.black)}{row("white", c.white)}</tbody>
			</table>
			<p class="big-result">{c.score === 0 ? t("result_draw") : t("leads", { who: t(c.score > 0 ? "black" : "white"), points: Math.abs(c.score) })}</p>
			<p class="dim">{t("count_how")}</p>
			{c.differs.length > 0 && (
				<div class="note warn">
					<Icon name="warn" /> {t(c.lives ? "count_lives" : "count_dead", { stone: c.differs[0] })}
					<div class="row">
						<button class="button quiet" onClick={() => void command("game.score", { playOn: true })}>{t("count_play_out")}</button>
						<button class="button quiet" onClick={() => void command("game.score", { ask: true })}>{t("count_ask")}</button>
					</div>
				</div>
			)}
			<div class="row">
				<button class="button primary" onClick={() => void command("game.score", { accept: true })}>{c.differs.length > 0 ? t("count_my_way") : t("count_agree")}</button>
				<button class="button quiet" onClick={() => void command("game.score", { playOn: true })}>{t("play_on")}</button>
			</div>
		</div>
	);
}

async function again(g: GameState): Promise<void> {
	try {
		const { id } = await send<ID>("game.new", { size: g.size, rules: g.rules, komi: g.komi, handicap: g.handicap, colour: g.colour === "b" ? "w" : "b", seat: g.seat, clock: g.clock }, true);
		go("/play/" + id);
	} catch (e) {
		refused(e);
	}
}

export async function analyseGame(id: string): Promise<void> {
	try {
		const d = await send<ID>("doc.new", { size: [9, 9], game: id }, true);
		go("/analyse/" + d.id);
	} catch (e) {
		refused(e);
	}
}

async function reviewGame(id: string): Promise<void> {
	try {
		const r = await send<ID>("review.add", { game: id }, true);
		go("/review/" + r.id);
	} catch (e) {
		refused(e);
	}
}

function OverPanel({ g }: { g: GameState }) {
	const won = g.result?.startsWith(g.colour === "b" ? "B+" : "W+");
	return (
		<div class="panel-box over">
			<h2 class="big-result">{resultText(g.result ?? "")}</h2>
			<p class="dim">{g.result === "0" || g.result === "Void" ? "" : won ? t("you_won") : t("you_lost")}{g.byPlayer ? " " + t("by_player") : ""}</p>
			{g.fit && <p>{fitText(g.fit)}</p>}
			<div class="stack">
				<button class="button primary" disabled={g.moves.length === 0} onClick={() => void reviewGame(g.game)}><Icon name="review" /> {t("review")}</button>
				<button class="button quiet" onClick={() => void analyseGame(g.game)}><Icon name="analyse" /> {t("analyse_game")}</button>
				<button class="button quiet" onClick={() => void again(g)}>{t("again_swapped")}</button>
				<button class="button quiet" onClick={() => void save(`/api/games/${g.game}.sgf`)}><Icon name="save" /> {t("save_sgf")}</button>
				<a class="button quiet" href="/">{t("new_game")}</a>
			</div>
		</div>
	);
}

function Actions({ g }: { g: GameState }) {
	const mine = g.phase === "play" && g.toMove === g.colour && !g.paused && !g.trouble;
	const more = signalMore;
	return (
		<div class="actions">
			{resigning.value ? (
				<div class="strip" role="alertdialog" aria-label={t("really_resign")}>
					<span>{t("really_resign")}</span>
					<button class="button danger" onClick={() => { resigning.value = false; void command("game.resign"); }}>{t("resign")}</button>
					<button class="button quiet" onClick={() => (resigning.value = false)}>{t("go_on_button")}</button>
				</div>
			) : (
				<>
					{g.canRedo ? (
						<Tool icon="redo" text={t("redo")} keys="u" disabled={!g.canRedo} onClick={() => void command("game.redo")} />
					) : (
						<Tool icon="undo" text={t("undo")} keys="u" disabled={!g.canUndo} onClick={() => void command("game.undo")} />
					)}
					<Tool icon="hint" text={t("hint")} keys="h" on={asking.value === "hint"} disabled={!mine} onClick={() => void hint()} />
					<Tool icon="count" text={t("count")} keys="v" on={asking.value === "count" || !!(help.value?.estimate && help.value.rev === g.rev)} disabled={!mine} onClick={() => void count()} />
					<Tool icon="pass" text={t("pass")} keys="p" disabled={!mine} onClick={() => void pass()} />
					<Tool icon="resign" text={t("resign")} disabled={g.phase !== "play"} onClick={() => { resigning.value = true; setTimeout(() => (resigning.value = false), 4000); }} />
					<Tool icon="more" text={t("more")} on={more.value} onClick={() => (more.value = !more.value)} />
				</>
			)}
			{more.value && !resigning.value && (
				<div class="more-menu">
					<Tool icon={settings.value.sound ? "sound" : "mute"} text={t("sound")} on={settings.value.sound} onClick={() => set("sound", !settings.value.sound)} />
					<Tool icon="flip" text={t("flip")} keys="f" on={flip.value} onClick={() => (flip.value = !flip.value)} />
					<Tool icon="save" text={t("save_sgf")} onClick={() => void save(`/api/games/${g.game}.sgf`)} />
					<Tool icon="analyse" text={t("analyse_here")} onClick={() => void analyseGame(g.game)} />
					{g.clock.kind !== "none" && <Tool icon="pause" text={t("pause")} disabled={!!g.paused} onClick={() => void command("game.pause")} />}
				</div>
			)}
		</div>
	);
}

const signalMore = signal(false);

function Message({ g }: { g: GameState }) {
	const h = help.value?.rev === g.rev ? help.value : null;
	let text = "";
	if (g.trouble) text = t("engine_trouble", { why: g.trouble });
	else if (g.paused) text = t(`paused_${g.paused}` as "paused_player");
	else if (asking.value) text = t("asking");
	else if (h?.estimate) text = estimateText(h.estimate);
	else if (h?.hint?.stage === 1) text = t("hint_1");
	else if (h?.hint?.stage === 2) text = t("hint_2", { moves: (h.hint.moves ?? []).join(", ") });
	else if (h?.hint?.stage === 3) text = t("hint_3", { moves: (h.hint.moves ?? []).join(", ") }) + (h.hint.loss ? " " + t("hint_why", { points: h.hint.loss }) : "");
	else if (g.phase === "place") text = t("place_stones", { n: g.handicap - (g.setup?.length ?? 0) });
	else if (slow.value) text = t("sending");
	else if (g.thinking) text = t("thinks");
	else if (g.moves.at(-1) === "pass" && g.toMove === g.colour) text = t("engine_passed");
	else if (g.toMove === g.colour) text = t("your_move");
	return (
		<div class={"message" + (g.trouble ? " bad" : "")}>
			<span>{text}</span>
			{(g.trouble || g.paused) && <button class="button primary" onClick={() => void command("game.resume")}>{g.trouble ? t("start_again") : t("go_on_button")}</button>}
			{waiting.value && <PlaceBar />}
		</div>
	);
}

function PlaceBar() {
	const q = waiting.value!;
	const [w, h] = size.value;
	return (
		<div class="place-bar">
			<button class="button quiet" aria-label="←" onClick={() => q.nudge(-1, 0)}>←</button>
			<button class="button quiet" aria-label="↑" onClick={() => q.nudge(0, -1)}>↑</button>
			<button class="button primary" onClick={q.place}>{t("place", { point: vertex(q.p, w, h) })}</button>
			<button class="button quiet" aria-label="↓" onClick={() => q.nudge(0, 1)}>↓</button>
			<button class="button quiet" aria-label="→" onClick={() => q.nudge(1, 0)}>→</button>
		</div>
	);
}

/** What a typed line does: d4, pass, undo, ... */
function typed(text: string): boolean {
	const g = game.value;
	if (!g) return false;
	const [w, h] = size.value;
	const [word, arg] = text.trim().toLowerCase().split(/\s+/);
	const row = (y: number) => Array.from({ length: w }, (_, x) => y * w + x);
	const read = (points: number[]) => say(points.filter((p) => g.stones[p] !== ".").map((p) => `${spell(vertex(p, w, h))} ${t(g.stones[p] === "b" ? "colour_b" : "colour_w")}`).join(", ") || t("said_empty"));
	switch (word) {
		case "pass": void pass(); return true;
		case "undo": void command("game.undo"); return true;
		case "resign": void command("game.resign"); return true;
		case "count": void count(); return true;
		case "hint": void hint(); return true;
		case "agree": void command("game.score", { accept: true }); return true;
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

function group(g: GameState, p: number): string {
	const [w, h] = size.value;
	if (g.stones[p] === ".") return t("said_empty");
	const c = chain(g.stones, p, w, h);
	return t("said_group", { n: c.stones.length, liberties: c.liberties.map((q) => spell(vertex(q, w, h))).join(", ") });
}

export function PlayView({ id }: { id: string }) {
	useEffect(() => {
		batch(() => {
			game.value = null;
			pending.value = null;
			help.value = null;
			gone.value = false;
			signalMore.value = false;
		});
		const stop = watch<GameState>("game:" + id, (g) => g.game === id && take(g), () => (gone.value = true));
		const tick = setInterval(() => {
			const g = game.value;
			if (!g?.clocks?.some((c) => (c as ClockState).running)) return;
			const before = now.value;
			now.value = performance.now();
			const mine = g.clocks[g.colour === "b" ? 0 : 1] as ClockState;
			const left = (x: number) => Math.ceil(((mine.over ? mine.period : mine.main) - (x - arrived.value)) / 1000);
			if (mine.running && left(now.value) !== left(before) && left(now.value) <= 10 && left(now.value) >= 0) {
				tickSound();
				if (left(now.value) === 10 || left(now.value) === 5) say(t("said_seconds", { n: left(now.value) }), true);
			}
		}, 100);
		const off = keys({
			u: () => void (game.value?.canRedo ? command("game.redo") : command("game.undo")), h: () => void hint(), v: () => void count(), p: () => void pass(), f: () => (flip.value = !flip.value),
		}, typed);
		return () => { stop(); clearInterval(tick); off(); document.title = "Kosumi"; };
	}, [id]);

	const g = game.value;
	if (gone.value) return <main class="empty"><p>{t("game_gone")}</p><a class="button primary" href="/">{t("new_game")}</a></main>;
	if (!g) return <main class="play loading" aria-busy="true"><div class="board-space" /></main>;
	const [w, h] = size.value;
	const shown = pending.value?.rev === g.rev ? pending.value : null;
	const last = g.moves.at(-1);
	const engine = other(g.colour as Colour);
	const mine = !shown && (g.phase === "place" ? g.colour === "b" : g.phase === "play" && g.toMove === g.colour) && !g.trouble;
	const dead = g.count && g.phase !== "play" ? new Set(g.count.dead.map((v) => point(v, w, h))) : undefined;
	return (
		<main class="play" data-phase={g.phase} data-rev={g.rev} data-turn={g.toMove} data-online={status.value}>
			<div class="top-player"><Player g={g} colour={engine} /></div>
			<Board w={w} h={h} stones={shown?.stones ?? g.stones} last={shown ? shown.last : last && last !== "pass" ? point(last, w, h) : -1} ko={g.ko ? point(g.ko, w, h) : -1}
				legal={mine ? g.legal : undefined} turn={g.phase === "count" || g.phase === "over" ? undefined : ((shown ? undefined : g.colour) as Colour | undefined)} dead={dead} flip={flip.value} coordinates={settings.value.coordinates}
				confirm={g.phase === "count" ? "never" : settings.value.confirm} overlay={overlay} any={g.phase === "count"} numbers={settings.value.numbers ? numbersOf(g) : undefined}
				label={t("board_label", { w, h, who: t(g.colour === "b" ? "black" : "white") })}
				onPlay={(p, no) => void place(p, no)} onWaiting={(q) => (waiting.value = q)}
				onKey={(e, p) => {
					if (e.key === "g") { say(group(g, p)); return true; }
					if (e.key === "r" || e.key === "o") { typed(e.key === "r" ? `row ${h - Math.floor(p / w)}` : `col ${vertex(p, w, h)[0]}`); return true; }
					return false;
				}} />
			<aside class="panel" aria-label={t("panel")}>
				<div class="panel-player"><Player g={g} colour={engine} /></div>
				{g.phase === "count" ? <CountPanel g={g} /> : g.phase === "over" ? <OverPanel g={g} /> : <MoveList g={g} />}
				<div class="me"><Player g={g} colour={g.colour as Colour} /></div>
				{(g.phase === "play" || g.phase === "place") && <Message g={g} />}
				{(g.phase === "play" || g.phase === "place") && <Actions g={g} />}
			</aside>
		</main>
	);
}

function numbersOf(g: GameState): Map<number, number> {
	const [w, h] = size.value;
	const all = new Map<number, number>();
	g.moves.forEach((m, i) => {
		const p = point(m, w, h);
		if (p >= 0 && g.stones[p] !== ".") all.set(p, i + 1);
	});
	return all;
}

export { signed };
