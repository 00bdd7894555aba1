import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { FileButton } from "../controls";
import type { Day, DayProblem, Drill, Problem, Profile } from "../gen/api";
import { language, num, t, warned } from "../i18n";
import { Icon } from "../icons";
import { send, watch } from "../net";
import { isDeleted, remove } from "../undo";
import { Solve } from "./Drills";
import { Mini } from "./Mini";

const day = signal<Day | null>(null);
const warn = signal("");

const list = (): DayProblem[] => day.value?.problems ?? [];
const open = (): DayProblem[] => list().filter((p) => !p.grade);

// The next of today's problems, after the one asked last, that is not answered yet.
async function next(not: string): Promise<Drill> {
	day.value = (await send<Profile>("watch", { what: "profile" }, true)).day;
	const left = open();
	const at = list().findIndex((p) => p.id === not);
	const q = left.find((p) => list().indexOf(p) > at) ?? left[0];
	return { due: left.length, fresh: 0, total: list().length, problem: q && (await send<Problem>("drill.problem", { id: q.id }, true)) };
}

/** How many days in a row, and the last seven of them. */
export function Streak({ d }: { d: Day }) {
	const names = d.week.map((_, i) => {
		const at = new Date(d.date + "T12:00");
		at.setDate(at.getDate() - 6 + i);
		return at.toLocaleDateString(language.value, { weekday: "narrow" });
	});
	return (
		<div class="streak">
			<strong>{d.streak > 0 ? t("streak", { n: d.streak }) : t("streak_none")}</strong>
			<span class="week" role="img" aria-label={t("streak_week", { n: d.week.filter(Boolean).length })}>
				{d.week.map((done, i) => <span key={i} class={done ? "on" : ""}><span class="day">{names[i]}</span>{done ? <Icon name="check" size={14} /> : <span class="hole" />}</span>)}
			</span>
			{d.best > d.streak && <span class="dim">{t("streak_best", { n: d.best })}</span>}
		</div>
	);
}

const said = (p: DayProblem): string => t(!p.grade ? "problem_open" : p.right ? "problem_right" : "problem_missed");
const mark = (p: DayProblem): string => (!p.grade ? "" : p.right ? "right" : "missed");

/** The problems of the day that are answered, how many at the first try, and the others once more. */
function Score() {
	const missed = list().filter((p) => p.grade && !p.right);
	return (
		<>
			<p class="big-result">{t("problems_score", { n: list().filter((p) => p.right).length, of: list().length })}</p>
			{missed.length > 0 && (
				<section class="missed-list" aria-labelledby="missed">
					<h2 id="missed">{t("problems_missed")}</h2>
					<ul class="problem-row">
						{missed.map((p) => {
							const [w, h] = p.size;
							return <li key={p.id} class="missed"><a href={`/drills/${p.id}?again`}><Mini w={w} h={h} stones={p.stones} size={104} /><span>{list().indexOf(p) + 1}. {t("drill_try")}</span></a></li>;
						})}
					</ul>
				</section>
			)}
		</>
	);
}

function Collections() {
	const sets = (day.value?.sets ?? []).filter((s) => !isDeleted("problems:" + s.id));
	return (
		<section class="card kept" aria-labelledby="own">
			<h2 id="own">{t("problems_own")}</h2>
			<p class="dim">{t("problems_own_text")}</p>
			<div class="row"><FileButton text={t("choose_file")} /></div>
			<ul class="kept-list">
				{sets.map((s) => (
					<li key={s.id} class="kept-row">
						<a href={"/drills?set=" + s.id}><strong>{s.name}</strong> <span class="dim">{t("problems_solved", { n: s.solved, of: num(s.problems) })}</span></a>
						<button class="plain icon-only" aria-label={t("delete")} onClick={() => remove("problems:" + s.id, t("problems_removed"), () => send("drill.forget", { id: s.id }, true))}><Icon name="bin" size={18} /></button>
					</li>
				))}
			</ul>
		</section>
	);
}

function Today() {
	const d = day.value;
	if (!d) return <main class="empty" aria-busy="true" />;
	const left = open().length;
	if (list().length === 0) return (
		<main class="empty">
			<h1>{t("problems_title")}</h1>
			<p>{t("problems_none")}</p>
			<div class="row"><a class="button primary" href="/new">{t("new_game")}</a><a class="button quiet" href="/review">{t("review")}</a><a class="button quiet" href="/learn">{t("learn")}</a></div>
			<Collections />
		</main>
	);
	return (
		<main class="problems">
			<h1>{t("problems_title")}</h1>
			<p class="dim">{t("problems_text")}</p>
			{warn.value && <p class="note warn">{warn.value}</p>}
			<ol class="problem-row">
				{list().map((p, i) => {
					const [w, h] = p.size;
					return (
						<li key={p.id} class={mark(p)}>
							<Mini w={w} h={h} stones={p.stones} size={104} />
							<span>{i + 1}. {said(p)}</span>
						</li>
					);
				})}
			</ol>
			{left > 0 ? <a class="button primary big" href="/problems/today">{t(left < list().length ? "problems_continue" : "problems_begin")}</a> : <><p class="good-text"><Icon name="check" /> {t("problems_done")}</p><Score /></>}
			<Streak d={d} />
			<a class="button quiet" href="/drills">{t("problems_more")}</a>
			<Collections />
		</main>
	);
}

export function Problems({ id }: { id: string }) {
	useEffect(() => watch<Profile>("profile", (p) => { day.value = p.day; warn.value = warned(p); }), []);
	if (id !== "today") return <Today />;
	return (
		<Solve key="today" from={next} title={t("problems_title")} head={() => (
			<p class="row today-dots" aria-label={t("of", { n: list().length - open().length, of: list().length })}>
				{list().map((p, i) => <span key={p.id} class={"dot-grade " + mark(p)} title={said(p)}>{i + 1}</span>)}
			</p>
		)}>
			{() => (
				<>
					<Icon name="check" size={48} />
					<h1>{t(list().length ? "problems_done" : "problems_none")}</h1>
					{list().length > 0 && <Score />}
					{day.value && list().length > 0 && <Streak d={day.value} />}
					<div class="row"><a class="button primary" href="/new">{t("new_game")}</a><a class="button quiet" href="/problems">{t("problems_title")}</a></div>
				</>
			)}
		</Solve>
	);
}
