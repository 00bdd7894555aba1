import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Board } from "../board/Board";
import { Line, LinePlayer } from "../board/Line";
import { SCALE, type Overlay } from "../board/overlay";
import { Choice, Tool, Where } from "../controls";
import { openFiles, save } from "../files";
import type { Review, ReviewCard, ReviewGroup, ReviewMove, ReviewPlayer, ReviewPoint, ReviewProgress, Verdict } from "../gen/api";
import { claimed, duration, leadText, signed, t, verdictText, why } from "../i18n";
import { Icon } from "../icons";
import { keys } from "../keys";
import { Groups, settledAt } from "../life/Groups";
import { Life } from "../life/Life";
import * as question from "../life/question";
import { say, toast } from "../live";
import { fetched, inWords, Refused, saveFile, send, textOf, watch } from "../net";
import { go, note, query } from "../router";
import { other, play, point, vertex, type Colour } from "../rules";
import { set, settings } from "../settings";
import { stoneSound } from "../sound";
import { Graph, pointsOf } from "./Graph";
import { LossChip } from "./Loss";
import { command, playerName } from "./Review";

declare const IN_FILE: boolean; // set by web/ui/build.mjs: the page is a file with one review, and no server
const life = IN_FILE ? null : question;

const review = signal<Review | null>(null);
const boards = signal("");
const known = signal<Map<number, ReviewPoint>>(new Map());
const at = signal(0); // the position, before ply at
const line = new Line();
const verdict = signal<Verdict | null>(null);
const tries = signal(0);
const tried = signal(-1); // the point of the stone that is being judged
const judging = computed(() => tried.value >= 0);
const gone = signal("");
const chosen = signal<"" | Side>(""); // by the switch; "": the reader's own
const tab = signal<"moves" | "groups" | "summary">("moves");
const asked = signal<ReviewGroup | null>(null); // a group that is asked about once its position is shown

type Side = "both" | Colour;
const key = (c: ReviewCard) => c.review || `${c.black}/${c.white}/${c.date ?? ""}`;
/** The reader's side in a game: b or w, none for neither, undefined if nothing says it. */
export const yours = (c: ReviewCard) => c.you ?? settings.value.sides[key(c)];
const you = computed(() => review.value && yours(review.value.card));
/** The reader's side; "" for both or neither. */
const mine = computed(() => (you.value === "b" || you.value === "w" ? you.value : ""));
const side = computed<Side>(() => chosen.value || mine.value || "both");

const LONGEST = 12; // moves of a line
const REPORTED = 20; // the most mistakes of both sides that a review reports

const size = computed((): [number, number] => review.value?.card.size ?? [9, 9]);
const moves = computed(() => review.value?.moves ?? []);
const stones = computed(() => {
	const n = size.value[0] * size.value[1];
	return boards.value.slice(at.value * n, (at.value + 1) * n) || ".".repeat(n);
});
const turning = computed(() => new Set(review.value?.turning ?? []));
const of = (s: Side) => [...new Set([...(review.value?.mistakes ?? []).filter((i) => moves.value[i]?.listed), ...turning.value])].filter((i) => moves.value[i]?.judged && (s === "both" || moves.value[i].c === s)).sort((a, b) => moves.value[b].loss - moves.value[a].loss);
/** The mistakes of the side that is looked at, worst first. */
const listed = computed(() => of(side.value));
const here = computed(() => moves.value[at.value] as ReviewMove | undefined);
const open = computed(() => !!here.value?.better && here.value.better !== here.value.m); // there is something to find

const claims = computed(() => here.value?.claims ?? []);
/** The reader knows the answer. */
const solved = computed(() => !open.value || line.of.value !== "" || !!verdict.value?.accepted || tries.value > 1);
/** The stones spoken of: by the claim whose line is shown, else by all claims; without any, those of groups that are settled. */
const ringed = computed(() => {
	const c = claims.value[Number(line.of.value || NaN)];
	const list = c ? (c.of ?? c).stones : open.value && solved.value ? here.value?.points : review.value && settledAt(review.value, at.value);
	const [w, h] = size.value;
	return (list ?? []).map((v) => ({ k: open.value && solved.value ? "cr" : "tr", p: point(v, w, h) })).filter((k) => k.p >= 0 && stones.value[k.p] !== ".");
});

const overlay = computed<Overlay | null>(() => {
	const m = here.value;
	const [w, h] = size.value;
	const o: Overlay = { stones: stones.value };
	if (!m) return o;
	if (line.of.value) o.line = line.shown.value;
	else if (verdict.value) {
		const v = verdict.value;
		o.discs = [{ p: point(v.m, w, h), size: 1, cls: v.cls, best: v.accepted, top: v.accepted ? "✓" : signed(-v.loss), low: "" }].filter((d) => d.p >= 0);
	}
	return o;
});

const seen = life?.over(overlay) ?? overlay;

// The position that is shown, for questions about its stones.
function place(): question.Place | undefined {
	const r = review.value;
	const [w, h] = size.value;
	return r ? { review: r.card.review, n: at.value, w, h, stones: stones.value, turn: (here.value?.c ?? "b") as Colour } : undefined;
}

let moved = false; // the reader has chosen what is shown: the page leads nowhere any more

function goTo(i: number): void {
	moved = true;
	at.value = Math.max(0, Math.min(moves.value.length, i));
	line.close();
	endTry();
	tries.value = 0;
}

// Shows the worst mistake; a running review may find a worse one, and leads there if the reader has not moved.
function toWorst(): void {
	if (!listed.value.length) return;
	goTo(listed.value[0]);
	moved = !running(review.value!.card);
}

const running = (c: ReviewCard) => c.state === "running" || c.state === "waiting";

function nextMistake(step: 1 | -1): void {
	const order = [...listed.value].sort((a, b) => a - b);
	const i = step > 0 ? order.find((k) => k > at.value) : order.reverse().find((k) => k < at.value);
	if (i === undefined) {
		toast(t("no_mistake"), { ms: 2500 });
		return;
	}
	goTo(i);
	say(spoken(i));
}

const spoken = (i: number) => t("said_mistake", { n: i + 1, move: moves.value[i].m, points: moves.value[i].loss.toFixed(1) });

// Shows the better line, the refutation, or the line of a claim by its number.
function show(what: "better" | "answer" | number): void {
	const m = here.value;
	if (!m || !open.value) return;
	moved = true;
	if (line.of.value === String(what)) return line.close();
	const c = typeof what === "number" ? claims.value[what] : undefined;
	const after = c?.line ?? (what === "better" || c?.after === "better" ? (m.line ?? []) : [m.m, ...(m.answer ?? [])]);
	line.open(String(what), stones.value, after.slice(0, LONGEST), m.c as Colour, ...size.value);
	endTry(); // the answer is on the board
	say(line.all.value.map((x) => line.name(x)).join(" "));
}

// Hides the line that is shown, to make room for stones to ask about.
function askLife(): void {
	moved = true;
	line.close();
	void life?.ask();
}

type Judge = (m: ReviewMove, move: string) => Verdict | null;
let judge: Judge | undefined; // without a server: from known results; null: unknown

let trial = 0; // number of the newest try

// Takes the try off the board: a judgement that is still to come concerns nothing that is shown.
function endTry(): void {
	trial++;
	tried.value = -1;
	verdict.value = null;
}

// Another move in place of the one that was played: two tries, then the answer.
async function tryMove(p: number, forbidden: boolean): Promise<void> {
	const r = review.value;
	const [w, h] = size.value;
	if (!r || judging.value || forbidden) return;
	if (!open.value) {
		toast(t(here.value?.judged ? "nothing_to_find" : "not_judged"), { ms: 2500 });
		return;
	}
	stoneSound((p % w) / Math.max(1, w - 1));
	tried.value = p;
	moved = true;
	const number = ++trial;
	try {
		const move = vertex(p, w, h);
		const v = judge ? judge(here.value!, move) : await send<Verdict>("review.try", { review: r.card.review, n: at.value, m: move });
		if (number !== trial) return;
		if (!v) {
			toast(t("not_judged"), { ms: 2500 });
			return;
		}
		line.close();
		verdict.value = v;
		tries.value++;
		say(verdictText(v));
	} catch (e) {
		if (e instanceof Refused && number === trial) toast(inWords(e), { bad: true, ms: 4000 });
	} finally {
		if (number === trial) tried.value = -1;
	}
}

export { verdictText };

function MistakeBox() {
	const m = here.value;
	if (!m) return null;
	const i = at.value;
	const v = verdict.value;
	return (
		<section class="panel-card mistake-box" aria-live="polite">
			<div class="row">
				<strong><span class={"dot " + m.c} /> {t("move_played", { n: i + 1, move: m.m === "pass" ? t("pass_said") : m.m })}</strong>
				{m.judged && <LossChip loss={m.loss} cls={Math.max(0, m.cls)} />}
				{m.phase && <span class="dim">{t(`phase_${m.phase}` as "phase_opening")}</span>}
			</div>
			{!m.listed && m.judged && !open.value && <p class="good-text">{t("nothing_to_find")}</p>}
			{!m.listed && !m.judged && <p class="dim">{t("not_judged")}</p>}
			{m.listed && (solved.value ? (claims.value.length ? claims.value.map((c, k) => (
				<p key={k} class="claim">{claimed(c, m.m, m.c === "w")}<button class="plain icon-only" aria-pressed={line.of.value === String(k)} aria-label={t("show_line")} title={t("show_line")} onClick={() => show(k)}><Icon name="go" size={16} /></button></p>
			)) : <p>{why(m)}</p>) : <p class="dim">{t("find_better", { who: t(m.c === "b" ? "black" : "white") })}</p>)}
			{judging.value && <p class="dim thinking-line">{t("judging")}</p>}
			{v && <p class={v.accepted ? "good-text" : "bad-text"}>{verdictText(v)}{!v.accepted && tries.value < 2 ? " " + t("once_more") : ""}</p>}
			{open.value && (
				<div class="row">
					<button class="button small" aria-pressed={line.of.value === "better"} onClick={() => show("better")}>{t("show_better")}</button>
					{(m.answer?.length ?? 0) > 0 && <button class="button quiet small" aria-pressed={line.of.value === "answer"} onClick={() => show("answer")}>{t("show_answer")}</button>}
				</div>
			)}
			<LinePlayer line={line} />
		</section>
	);
}

const nameOf = (c: Colour) => (c === mine.value ? t("you") : (c === "b" ? review.value?.card.black : review.value?.card.white) || t(c === "b" ? "black" : "white"));

function Mistakes() {
	const list = listed.value;
	const options = ((mine.value ? [mine.value, other(mine.value)] : ["both", "b", "w"]) as Side[]).map((s): [Side, string] => [s, `${s === "both" ? t("both") : nameOf(s)} ${of(s).length}`]);
	return (
		<div class="mistakes">
			<Choice label={t("whose_moves")} value={side.value} options={options} onChange={(v) => (chosen.value = v)} />
			{list.length === 0 && <p class="dim pad">{t(review.value!.card.state === "done" ? "review_no_mistakes" : "review_none_yet")}</p>}
			{list.length > 0 && <p class="dim sum">{t(moves.value.filter((m) => m.listed).length <= REPORTED ? "mistakes_sum" : list.length < of("both").length ? "mistakes_worst" : "mistakes_top", { n: list.length, of: of("both").length, points: list.reduce((sum, i) => sum + moves.value[i].loss, 0).toFixed(1) })}</p>}
			<ol>
				{list.map((i) => {
					const m = moves.value[i];
					return (
						<li key={i}>
							<button class={i === at.value ? "on" : ""} aria-current={i === at.value} onClick={() => goTo(i)}>
								<LossChip loss={m.loss} cls={Math.max(0, m.cls)} />
								<span><span class={"dot " + m.c} /> {t("move_played", { n: i + 1, move: m.m })}{turning.value.has(i) && <span class="dim"> · {t("turning_point")}</span>}</span>
							</button>
						</li>
					);
				})}
			</ol>
		</div>
	);
}

function Summary({ r }: { r: Review }) {
	const order = mine.value === "w" ? [1, 0] : [0, 1]; // the reader first
	const players = order.map((i) => r.players[i] as ReviewPlayer);
	const name = (i: number) => (order[0] === i && mine.value ? t("you") : playerName(r.card, i as 0 | 1));
	const row = (name: string, value: (p: ReviewPlayer) => string) => <tr key={name}><th scope="row">{name}</th>{players.map((p, i) => <td key={i}>{p.moves ? value(p) : "–"}</td>)}</tr>;
	return (
		<div class="mistakes summary" tabIndex={0}>
			<table>
				<thead><tr><td />{order.map((i) => <th key={i} scope="col"><span class={"dot " + "bw"[i]} /> {name(i)}</th>)}</tr></thead>
				<tbody>
					{row(t("sum_mean"), (p) => p.mean.toFixed(2))}
					{row(t("sum_accuracy"), (p) => p.accuracy.toFixed(0))}
					{row(t("sum_first"), (p) => (p.first * 100).toFixed(0) + " %")}
					{(["opening", "middle", "endgame"] as const).map((k) => row(t(`phase_${k}`), (p) => (p.phases as Record<string, number>)?.[k]?.toFixed(2) ?? "–"))}
				</tbody>
			</table>
			<p class="dim">{t("sum_classes")}</p>
			{players.map((p, i) => (
				<div key={i} class="bars" role="img" aria-label={`${name(order[i])}: ${(p.classes ?? []).join(", ")}`}>
					<span class={"dot " + "bw"[order[i]]} />
					{(p.classes ?? []).map((n, k) => n > 0 && <span key={k} class="part" style={{ background: SCALE[k][0], color: SCALE[k][1], flexGrow: n }}>{n}</span>)}
				</div>
			))}
			<details><summary>{t("sum_about")}</summary><p class="dim">{t("sum_made", { network: r.network ?? "", visits: r.visits ?? 0 })}</p></details>
			{(r.notes ?? []).map((n) => <p key={n} class="note">{n}</p>)}
		</div>
	);
}

// Asks once for each name, or for a game without names, whose mistakes these are.
function WhoWasI({ c }: { c: ReviewCard }) {
	if (you.value) return null;
	const names = [c.black.trim(), c.white.trim()];
	const known = !IN_FILE && names.some(Boolean) && names[0].toLowerCase() !== names[1].toLowerCase();
	const tell = (as: "b" | "w" | "none") => {
		if (IN_FILE) return set("sides", Object.fromEntries([...Object.entries(settings.value.sides).slice(-199), [key(c), as]]));
		const bad = (e: unknown) => toast(inWords(e), { bad: true });
		if (!known) return send("player.side", { review: c.review, side: as }, true).catch(bad);
		const own = as === "none" ? [] : [names["bw".indexOf(as)]];
		send("player.names", { mine: own.filter(Boolean), others: names.filter((n) => n && !own.includes(n)) }, true).catch(bad);
	};
	return (
		<section class="panel-card who" aria-label={t("who_title")}>
			<p>{t("who_title")} {known && <span class="dim">{t("who_text")}</span>}</p>
			<div class="row">
				{(["b", "w"] as const).map((k, i) => <button key={k} class="button quiet small" onClick={() => tell(k)}><span class={"dot " + k} /> {names[i] || t(i ? "white" : "black")}</button>)}
				<button class="button quiet small" onClick={() => tell("none")}>{t("who_neither")}</button>
			</div>
		</section>
	);
}

function Head({ r }: { r: Review }) {
	const c = r.card;
	if (IN_FILE && !c.cut) return null; // the file's own head names the players
	return (
		<section class="panel-card review-head">
			{!IN_FILE && <div class="row"><strong>{playerName(c, 0)} – {playerName(c, 1)}</strong></div>}
			{running(c) ? (
				<div class="row sweep" role="status">
					<progress max={1} value={c.share} aria-label={t("progress")} />
					<span class="dim">{t(c.state === "waiting" ? "waiting" : c.pass === 2 ? "second_pass" : "first_pass")}{c.left ? " · " + t("left", { time: duration(c.left) }) : ""}</span>
				</div>
			) : c.other ? (
				<div class="row"><span class="dim">{t("made_with", { network: r.network ?? "" })}</span><button class="plain" onClick={() => void command("review.again", { id: c.review })}>{t("do_again")}</button></div>
			) : null}
			{c.cut ? <p class="note warn">{t("record_cut", { n: c.moves, of: c.moves + c.cut })}</p> : null}
		</section>
	);
}

function Nav() {
	const n = moves.value.length;
	return (
		<div class="nav wide">
			<button class="tool" aria-label={t("key_first")} onClick={() => goTo(0)}><Icon name="first" /></button>
			<button class="tool" aria-label={t("key_back")} onClick={() => goTo(at.value - 1)}><Icon name="back" /></button>
			<Where n={at.value} of={n} onNumber={goTo} />
			<button class="tool" aria-label={t("key_on")} onClick={() => goTo(at.value + 1)}><Icon name="on" /></button>
			<button class="tool" aria-label={t("key_last")} onClick={() => goTo(n)}><Icon name="last" /></button>
			<button class="plain" onClick={() => nextMistake(-1)} title="shift+N">{t("prev_mistake")}</button>
			<button class="plain" onClick={() => nextMistake(1)} title="n">{t("next_mistake")}</button>
		</div>
	);
}

async function analyse(id: string): Promise<void> {
	await openFiles([new File([await textOf(`/api/reviews/${id}.sgf`)], fileName(review.value!.card))], "doc", at.value);
}

// The name of a review's file: after its players, or after its record.
function fileName(c: ReviewCard): string {
	const name = [c.black, c.white, c.date].filter(Boolean).join(" ") || c.name.replace(/\.sgf$/i, "");
	return name.replace(/[\\/:*?"<>|\p{C}]/gu, "_").slice(0, 80) || "review";
}

// Shares a review as one file: in the machine's own way if there is one, else as a file to mail.
async function share(id: string, c: ReviewCard): Promise<void> {
	try {
		const f = await fetched(`/api/reviews/${id}.html`, fileName(c) + ".html");
		if (navigator.canShare?.({ files: [f] }) && matchMedia("(pointer: coarse)").matches) return await navigator.share({ files: [f] });
		saveFile(f);
		toast(t("share_saved", { name: f.name }), { ms: 10000 });
	} catch (e) {
		if ((e as Error).name !== "AbortError") toast(inWords(e), { bad: true }); // else the reader closed the dialog
	}
}

function take(d: Review | ReviewProgress): void {
	if ("moves" in d) {
		if (d.boards) boards.value = d.boards;
		known.value = new Map(d.points.map((p) => [p.n, p]));
		review.value = d;
		if (!moved && !life?.chosen.value.length && (at.value === 0 || !running(d.card))) toWorst();
		return;
	}
	const next = new Map(known.value);
	for (const p of d.points) next.set(p.n, p);
	known.value = next;
	if (review.value) review.value = { ...review.value, card: d.card };
}

/** The review of one game: the server's, or one that is given. */
export function Game({ id, given, judge: by }: { id: string; given?: Review; judge?: Judge }) {
	useEffect(() => {
		review.value = null;
		boards.value = "";
		known.value = new Map();
		gone.value = "";
		chosen.value = "";
		asked.value = null;
		if (tab.value === "groups") tab.value = "moves";
		goTo(0);
		const q = query(); // at: after so many moves; m: before the move of that number
		let first = given ? -1 : Number(q.get("at") ?? Number(q.get("m")) - 1);
		moved = first >= 0;
		judge = by;
		if (given) take(given);
		const stop = given ? () => {} : watch<Review | ReviewProgress>("review:" + id, (d) => { take(d); if (first >= 0) goTo(first); first = -1; }, (e) => (gone.value = inWords(e)));
		const walk = (n: number) => () => goTo(at.value + n);
		const off = keys({
			ArrowLeft: () => { if (!life?.takeBack()) goTo(at.value - 1); }, ArrowRight: walk(1), j: walk(-1), k: walk(1), PageUp: walk(-10), PageDown: walk(10), Home: () => goTo(0), End: () => goTo(moves.value.length),
			n: () => nextMistake(1), N: () => nextMistake(-1), space: () => show("better"), a: () => show("answer"),
			i: askLife, c: () => { const p = known.value.get(at.value); say(p ? leadText(p.lead) : t("no_result_yet")); }, Escape: () => { if (!life?.close(false)) line.close(); },
		}, (text) => { const [word, arg] = text.trim().split(/\s+/); if (word === "go" && Number(arg) >= 0) { goTo(Number(arg)); return true; } const [w, h] = size.value; const p = point(word, w, h); if (p < 0) return false; void tryMove(p, stones.value[p] !== "."); return true; });
		return () => { stop(); off(); };
	}, [id]);
	// Once the reader has said which side is theirs, its worst mistake comes first.
	const before = useRef(you.value);
	useEffect(() => {
		if (review.value && before.current === undefined && mine.value) toWorst();
		before.current = you.value;
	}, [you.value]);
	useEffect(() => {
		const here = place();
		if (asked.value && here) void life?.askAbout(here, asked.value.stones, asked.value.c);
		asked.value = null;
	}, [asked.value]);
	useEffect(() => { if (review.value && !IN_FILE) note(`/review/${id}` + (moved ? `?at=${at.value}` : "")); }, [at.value]);

	if (gone.value) return <main class="empty"><p>{gone.value}</p><a class="button primary" href="/review">{t("your_reviews")}</a></main>;
	const r = review.value;
	if (!r) return <main class="empty" aria-busy="true" />;
	const [w, h] = size.value;
	const m = here.value;
	const last = moves.value[at.value - 1];
	const seenStones = tried.value < 0 || !m ? stones.value : play(stones.value, tried.value, m.c as Colour, w, h).stones;
	const done = r.card.state === "done" || r.card.state === "partial";
	return (
		<main class="analyse review" data-at={at.value} data-state={r.card.state} data-points={known.value.size} data-mistakes={listed.value.length}>
			<h1 class="sr">{t("review")}</h1>
			<div class="stage">
				<Graph points={pointsOf(r.moves, known.value, r.card)} at={at.value} onSeek={goTo} height={innerWidth < 640 || innerHeight < 820 ? 84 : 120} winrate={!r.card.handicap} side={side.value} />
				<Board w={w} h={h} stones={seenStones} last={last && last.m !== "pass" ? point(last.m, w, h) : -1} turn={(m?.c as Colour) || undefined} legal={[...stones.value].map((s) => (s === "." ? "1" : "0")).join("")}
					coordinates={settings.value.coordinates} confirm={settings.value.confirm} overlay={seen} label={t("board_plain", { w, h })}
					next={m && m.m !== "pass" ? [{ p: point(m.m, w, h), c: m.c as Colour }] : undefined}
					marks={ringed.value.filter((k) => seenStones[k.p] !== ".")}
					cell={(q) => (m && point(m.m, w, h) === q ? t("played_here") : "")}
					onPlay={(p, no) => void tryMove(p, no)} onWheel={(s) => (line.of.value ? line.go(line.at.value + s) : goTo(at.value + s))}
					{...(line.of.value ? {} : life?.onBoard(place()!))} />
				<Nav />
			</div>
			<aside class="panel" aria-label={t("panel")}>
				<Head r={r} />
				<WhoWasI c={r.card} />
				{!IN_FILE && <Life at={`${id} ${at.value}`} />}
				{!life?.chosen.value.length && <MistakeBox />}
				<div class="tabs" role="tablist">
					{([["moves", "mistakes"], ...(r.groups?.length ? [["groups", "life_groups"]] : []), ["summary", "summary"]] as ["moves", "mistakes"][]).map(([k, text]) => <button key={k} role="tab" aria-selected={tab.value === k} class={tab.value === k ? "on" : ""} onClick={() => (tab.value = k)}>{t(text)}</button>)}
				</div>
				<div class="tab-body" role="tabpanel">{tab.value === "moves" ? <Mistakes /> : tab.value === "groups" ? <Groups r={r} at={at.value} go={goTo} ask={IN_FILE ? undefined : (g) => { goTo(g.since); asked.value = g; }} /> : <Summary r={r} />}</div>
				{!IN_FILE && <div class="row tools-row review-tools">
					<Tool icon="back" text={t("your_reviews")} onClick={() => go("/review")} />
					<Tool icon="life" text={t("life_title")} keys="i" on={!!life?.chosen.value.length} disabled={!done} why={t("review_unfinished")} onClick={askLife} />
					<Tool icon="analyse" text={t("analyse")} disabled={!done} why={t("review_unfinished")} onClick={() => void analyse(id)} />
					<Tool icon="save" text="SGF" disabled={!done} why={t("review_unfinished")} onClick={() => void save(`/api/reviews/${id}.sgf`, fileName(r.card) + ".sgf")} />
					<Tool icon="share" text={t("share")} disabled={!done} why={t("review_unfinished")} onClick={() => void share(id, r.card)} />
				</div>}
			</aside>
		</main>
	);
}
