import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Board, type Mark } from "../board/Board";
import { Line, LinePlayer } from "../board/Line";
import type { Overlay } from "../board/overlay";
import type { Drill, DrillVerdict, Problem } from "../gen/api";
import { duration, problemFrom, problemText, t, verdictText, why } from "../i18n";
import { keys } from "../keys";
import { say, toast } from "../live";
import { inWords, Refused, send } from "../net";
import { query } from "../router";
import { play, point, vertex, type Colour } from "../rules";
import { settings } from "../settings";
import { stoneSound } from "../sound";
import { classOf, LossChip } from "./Loss";

export const drill = signal<Drill | null>(null);
export const answer = signal<DrillVerdict | null>(null);
const first = signal<DrillVerdict | null>(null); // the answer that was graded
const further = signal(false); // the first try is over
const shown = signal(false); // the solution was shown, whatever was answered
const line = new Line(); // the refutation of a wrong answer, or the solution
const busy = signal(false);
const tried = signal(-1); // the point of the stone that is being judged
let began = 0;
const LONGEST = 16; // moves of a line

const size = computed((): [number, number] => drill.value?.problem?.size ?? [9, 9]);
const solved = computed(() => !!answer.value && (answer.value.verdict.accepted || shown.value));

// The continuation after an answer: the refutation of a wrong one, or the solution.
const overlay = computed<Overlay | null>(() => {
	const p = drill.value?.problem;
	const a = answer.value;
	if (!p || !a) return null;
	return { stones: p.stones, line: line.shown.value };
});

// Shows the continuation of the player's move, or of the solution.
function open(): void {
	const [p, a] = [drill.value?.problem, answer.value];
	if (!p || !a) return;
	const v = shown.value && !a.verdict.accepted ? a.best : a.verdict;
	line.open("answer", p.stones, ((v.line?.length ? v.line : [v.m]) as string[]).slice(0, LONGEST), p.toMove as Colour, ...size.value, solved.value ? 1 : 2);
}

// The triangles on the group that a problem is about, as far as its stones are on the board.
function groupMarks(p: Problem, stones: string): Mark[] {
	const [w, h] = p.size;
	return (p.group ?? []).map((v) => point(v, w, h)).filter((at) => stones[at] !== ".").map((at) => ({ k: "tr", p: at }));
}

type Source = (not: string) => Promise<Drill>; // the problem after one, in a ring
type Judge = (p: Problem, move: string, seconds: number, again: boolean) => Promise<DrillVerdict | null>;
let source: Source;
let judge: Judge; // null: nothing is known of the move

/** Asks a problem; null: there is none yet. again: it is graded already. */
export function present(d: Drill | null, by: Judge = ask, again = false): void {
	judge = by;
	drill.value = d;
	answer.value = first.value = null;
	further.value = again;
	shown.value = false;
	line.close();
	began = performance.now();
}

async function next(later = false, again = false): Promise<void> {
	const not = drill.value?.problem?.id ?? "";
	try {
		const d = await source(not);
		if (later && d.problem?.id === not) toast(t("drill_only"), { ms: 4000 });
		present(d, judge, again);
		if (d.problem) say(problemText(d.problem));
	} catch (e) {
		if (e instanceof Refused) toast(inWords(e), { bad: true });
	}
}

async function give(move: string): Promise<void> {
	const p = drill.value?.problem;
	if (!p || busy.value || solved.value || (answer.value && move)) return;
	const [w, h] = size.value;
	busy.value = true;
	tried.value = move && move !== "pass" ? point(move, w, h) : -1;
	try {
		const a = await judge(p, move, (performance.now() - began) / 1000, further.value);
		if (!a) {
			toast(t("not_judged"), { ms: 2500 });
			return;
		}
		if (a.next) {
			drill.value = { ...drill.value!, problem: a.next };
			const at = point(a.next.last!, w, h);
			if (at >= 0) stoneSound((at % w) / Math.max(1, w - 1), 0);
			say(problemText(a.next));
			return;
		}
		if (!further.value) first.value = a;
		further.value = true;
		shown.value = !move;
		answer.value = a;
		open();
		say(move ? verdictText(a.verdict, p) : t("drill_given_up", { move: a.best.m }));
	} catch (e) {
		if (e instanceof Refused) toast(e.said.code === "illegal" ? t("no_illegal") : inWords(e), { bad: true, ms: 4000 });
	} finally {
		busy.value = false;
		tried.value = -1;
	}
}

function place(p: number, forbidden: boolean): void {
	const q = drill.value?.problem;
	const [w, h] = size.value;
	if (!q || busy.value || answer.value || forbidden) return;
	stoneSound((p % w) / Math.max(1, w - 1), play(q.stones, p, q.toMove as Colour, w, h).taken);
	void give(vertex(p, w, h));
}

/** The position before a wrong move, once more. */
function tryAgain(): void {
	if (!answer.value || solved.value) return;
	answer.value = null;
	line.close();
}

function showMe(): void {
	if (!answer.value) return void give("");
	shown.value = true;
	open();
	say(t("drill_given_up", { move: answer.value.best.m }));
}

async function seeAgain(): Promise<void> {
	const [p, f] = [drill.value?.problem, first.value];
	if (!p || !f) return;
	try {
		await send("drill.grade", { id: p.id, grade: 1 });
		first.value = { ...f, grade: 1 };
	} catch (e) {
		if (e instanceof Refused) toast(inWords(e), { bad: true });
	}
}

// Whether a name is the player's own: other people's mistakes are not asked again.
async function told(name: string, mine: boolean): Promise<void> {
	try {
		await send("player.names", { mine: mine ? [name] : [], others: mine ? [] : [name] }, true);
		if (!mine) return next();
		if (drill.value?.problem) drill.value = { ...drill.value, problem: { ...drill.value.problem, yours: true } };
	} catch (e) {
		if (e instanceof Refused) toast(inWords(e), { bad: true });
	}
}

/** The verdict on an answer, and the next step. */
export function Feedback({ p, onNext, brief }: { p: Problem; onNext: () => void; brief?: boolean }) {
	const a = answer.value;
	if (!a) return null;
	const right = a.verdict.accepted;
	const done = solved.value;
	const f = first.value;
	const back = f && (f.due ?? [])[f.grade - 1];
	return (
		<>
			<p class={right ? "good-text big-result" : "bad-text big-result"}>{done && !right ? t("drill_given_up", { move: a.best.m }) : verdictText(a.verdict, p)}</p>
			{a.text && <p class="author">{a.text}</p>}
			{!done && (a.verdict.line?.length ?? 0) > 1 && <p class="dim">{t("drill_refuted")}</p>}
			{done && !brief && a.played && <p class="dim">{t("drill_played", { move: a.played })} <LossChip loss={a.loss} cls={classOf(a.loss)} /></p>}
			{done && !brief && !p.after && a.reason && <p>{why({ claims: a.claims, reason: a.reason, better: a.best.m, loss: a.loss, m: a.played, c: p.toMove })}</p>}
			{done && back ? <p class="dim">{t("drill_back", { time: duration(Math.max(60, back - Date.now() / 1000)) })} {f.grade > 1 && <button class="plain" onClick={() => void seeAgain()}>{t("drill_again")}</button>}</p> : null}
			{line.all.value.length > 1 && <LinePlayer line={line} />}
			<div class="row">
				{done ? <button class="button primary" onClick={onNext}>{t("drill_next")}</button> : (
					<>
						<button class="button primary" onClick={tryAgain}>{t("drill_try")}</button>
						<button class="button quiet" onClick={showMe}>{t("drill_show")}</button>
					</>
				)}
			</div>
		</>
	);
}

/** The board of the problem that is asked. */
export function ProblemBoard({ p, onWaiting }: { p: Problem; onWaiting?: (q: unknown) => void }) {
	const [w, h] = size.value;
	const a = answer.value;
	const stones = tried.value < 0 ? p.stones : play(p.stones, tried.value, p.toMove as Colour, w, h).stones;
	return (
		<Board w={w} h={h} stones={stones} last={p.last && p.last !== "pass" ? point(p.last, w, h) : -1} legal={a ? "0".repeat(w * h) : p.legal} turn={a ? undefined : (p.toMove as Colour)} coordinates={settings.value.coordinates} confirm={settings.value.confirm}
			overlay={overlay} label={t("board_plain", { w, h })} marks={groupMarks(p, stones)} onWaiting={onWaiting} onPlay={place} />
	);
}

/** Problems one after the other, as long as the source has more; then children. */
export function Solve({ from, judge: by = ask, again, title, head, children }: { from: Source; judge?: Judge; again?: boolean; title: string; head: (d: Drill) => ComponentChildren; children: (d: Drill) => ComponentChildren }) {
	useEffect(() => {
		source = from;
		present(null, by);
		void next(false, again);
		const on = () => (solved.value ? void next() : tryAgain());
		const off = keys({
			Enter: on, n: on, r: tryAgain, s: () => !solved.value && showMe(), p: () => void give("pass"),
		}, (text) => { const [w, h] = size.value; const p = point(text.trim().toLowerCase(), w, h); if (p >= 0) { place(p, false); return true; } if (text.trim() === "pass") { void give("pass"); return true; } return false; });
		return off;
	}, []);
	const d = drill.value;
	if (!d) return <main class="empty" aria-busy="true" />;
	const p = d.problem;
	if (!p) return <main class="empty">{children(d)}</main>;
	const a = answer.value;
	return (
		<main class="play drill" data-problem={p.id} data-answered={a ? (solved.value ? "done" : "wrong") : ""} data-grade={first.value?.grade ?? ""}>
			<ProblemBoard p={p} />
			<aside class="panel" aria-label={t("panel")}>
				<section class="panel-card drill-head">
					<h1>{title}</h1>
					{head(d)}
				</section>
				{a ? <section class="panel-card mistake-box" aria-live="polite"><Feedback p={p} onNext={() => void next()} /></section> : (
					<section class="panel-card mistake-box">
						<p class={p.after ? "good-text big-result" : "big-result"}><span class={"disc small " + p.toMove} /> {problemText(p)}</p>
						{p.text && !p.after && <p class="author">{p.text}</p>}
						<p class="dim">{problemFrom(p)}</p>
						{p.player && !p.yours && (
							<p class="dim">{t("drill_player", { name: p.player })} <button class="plain" onClick={() => void told(p.player!, true)}>{t("drill_me")}</button> <button class="plain" onClick={() => void told(p.player!, false)}>{t("drill_not_me")}</button></p>
						)}
						{busy.value && <p class="dim thinking-line">{t("judging")}</p>}
						<div class="row">
							<button class="button quiet" disabled={busy.value} onClick={showMe}>{t("drill_show")}</button>
							<button class="button quiet" disabled={busy.value} onClick={() => void give("pass")}>{t("pass")}</button>
							<button class="button quiet" disabled={busy.value} onClick={() => void next(true)}>{t("drill_skip")}</button>
						</div>
					</section>
				)}
			</aside>
		</main>
	);
}

const ask: Judge = (p, m, seconds, again) => send<DrillVerdict>("drill.answer", { id: p.id, after: p.after, m, seconds, again });

/** The problems that are due; first the one with an id, then those of its collection, or of the collection ?set. */
export function Drills({ id }: { id: string }) {
	let [only, set] = [id, query().get("set") ?? undefined];
	const due: Source = async (not) => {
		if (!only) return send<Drill>("drill.next", { not, set }, true);
		const problem = await send<Problem>("drill.problem", { id: only }, true);
		[only, set] = ["", problem.set];
		return { due: 0, fresh: 0, total: 1, problem };
	};
	return (
		<Solve key={id + set} from={due} again={query().has("again")} title={t("problems")} head={(d) => <p class="dim">{[d.due > 0 && t("drills_due", { n: d.due }), d.fresh > 0 && t("drills_new", { n: d.fresh })].filter(Boolean).join(", ")}</p>}>
			{(d) => {
				const wait = d.next ? d.next - Date.now() / 1000 : 0;
				return (
					<>
						<h1>{t("problems")}</h1>
						<p>{d.total === 0 ? t("drills_none") : t("drills_done") + (wait > 0 ? " " + t("drills_wait", { time: duration(wait) }) : "")}</p>
						<div class="row"><a class="button primary" href="/problems">{t("problems_title")}</a><a class="button quiet" href="/review">{t("review")}</a></div>
					</>
				);
			}}
		</Solve>
	);
}
