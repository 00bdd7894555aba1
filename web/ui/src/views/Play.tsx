import { batch, signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Board, type Waiting } from "../board/Board";
import { Tool, Where } from "../controls";
import { save } from "../files";
import type { ClockState, GameState } from "../gen/api";
import { num, t } from "../i18n";
import { Icon } from "../icons";
import * as life from "../life/question";
import { keys } from "../keys";
import { say } from "../live";
import { status, watch } from "../net";
import { other, point, vertex, type Colour } from "../rules";
import { later } from "../server";
import { set, settings } from "../settings";
import { tickSound } from "../sound";
import { analyseGame, arrived, asking, back, clockText, command, count, countsText, counting, estimateText, game, group, help, hint, hintText, lookAt, moverOf, note, now, numbersOf, overlay, pass, pending, place, positions, size, slow, take, tooShort, typed, undo, unsettled, walk } from "./game";
import { keepAwake } from "../wake";
import { opponent } from "./newgame";
import { Advice, TeachChoice } from "./Teach";

const resigning = signal(false);
const waiting = signal<Waiting | null>(null);
const flip = signal(false);
const gone = signal(false);
const more = signal(false);

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
			<span class="taken">{taken > 0 && t("captured_n", { n: taken })}</span>
			{clock && <span class={"clock" + (clock.low ? " low" : "")} role="timer">{clock.text}{clock.rest && <span class="rest"> {clock.rest}</span>}</span>}
		</div>
	);
}

function MoveList({ g }: { g: GameState }) {
	const list = useRef<HTMLOListElement>(null);
	const at = back.value ?? g.moves.length;
	useEffect(() => {
		const show = () => {
			const [el, li] = [list.current, list.current?.children[Math.max(0, at - 1)] as HTMLElement | undefined];
			if (!el || !li) return;
			el.scrollTop = Math.max(0, li.offsetTop - el.offsetTop - el.clientHeight / 2);
			el.scrollLeft = Math.max(0, li.offsetLeft - el.offsetLeft - el.clientWidth / 2 + li.offsetWidth / 2);
		};
		show();
		addEventListener("resize", show); // for a phone that is turned
		return () => removeEventListener("resize", show);
	}, [at, g.moves.length]);
	return (
		<div class="moves-row">
			<button class="tool step" aria-label={t("key_back")} disabled={at === 0} onClick={() => walk(-1)}><Icon name="back" /></button>
			<ol class="moves" aria-label={t("moves")} tabIndex={0} ref={list} onWheel={(e) => { if (e.ctrlKey || e.currentTarget.scrollHeight > e.currentTarget.clientHeight) return; e.preventDefault(); walk(Math.sign(e.deltaY)); }}>
				{g.moves.map((m, i) => (
					<li key={i} class={i + 1 === at ? "now" : ""}>
						<button type="button" tabIndex={-1} aria-current={i + 1 === at} onClick={() => lookAt(i + 1)}>
							<span class="dim">{i + 1}</span> <span class={"dot " + moverOf(g, i)} /> {m === "pass" ? t("pass_said") : m}
						</button>
					</li>
				))}
			</ol>
			<button class="tool step" aria-label={t("key_on")} disabled={back.value === null} onClick={() => walk(1)}><Icon name="on" /></button>
		</div>
	);
}

/** Steps through the moves that were played. */
export function Steps({ g }: { g: GameState }) {
	const at = back.value ?? g.moves.length;
	return (
		<div class="nav">
			<button class="tool" aria-label={t("key_first")} disabled={at === 0} onClick={() => lookAt(0)}><Icon name="first" /></button>
			<button class="tool" aria-label={t("key_back")} disabled={at === 0} onClick={() => walk(-1)}><Icon name="back" /></button>
			<Where n={at} of={g.moves.length} onNumber={lookAt} />
			<button class="tool" aria-label={t("key_on")} disabled={back.value === null} onClick={() => walk(1)}><Icon name="on" /></button>
			<button class="tool" aria-label={t("key_last")} disabled={back.value === null} onClick={() => lookAt(g.moves.length)}><Icon name="last" /></button>
		</div>
	);
}

// The panel after a game needs the graph's code: it is fetched when a game ends.
const After = signal<FunctionComponent<{ g: GameState }> | null>(null);
function Later({ g }: { g: GameState }) {
	useEffect(() => { if (!After.value) later(import("./After"), (m) => (After.value = m.After)); }, []);
	const View = After.value;
	return View ? <View g={g} /> : <div class="panel-box" aria-busy="true" />;
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
			{c.open?.length ? <p class="note warn">{t("count_open")}</p> : <p class="dim">{t("count_how")}</p>}
			{tooShort(g) && <p class="dim">{tooShort(g)}</p>}
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
				{c.differs.length === 0 && <button class="button quiet" onClick={() => void command("game.score", { playOn: true })}>{t("play_on")}</button>}
			</div>
		</div>
	);
}

// A menu of rarely used commands over the board's edge, not beside it: nothing moves when it
// opens.
function More({ g }: { g: GameState }) {
	const menu = useRef<HTMLDivElement>(null);
	useEffect(() => () => void (more.value = false), [g.paused, g.trouble, g.phase, !!g.advice]); // it must not cover the buttons that appear then
	useEffect(() => {
		const outside = (e: PointerEvent) => { if (!(e.target as Element).closest?.(".more-menu, .more-button")) more.value = false; };
		const escape = (e: KeyboardEvent) => { if (e.key === "Escape") more.value = false; };
		document.addEventListener("pointerdown", outside);
		document.addEventListener("keydown", escape);
		return () => { document.removeEventListener("pointerdown", outside); document.removeEventListener("keydown", escape); };
	}, []);
	return (
		<div class="more-menu" ref={menu}>
			<Tool icon="numbers" text={t("numbers")} keys="m" on={settings.value.numbers} onClick={() => set("numbers", !settings.value.numbers)} />
			<Tool icon="coords" text={t("coordinates")} on={settings.value.coordinates !== "none"} onClick={() => toggleCoordinates()} />
			<Tool icon={settings.value.sound ? "sound" : "mute"} text={t("sound")} on={settings.value.sound} onClick={() => set("sound", !settings.value.sound)} />
			<Tool icon="flip" text={t("flip")} keys="f" on={flip.value} onClick={() => (flip.value = !flip.value)} />
			<Tool icon="save" text={t("save_sgf")} onClick={() => { more.value = false; void save(`/api/games/${g.game}.sgf`); }} />
			<Tool icon="analyse" text={t("analyse")} onClick={() => void analyseGame(g.game, back.value)} />
			{g.clock.kind !== "none" && <Tool icon="pause" text={t("pause")} disabled={!!g.paused} onClick={() => void command("game.pause")} />}
			<TeachChoice g={g} />
		</div>
	);
}

const focus = (e: HTMLElement | null): void => e?.focus();
const redo = () => void command("game.redo");

function Actions({ g }: { g: GameState }) {
	const mine = g.phase === "play" && g.toMove === g.colour && !g.paused && !g.trouble && back.value === null;
	return (
		<div class="actions">
			{resigning.value ? (
				<div class="strip" role="alertdialog" aria-label={t("really_resign") + " " + tooShort(g)}>
					<span>{t("really_resign")}</span>
					<button class="button danger" onClick={() => { resigning.value = false; void command("game.resign"); }}>{t("resign")}</button>
					<button class="button quiet" ref={focus} onClick={() => (resigning.value = false)}>{t("keep_playing")}</button>
				</div>
			) : (
				<>
					<Tool icon="undo" text={t("undo")} keys="u" disabled={!g.canUndo || back.value !== null} onClick={undo} />
					<Tool icon="redo" text={t("redo")} keys="shift+U" disabled={!g.canRedo || back.value !== null} onClick={redo} />
					<Tool icon="hint" text={t("hint")} keys="h" on={asking.value === "hint"} disabled={!mine} onClick={() => void hint()} />
					<Tool icon="count" text={t("count")} keys="v" on={asking.value === "count" || !!(help.value?.estimate && help.value.rev === g.rev)} disabled={!mine} onClick={() => void count()} />
					<Tool icon="pass" text={t("pass")} keys="p" disabled={!mine} onClick={() => void pass()} />
					<Tool icon="resign" text={t("resign")} disabled={g.phase !== "play"} onClick={() => (resigning.value = true)} />
					<span class="more-button"><Tool icon="more" text={t("more")} on={more.value} onClick={() => (more.value = !more.value)} /></span>
				</>
			)}
			{more.value && !resigning.value && <More g={g} />}
		</div>
	);
}

let written = settings.peek().coordinates; // how coordinates are written when they are shown
function toggleCoordinates(): void {
	const style = settings.value.coordinates;
	if (style !== "none") written = style;
	set("coordinates", style === "none" ? (written === "none" ? "a1" : written) : "none");
}

// Whether the game counts for the rank: said at its beginning, and once it does not.
const counted = (g: GameState) => g.counts && (g.counts !== "yes" || g.moves.length < 2) && <span class="dim"> · {countsText(g)}</span>;

function Message({ g }: { g: GameState }) {
	const h = help.value?.rev === g.rev ? help.value : null;
	let text = "";
	const no = note.value;
	const short = resigning.value && tooShort(g); // above the question whether to resign
	if (no) text = no.text;
	else if (short) text = short;
	else if (back.value !== null) text = t("looking_back", { n: back.value, of: g.moves.length });
	else if (g.trouble) text = t("engine_trouble", { why: g.trouble });
	else if (g.paused) text = t(`paused_${g.paused}` as "paused_player");
	else if (asking.value) text = t("asking");
	else if (h?.estimate) text = estimateText(h.estimate);
	else if (h?.hint) text = hintText(h.hint);
	else if (g.phase === "place") text = t("place_stones", { n: g.handicap - (g.setup?.length ?? 0) });
	else if (slow.value) text = t("sending");
	else if (g.thinking) text = t("thinks");
	else if (g.moves.at(-1) === "pass" && g.toMove === g.colour) text = t("engine_passed");
	else if (g.toMove === g.colour) text = t("your_move");
	return (
		<div class={"message" + (g.trouble ? " bad" : "")}>
			<span key={no?.id ?? 0} class={no ? "no" : ""}>{no && <Icon name="warn" size={16} />} {text}{!no && !short && counted(g)}</span>
			{back.value !== null && <button class="button primary small" onClick={() => lookAt(g.moves.length)}>{t("back_to_game")}</button>}
			{back.value === null && (g.trouble || g.paused) && <button class="button primary" onClick={() => void command("game.resume")}>{g.trouble ? t("start_again") : t("resume")}</button>}
		</div>
	);
}

// A stone that is shown and not yet played: moved by one line, played, or taken away. Its buttons
// take the place of the others, so that the board stays where it is.
function PlaceBar({ q }: { q: Waiting }) {
	const [w, h] = size.value;
	return (
		<div class="place-bar">
			<div class="cross-keys">
				<button class="button quiet" aria-label="←" onClick={() => q.nudge(-1, 0)}>←</button>
				<button class="button quiet" aria-label="↑" onClick={() => q.nudge(0, -1)}>↑</button>
				<button class="button quiet" aria-label="↓" onClick={() => q.nudge(0, 1)}>↓</button>
				<button class="button quiet" aria-label="→" onClick={() => q.nudge(1, 0)}>→</button>
			</div>
			<button class="button quiet" aria-label={t("cancel")} onClick={q.cancel}><Icon name="close" /></button>
			<button class="button primary" onClick={q.place}>{t("place", { point: vertex(q.p, w, h) })}</button>
		</div>
	);
}

const Leave = () => <a class="leave" href="/" aria-label={t("leave_game")} title={t("leave_game")}><Icon name="back" size={24} /></a>;

const seen = life.over(overlay);

// The position of questions about stones once a game is over.
function lifeAt(g: GameState, past: number | null): life.Place {
	const [w, h] = size.value;
	const n = past ?? g.moves.length;
	return { game: g.game, n, w, h, stones: past === null ? g.stones : positions.value[past], turn: moverOf(g, n) };
}

export function PlayView({ id }: { id: string }) {
	useEffect(() => {
		batch(() => {
			if (game.peek()?.game !== id) { // else the first move was made on the front door's board
				game.value = null;
				pending.value = null;
			}
			help.value = null;
			gone.value = false;
			more.value = false;
			resigning.value = false;
			back.value = null;
			note.value = null;
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
			u: undo, "ctrl+z": undo, U: redo, "ctrl+y": redo, h: () => void hint(), v: () => void count(), p: () => void pass(), f: () => (flip.value = !flip.value),
			m: () => set("numbers", !settings.value.numbers),
			i: () => game.value?.phase === "over" && void life.ask(), ArrowLeft: () => { if (!life.takeBack()) walk(-1); }, ArrowRight: () => walk(1), j: () => walk(-1), k: () => walk(1), PageUp: () => walk(-10), PageDown: () => walk(10), Home: () => lookAt(0), End: () => lookAt(Infinity), Escape: () => { if (resigning.value) resigning.value = false; else if (!life.close(false)) lookAt(Infinity); },
		}, typed);
		return () => { stop(); clearInterval(tick); off(); document.title = "Kosumi"; };
	}, [id]);

	const g = game.value;
	const playing = g?.phase === "play" || g?.phase === "place";
	useEffect(() => (playing ? keepAwake() : undefined), [playing]);
	if (gone.value) return <main class="empty"><p>{t("game_gone")}</p><a class="button primary" href="/new">{t("new_game")}</a></main>;
	if (!g) return <main class="play loading" aria-busy="true"><div class="board-space" /></main>;
	const [w, h] = size.value;
	const shown = pending.value?.rev === g.rev ? pending.value : null;
	const past = shown ? null : back.value;
	const last = past === null ? g.moves.at(-1) : g.moves[past - 1];
	const engine = other(g.colour as Colour);
	const mine = !shown && past === null && (g.phase === "place" ? g.colour === "b" : g.phase === "play" && g.toMove === g.colour) && !g.trouble;
	const dead = g.count && g.phase !== "play" && past === null ? new Set(g.count.dead.map((v) => point(v, w, h))) : undefined;
	return (
		<main class="play" style={{ "--ratio": h / w }} data-phase={g.phase} data-rev={g.rev} data-turn={g.toMove} data-shown={past ?? g.moves.length} data-online={status.value}>
			<h1 class="sr">{t("play")}</h1>
			<div class="top-player"><Leave /><Player g={g} colour={engine} /></div>
			<Board w={w} h={h} stones={shown?.stones ?? (past === null ? g.stones : positions.value[past])} last={shown ? shown.last : last && last !== "pass" ? point(last, w, h) : -1} ko={g.ko && past === null ? point(g.ko, w, h) : -1}
				legal={mine ? g.legal : undefined} turn={g.phase === "count" || g.phase === "over" || past !== null ? undefined : ((shown ? undefined : g.colour) as Colour | undefined)} dead={dead} flip={flip.value} coordinates={settings.value.coordinates}
				confirm={g.phase === "count" ? "never" : settings.value.confirm} overlay={seen} any={g.phase === "count" && past === null} onWheel={(s) => walk(s)} numbers={settings.value.numbers ? numbersOf(g) : undefined} marks={counting.value?.marks ?? [...unsettled.value].map((p) => ({ k: "lb", p, l: "?" }))} cell={(p) => (unsettled.value.has(p) ? t("unsettled") : "")}
				label={t("board_label", { w, h, who: t(g.colour === "b" ? "black" : "white") })}
				onPlay={(p, no) => void place(p, no)} onWaiting={(q) => (waiting.value = q)}
				onKey={(e, p) => {
					if (e.key === "g") { say(group(g, p)); return true; }
					if (e.key === "r" || e.key === "o") { typed(e.key === "r" ? `row ${h - Math.floor(p / w)}` : `col ${vertex(p, w, h)[0]}`); return true; }
					return false;
				}}
				{...(g.phase === "over" ? life.onBoard(lifeAt(g, past)) : {})} />
			<aside class="panel" aria-label={t("panel")}>
				<div class="panel-player"><Leave /><Player g={g} colour={engine} /></div>
				<div class="me"><Player g={g} colour={g.colour as Colour} /></div>
				{g.phase === "count" ? <CountPanel g={g} /> : g.phase === "over" ? <Later g={g} /> : <MoveList g={g} />}
				{g.restored && <p class="note warn restored"><Icon name="warn" /> {t(g.restored === "sgf" ? "restored_sgf" : "restored_part", { n: g.moves.length })}</p>}
				<Advice g={g} />
				{playing && waiting.value && <PlaceBar q={waiting.value} />}
				{playing && !waiting.value && <Message g={g} />}
				{playing && !waiting.value && <Actions g={g} />}
			</aside>
		</main>
	);
}

