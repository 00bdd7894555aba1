import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { memo } from "preact/compat";
import uPlot from "uplot";
import type { Training as State, TrainingGame, TrainingRun } from "../gen/api";
import { duration, num, t } from "../i18n";
import { Icon } from "../icons";
import { watch } from "../net";
import { point } from "../rules";
import { Mini } from "./Mini";

const state = signal<State | null>(null);
const chosen = signal(0);
const clock = signal(0);
const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Charts share one axis, the hours of work, and one cursor.
const Chart = memo(function Chart({ title, x, y, more }: { title: string; x: number[]; y: (number | null)[]; more?: { x: number[]; y: (number | null)[]; name: string } }) {
	const box = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot | null>(null);
	const data = (): uPlot.AlignedData => {
		if (!more) return [x, y];
		const at = [...new Set([...x, ...more.x])].sort((a, b) => a - b);
		return [at, at.map((h) => y[x.indexOf(h)] ?? null), at.map((h) => more.y[more.x.indexOf(h)] ?? null)];
	};
	useEffect(() => {
		const el = box.current!;
		const axis = { stroke: css("--dim"), font: "11px system-ui, sans-serif", grid: { stroke: css("--line"), width: 1 }, ticks: { show: false } };
		plot.current = new uPlot({
			width: Math.max(200, el.clientWidth), height: 150, padding: [10, 8, 0, 0], legend: { show: false }, cursor: { sync: { key: "training" }, points: { size: 6 }, drag: { x: false, y: false } },
			scales: { x: { time: false } }, axes: [{ ...axis, size: 22, values: (_, v) => v.map((h) => `${h} h`) }, { ...axis, size: 46 }],
			series: [{}, { stroke: css("--accent"), width: 2, spanGaps: true, points: { size: 4 } }, ...(more ? [{ stroke: css("--winrate"), width: 1.5, dash: [5, 4], spanGaps: true }] : [])],
		}, data(), el);
		const observer = new ResizeObserver(() => el.clientWidth > 0 && plot.current?.setSize({ width: el.clientWidth, height: 150 }));
		observer.observe(el);
		return () => { observer.disconnect(); plot.current?.destroy(); };
	}, []);
	useEffect(() => plot.current?.setData(data()), [x, y, more]);
	const last = y.findLast((v) => v !== null);
	return (
		<figure class="chart">
			<figcaption>{title} <strong>{last === undefined || last === null ? "" : num(last, Math.abs(last) < 10 ? 3 : 0)}</strong></figcaption>
			<div ref={box} role="img" aria-label={`${title}: ${last ?? ""}`} />
		</figure>
	);
});

const run = computed(() => (state.value?.runs ?? [])[chosen.value]);

const charts = computed(() => {
	const r = run.value;
	if (!r) return [];
	const points = r.points ?? [];
	const x = points.map((p) => p.hours);
	const loss = (name: string) => points.map((p) => (p.losses as Record<string, number>)[name] ?? null);
	const rated = (r.rated ?? []).filter((p) => !p.other).sort((a, b) => a.hours - b.hours);
	const more = rated.length ? { x: rated.map((p) => p.hours), y: rated.map((p) => p.elo), name: t("chart_rated") } : undefined;
	return [
		{ title: t("chart_elo"), x, y: points.map((p) => (p.promoted ? p.elo : null)), more },
		{ title: t("chart_policy"), x, y: loss("policy") }, { title: t("chart_value"), x, y: loss("value") }, { title: t("chart_loss"), x, y: loss("loss") },
		{ title: t("chart_speed"), x, y: points.map((p) => p.speed || null) }, { title: t("chart_length"), x, y: points.map((p) => p.length || null) },
	].filter((c) => c.y.some((v) => v !== null));
});

function Newest({ games }: { games: TrainingGame[] }) {
	const which = useRef(signal(0)).current;
	const move = useRef(signal(0)).current;
	const playing = useRef(signal(false)).current;
	const g = games[which.value];
	useEffect(() => {
		const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches || document.documentElement.dataset.motion === "off";
		playing.value = !quiet;
		const timer = setInterval(() => { const now = games[which.value]; if (playing.value && document.visibilityState === "visible" && now && move.value < (now.moves ?? []).length) move.value++; }, 500);
		return () => clearInterval(timer);
	}, [games]);
	if (!g) return null;
	const [w, h] = g.size;
	const area = w * h;
	const at = Math.min(move.value, (g.moves ?? []).length);
	const last = at > 0 ? g.moves[at - 1].split(" ")[1] : "";
	return (
		<section class="panel-card">
			<h2>{t("newest_games")}</h2>
			<Mini w={w} h={h} stones={g.boards.slice(at * area, (at + 1) * area)} last={last ? point(last, w, h) : -1} size={220} />
			<div class="row">
				<button class="plain icon-only" aria-label={t(playing.value ? "pause" : "resume")} onClick={() => { if (at >= (g.moves ?? []).length) move.value = 0; playing.value = !playing.value; }}><Icon name={playing.value ? "pause" : "go"} size={16} /></button>
				<input type="range" min="0" max={(g.moves ?? []).length} value={at} aria-label={t("move_of", { n: at, of: (g.moves ?? []).length })} onInput={(e) => { playing.value = false; move.value = Number(e.currentTarget.value); }} />
				<span class="dim">{t("of", { n: at, of: (g.moves ?? []).length })}</span>
			</div>
			<div class="row">{games.map((o, i) => <button key={o.name + i} class={"chip" + (i === which.value ? " on" : "")} onClick={() => { which.value = i; move.value = 0; }}>{o.result || i + 1}</button>)}</div>
		</section>
	);
}

function Top({ r }: { r: TrainingRun }) {
	void clock.value;
	const points = r.points ?? [];
	const last = points.at(-1);
	const elo = points.filter((p) => p.promoted).at(-1)?.elo;
	const since = Date.now() / 1000 - Number(r.news);
	const stage = t(`stage_${r.stage}` as "stage_train");
	return (
		<section class="panel-card training-top">
			<div class="row"><strong>{r.arch}</strong> <span>{t("training_at", { n: r.iteration, stage })}</span>
				{r.goal > 0 && <span class="dim">{Math.floor((100 * r.done) / r.goal)} %{r.running && r.left > 0 ? " · " + t("left", { time: duration(r.left) }) : ""}</span>}</div>
			{r.goal > 0 && <progress max={r.goal} value={r.done} aria-label={stage} />}
			{r.goal > 0 && r.unit && <span class="dim">{t(`training_units_${r.unit}` as "training_units_rows", { done: r.done, goal: r.goal })}</span>}
			{!r.running ? <p class="note warn"><Icon name="warn" size={16} /> {t("training_stopped", { folder: r.folder })} {t("training_news", { time: duration(since) })}</p>
				: since > 300 ? <p class="note warn"><Icon name="warn" size={16} /> {t("training_stale", { time: duration(since) })}</p>
				: <span class="dim">{t("training_news", { time: duration(since) })}</span>}
			<div class="figures">
				<div><strong>{num(r.games)}</strong><span class="dim">{t("training_games")}</span></div>
				<div><strong>{last?.speed ? num(last.speed) : "–"}</strong><span class="dim">{t("training_speed")}</span></div>
				<div><strong>{elo === undefined ? "–" : (elo >= 0 ? "+" : "−") + num(Math.abs(elo))}</strong><span class="dim">{t("training_gained")}</span></div>
				<div><strong>{r.hours.toFixed(1)}</strong><span class="dim">{t("training_hours")}</span></div>
			</div>
			<span class="dim">{t("training_plays", { network: r.network || t("random_moves") })}</span>
		</section>
	);
}

export function Training(_: { id: string }) {
	useEffect(() => watch<State>("training", (s) => (state.value = s)), []);
	useEffect(() => { const timer = setInterval(() => clock.value++, 5000); return () => clearInterval(timer); }, []);
	const runs = state.value?.runs ?? [];
	if (!state.value) return <main class="empty" aria-busy="true" />;
	const r = run.value;
	if (!r) return <main class="empty"><h1>{t("training")}</h1><p>{t("training_none")}</p></main>;
	const points = (r.points ?? []).filter((p) => p.network).slice(-12).reverse();
	return (
		<main class="training" data-iteration={r.iteration}>
			<h1>{t("training")}: {r.folder}</h1>
			{runs.length > 1 && <div class="row">{runs.map((x, i) => <button key={x.folder + i} class={"chip" + (i === chosen.value ? " on" : "")} onClick={() => (chosen.value = i)}>{x.folder}</button>)}</div>}
			{r.error ? <p class="note warn">{r.error}</p> : (
				<div class="training-grid">
					<div class="stack">
						<Top r={r} />
						<div class="charts">{charts.value.map((c) => <Chart key={r.folder + c.title} title={c.title} x={c.x} y={c.y} more={c.more} />)}</div>
					</div>
					<div class="stack">
						<Newest games={r.newest ?? []} />
						{points.length > 0 && (
							<section class="panel-card">
								<h2>{t("networks_made")}</h2>
								<table class="plain-table"><tbody>{points.map((p) => <tr key={p.network}><th scope="row">{p.network}</th><td>{num(p.elo, 0)}</td><td class="dim">{t(p.promoted ? "promoted" : "refused")}</td></tr>)}</tbody></table>
							</section>
						)}
					</div>
				</div>
			)}
		</main>
	);
}
