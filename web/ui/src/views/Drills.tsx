import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Board, type Mark } from "../board/Board";
import { Line, LinePlayer } from "../board/Line";
import type { Overlay } from "../board/overlay";
import type { Drill, DrillVerdict, Problem } from "../gen/api";
import { duration, problemText, t, verdictText, why } from "../i18n";
import { keys } from "../keys";
import { say, toast } from "../live";
import { inWords, Refused, send } from "../net";
import { play, point, vertex, type Colour } from "../rules";
import { settings } from "../settings";
import { stoneSound } from "../sound";
import { classOf, LossChip } from "./Loss";

export const drill = signal<Drill | null>(null);
export const answer = signal<DrillVerdict | null>(null);
const grade = signal(0);
const solution = new Line();
const busy = signal(false);
const tried = signal(-1); // the point of the stone that is being judged
const asked = signal(0); // problems of this visit
let began = 0;
const LONGEST = 12; // moves of a solution

const size = computed(() => (drill.value?.problem?.size ?? [9, 9]) as unknown as [number, number]);

// After an answer the stone that was placed, then the best line.
const overlay = computed<Overlay | null>(() => {
	const p = drill.value?.problem;
	const a = answer.value;
	if (!p || !a) return null;
	const [w, h] = size.value;
	const o: Overlay = { stones: p.stones };
	if (solution.of.value) o.line = solution.shown.value;
	else if (a.verdict.m) o.discs = [{ p: point(a.verdict.m, w, h), size: 1, cls: a.verdict.cls, best: a.verdict.accepted, top: a.verdict.accepted ? "✓" : "✕", low: "" }].filter((d) => d.p >= 0);
	return o;
});

// The line that solves the problem: from the player's own move where that did.
function show(): void {
	const [p, a] = [drill.value?.problem, answer.value];
	if (!p || !a) return;
	if (solution.of.value) return solution.close();
	const moves = (a.verdict.accepted && a.verdict.line?.length ? a.verdict.line : a.best.line) ?? [a.best.m];
	solution.open("best", p.stones, moves.slice(0, LONGEST), p.toMove as Colour, ...size.value);
}

/** Steps through the solution, once it is shown. */
export const Solution = () => <LinePlayer line={solution} />;

// The triangles on the group that a problem is about.
function groupMarks(p: Problem): Mark[] {
	const [w, h] = p.size as unknown as [number, number];
	return ((p.group ?? []) as string[]).map((v) => point(v, w, h)).filter((at) => p.stones[at] !== ".").map((at) => ({ k: "tr", p: at }));
}

type Source = (not: string) => Promise<Drill>;
type Judge = (p: Problem, move: string, seconds: number) => Promise<DrillVerdict | null>;
let source: Source;
let judge: Judge; // null: nothing is known of the move

/** Asks a problem; null: there is none yet. */
export function present(d: Drill | null, by: Judge = ask): void {
	judge = by;
	drill.value = d;
	answer.value = null;
	grade.value = 0;
	solution.close();
	began = performance.now();
}

async function next(not = ""): Promise<void> {
	try {
		const d = await source(not);
		present(d, judge);
		if (d.problem) say(problemText(d.problem));
	} catch (e) {
		if (e instanceof Refused) toast(inWords(e), { bad: true });
	}
}

async function give(move: string): Promise<void> {
	const p = drill.value?.problem;
	if (!p || busy.value || answer.value) return;
	const [w, h] = size.value;
	busy.value = true;
	tried.value = move && move !== "pass" ? point(move, w, h) : -1;
	try {
		const a = await judge(p, move, (performance.now() - began) / 1000);
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
		answer.value = a;
		show();
		grade.value = a.grade;
		asked.value++;
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

async function setGrade(g: number): Promise<void> {
	const p = drill.value?.problem;
	if (!p || !answer.value) return;
	try {
		await send("drill.grade", { id: p.id, grade: g });
		grade.value = g;
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

function Answered({ a, p }: { a: DrillVerdict; p: Problem }) {
	const now = Date.now() / 1000;
	return (
		<section class="panel-card mistake-box" aria-live="polite">
			<p class={a.verdict.accepted ? "good-text big-result" : "bad-text big-result"}>{a.verdict.m ? verdictText(a.verdict, p) : t("drill_given_up", { move: a.best.m })}</p>
			{p.after ? !a.verdict.accepted && a.best.m && <p>{t("drill_given_up", { move: a.best.m })}</p> : <p>{why({ claims: a.claims, reason: a.reason, better: a.best.m, loss: a.loss, m: a.played, c: p.toMove })}</p>}
			{a.played && <p class="dim">{t("drill_played", { move: a.played })} <LossChip loss={a.loss} cls={classOf(a.loss)} /></p>}
			<button class="button quiet small" aria-pressed={!!solution.of.value} onClick={show}>{t("show_line")}</button>
			<Solution />
			{a.due?.length > 0 && <div class="grades" role="radiogroup" aria-label={t("drill_grade")}>
				{([1, 2, 3, 4] as const).map((g) => (
					<button key={g} role="radio" aria-checked={grade.value === g} class={grade.value === g ? "on" : ""} onClick={() => void setGrade(g)}>
						{t(`grade_${g}`)}<span class="dim">{duration(Math.max(60, ((a.due as unknown as number[])[g - 1] ?? now) - now))}</span>
					</button>
				))}
			</div>}
			<button class="button primary" onClick={() => void next()}>{t("drill_next")}</button>
		</section>
	);
}

/** The board of the problem that is asked. */
export function ProblemBoard({ p, onWaiting }: { p: Problem; onWaiting?: (q: unknown) => void }) {
	const [w, h] = size.value;
	const a = answer.value;
	return (
		<Board w={w} h={h} stones={tried.value < 0 ? p.stones : play(p.stones, tried.value, p.toMove as Colour, w, h).stones} last={p.last && p.last !== "pass" ? point(p.last, w, h) : -1} legal={a ? "0".repeat(w * h) : p.legal} turn={a ? undefined : (p.toMove as Colour)} coordinates={settings.value.coordinates} confirm={settings.value.confirm}
			overlay={overlay} label={t("board_plain", { w, h })} marks={groupMarks(p)} onWaiting={onWaiting} next={a?.played ? [{ p: point(a.played, w, h), c: p.toMove as Colour }].filter((x) => x.p >= 0) : undefined} onPlay={place} />
	);
}

/** Problems one after the other, as long as the source has more; then children. */
export function Solve({ from, judge: by = ask, title, head, children }: { from: Source; judge?: Judge; title: string; head: (d: Drill) => ComponentChildren; children: (d: Drill) => ComponentChildren }) {
	useEffect(() => {
		source = from;
		present(null, by);
		asked.value = 0;
		void next();
		const off = keys({
			"1": () => void setGrade(1), "2": () => void setGrade(2), "3": () => void setGrade(3), "4": () => void setGrade(4), Enter: () => answer.value && void next(), n: () => answer.value && void next(),
			s: () => (answer.value ? show() : void give("")), p: () => void give("pass"),
		}, (text) => { const [w, h] = size.value; const p = point(text.trim().toLowerCase(), w, h); if (p >= 0) { place(p, false); return true; } if (text.trim() === "pass") { void give("pass"); return true; } return false; });
		return off;
	}, []);
	const d = drill.value;
	if (!d) return <main class="empty" aria-busy="true" />;
	const p = d.problem;
	if (!p) return <main class="empty">{children(d)}</main>;
	const a = answer.value;
	return (
		<main class="play drill" data-problem={p.id} data-answered={a ? grade.value : ""}>
			<ProblemBoard p={p} />
			<aside class="panel" aria-label={t("panel")}>
				<section class="panel-card drill-head">
					<h1>{title}</h1>
					{head(d)}
				</section>
				{a ? <Answered a={a} p={p} /> : (
					<section class="panel-card mistake-box">
						<p class={p.after ? "good-text big-result" : "big-result"}><span class={"disc small " + p.toMove} /> {problemText(p)}</p>
						<p class="dim">{p.level ? t("life_level", { n: p.n, level: p.level }) : t("drill_from", { game: p.game.replace(/\.sgf$/i, ""), n: p.n })}</p>
						{p.player && !p.yours && (
							<p class="dim">{t("drill_player", { name: p.player })} <button class="plain" onClick={() => void told(p.player!, true)}>{t("drill_me")}</button> <button class="plain" onClick={() => void told(p.player!, false)}>{t("drill_not_me")}</button></p>
						)}
						{busy.value && <p class="dim thinking-line">{t("judging")}</p>}
						<div class="row">
							<button class="button quiet" disabled={busy.value} onClick={() => void give("")}>{t("drill_show")}</button>
							<button class="button quiet" disabled={busy.value} onClick={() => void give("pass")}>{t("pass")}</button>
							<button class="button quiet" disabled={busy.value} onClick={() => void next(p.id)}>{t("drill_skip")}</button>
						</div>
					</section>
				)}
			</aside>
		</main>
	);
}

const ask: Judge = (p, m, seconds) => send<DrillVerdict>("drill.answer", { id: p.id, after: p.after, m, seconds });
const due: Source = (not) => send<Drill>("drill.next", { not }, true);

export function Drills(_: { id: string }) {
	return (
		<Solve from={due} title={t("drills")} head={(d) => <p class="dim">{[d.due > 0 && t("drills_due", { n: d.due }), d.fresh > 0 && t("drills_new", { n: d.fresh })].filter(Boolean).join(", ")}</p>}>
			{(d) => {
				const wait = d.next ? d.next - Date.now() / 1000 : 0;
				return (
					<>
						<h1>{t("drills")}</h1>
						<p>{d.total === 0 ? t("drills_none") : t("drills_done") + (wait > 0 ? " " + t("drills_wait", { time: duration(wait) }) : "")}</p>
						<a class="button primary" href="/review">{t("review")}</a>
					</>
				);
			}}
		</Solve>
	);
}
