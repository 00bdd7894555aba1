import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Day, DayProblem, Drill, Problem, Profile } from "../gen/api";
import { language, t, warned } from "../i18n";
import { Icon } from "../icons";
import { send, watch } from "../net";
import { Solve } from "./Drills";
import { Mini } from "./Mini";

const day = signal<Day | null>(null);
const warn = signal("");

const list = (): DayProblem[] => (day.value?.problems ?? []) as DayProblem[];
const open = (): DayProblem[] => list().filter((p) => !p.grade);

// The next of today's problems that is not answered yet.
async function next(not: string): Promise<Drill> {
	day.value = (await send<Profile>("watch", { what: "profile" }, true)).day;
	const left = open();
	const q = left.find((p) => p.id !== not) ?? left[0];
	return { due: left.length, fresh: 0, total: list().length, problem: q && (await send<Problem>("drill.problem", { id: q.id }, true)) };
}

/** How many days in a row, and the last seven of them. */
export function Streak({ d }: { d: Day }) {
	const names = (d.week as unknown as boolean[]).map((_, i) => {
		const at = new Date(d.date + "T12:00");
		at.setDate(at.getDate() - 6 + i);
		return at.toLocaleDateString(language.value, { weekday: "narrow" });
	});
	return (
		<div class="streak">
			<strong>{d.streak > 0 ? t("streak", { n: d.streak }) : t("streak_none")}</strong>
			<span class="week" role="img" aria-label={t("streak_week", { n: (d.week as unknown as boolean[]).filter(Boolean).length })}>
				{(d.week as unknown as boolean[]).map((done, i) => <span key={i} class={done ? "on" : ""}><span class="day">{names[i]}</span>{done ? <Icon name="check" size={14} /> : <span class="hole" />}</span>)}
			</span>
			{d.best > d.streak && <span class="dim">{t("streak_best", { n: d.best })}</span>}
		</div>
	);
}

function grade(p: DayProblem): string {
	return p.grade ? t(`grade_${p.grade}` as "grade_1") : t("problem_open");
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
		</main>
	);
	return (
		<main class="problems">
			<h1>{t("problems_title")}</h1>
			<p class="dim">{t("problems_text")}</p>
			{warn.value && <p class="note warn">{warn.value}</p>}
			<ol class="problem-row">
				{list().map((p, i) => {
					const [w, h] = p.size as unknown as [number, number];
					return (
						<li key={p.id} class={p.grade ? "graded-" + p.grade : ""}>
							<Mini w={w} h={h} stones={p.stones} size={104} />
							<span>{i + 1}. {grade(p)}</span>
						</li>
					);
				})}
			</ol>
			{left > 0 ? <a class="button primary big" href="/problems/today">{t(left < list().length ? "problems_continue" : "problems_begin")}</a> : <p class="good-text"><Icon name="check" /> {t("problems_done")}</p>}
			<Streak d={d} />
			<a class="button quiet" href="/drills">{t("problems_more")}</a>
		</main>
	);
}

export function Problems({ id }: { id: string }) {
	useEffect(() => watch<Profile>("profile", (p) => { day.value = p.day; warn.value = warned(p); }), []);
	if (id !== "today") return <Today />;
	return (
		<Solve key="today" from={next} title={t("problems_title")} head={() => (
			<p class="row today-dots" aria-label={t("of", { n: list().length - open().length, of: list().length })}>
				{list().map((p, i) => <span key={p.id} class={"dot-grade" + (p.grade ? " graded-" + p.grade : "")} title={grade(p)}>{i + 1}</span>)}
			</p>
		)}>
			{() => (
				<>
					<Icon name="check" size={48} />
					<h1>{t(list().length ? "problems_done" : "problems_none")}</h1>
					{day.value && list().length > 0 && <Streak d={day.value} />}
					<div class="row"><a class="button primary" href="/">{t("new_game")}</a><a class="button quiet" href="/problems">{t("problems_title")}</a></div>
				</>
			)}
		</Solve>
	);
}
