// The report of a training loop as one file, in English as the command that writes it.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Board } from "../board/Board";
import type { Overlay } from "../board/overlay";
import { Icon } from "../icons";
import { keys } from "../keys";
import { point } from "../rules";

type Numbers = Record<string, number>;
interface Seconds { selfplay: number; train: number; gate: number }
interface Made { iteration: number; evals?: number; games: number; rows: number; samples: number; window: number; stats?: Numbers; losses?: Numbers; parts?: Numbers; seconds: Seconds }
interface Net { name: string; hours: number; games: number; rows: number; samples: number; score: number; played: number; elo: number; promoted?: boolean; gone?: boolean }
interface Rated { name: string; anchor?: boolean; hours: number; games: number; elo: number; error: number; played: number }
interface Worker { id: string; name: string; processor?: string; provider?: string; precision?: string; stored?: number; games_per_hour?: number; rejected?: number; spooled?: number }
interface Cluster {
	stored?: number; games_per_hour?: number; rejected?: number; lag_p50_seconds?: number; lag_p99_seconds?: number; worker_hours?: number; processor_hours?: number; cost?: number;
	workers?: Worker[]; set_aside?: Record<string, string>; last_rejected?: { time: string; worker: string; reason: string }[];
}
interface Played { name: string; w: number; h: number; komi: number; result: string; frames: string[]; moves: string[] | null; notes: string[] | null }

/** The data that the loop's command puts into the file. */
export interface LoopData {
	folder: string;
	state: { arch: string; iteration: number; stage: string; games: number; rows: number; samples: number; seconds: Seconds; current?: string; history?: Made[]; networks?: Net[] };
	newest: Played[] | null;
	rated: { visits: number; players?: Rated[] } | null;
	explained: Record<string, string>;
	cluster?: Cluster;
	noted: string;
}

const num = (x = 0, digits = 0): string => (Number(Number(x).toFixed(digits)) + 0).toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits }); // + 0: no "-0"
const upTo = (x = 0, digits = 0): string => x.toLocaleString("en", { maximumFractionDigits: digits });

interface Series { name: string; color: string; points: [number, number][] }

// Round numbers from below lo to above hi, about n steps of 1, 2 or 5 times a power of ten.
function ticks(lo: number, hi: number, n: number): [number, string][] {
	const raw = (hi - lo) / n;
	const power = 10 ** Math.floor(Math.log10(raw));
	const step = ([1, 2, 5, 10].find((k) => k * power >= raw * 0.999) ?? 10) * power;
	const first = Math.floor(lo / step + 1e-9);
	const last = Math.ceil(hi / step - 1e-9);
	const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
	return Array.from({ length: last - first + 1 }, (_, i) => [(first + i) * step, num((first + i) * step, digits)]);
}

const [W, H, TOP, LOW] = [480, 220, 8, 32];

function Plot({ title, across, series, why }: { title: string; across: string; series: Series[]; why?: string }) {
	const shown = series.filter((s) => s.points.length > 0);
	if (shown.length === 0) return null;
	const all = shown.flatMap((s) => s.points);
	let [y0, y1] = [Math.min(...all.map((p) => p[1])), Math.max(...all.map((p) => p[1]))];
	if (y1 - y0 < 1e-9 * Math.abs(y0) || y0 === y1) {
		const half = Math.abs(y0) / 2 || 1;
		[y0, y1] = [y0 - half, y1 + half];
	}
	const xs = ticks(Math.min(0, ...all.map((p) => p[0])), Math.max(...all.map((p) => p[0]), 1e-9), 5);
	const ys = ticks(y0, y1, 4);
	const wide = (list: [number, string][]) => Math.max(...list.map(([, label]) => label.length)) * 6.4;
	const [left, right] = [10 + wide(ys), 6 + wide(xs) / 2]; // labels stay whole
	const [x0, x1, low, high] = [xs[0][0], xs.at(-1)![0], ys[0][0], ys.at(-1)![0]];
	const x = (v: number) => left + ((v - x0) / (x1 - x0)) * (W - left - right);
	const y = (v: number) => H - LOW - ((v - low) / (high - low)) * (H - TOP - LOW);
	return (
		<figure>
			<figcaption>{title} {shown.map((s) => <span key={s.name} class="series"><i style={{ background: `var(${s.color})` }} />{s.name}</span>)}{why && <small class="dim">{why}</small>}</figcaption>
			<svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={title}>
				{ys.map(([v, label]) => <g key={v}><line x1={left} x2={W - right} y1={y(v)} y2={y(v)} /><text x={left - 5} y={y(v) + 4} text-anchor="end">{label}</text></g>)}
				{xs.map(([v, label]) => <text key={v} x={x(v)} y={H - LOW + 14} text-anchor="middle">{label}</text>)}
				<text x={(left + W - right) / 2} y={H - 2} text-anchor="middle">{across}</text>
				{shown.map((s) => (
					<g key={s.name}>
						<polyline points={s.points.map((p) => x(p[0]).toFixed(1) + "," + y(p[1]).toFixed(1)).join(" ")} style={{ stroke: `var(${s.color})` }} />
						{s.points.length < 40 && s.points.map((p, i) => <circle key={i} cx={x(p[0])} cy={y(p[1])} r="2.4" style={{ fill: `var(${s.color})` }}><title>{`${s.name}: ${num(p[1], 3)} at ${num(p[0], 2)}`}</title></circle>)}
					</g>
				))}
			</svg>
		</figure>
	);
}

function Charts({ d }: { d: LoopData }) {
	const made = d.state.history ?? [];
	const played = (d.state.networks ?? []).filter((n) => n.promoted);
	const rated = d.rated?.players ?? [];
	const own = rated.filter((p) => !p.anchor);
	const byRating = (f: (p: Rated) => number): Series[] => own.length === 0 ? [] : [{ name: "networks", color: "--c1", points: own.map((p) => [f(p), p.elo]) },
		...rated.filter((p) => p.anchor).map((p, i): Series => ({ name: p.name, color: ["--c2", "--c3", "--c4"][i % 3], points: [[Math.min(...own.map(f)), p.elo], [Math.max(...own.map(f)), p.elo]] }))];
	const loss = (k: string, color: string, name = k): Series => ({ name, color, points: made.filter((r) => r.losses?.[k] !== undefined).map((r) => [r.samples / 1e6, r.losses![k]]) });
	const per = (color: string, name: string, f: (r: Made, s: Numbers) => number): Series => ({ name, color, points: made.filter((r) => (r.evals ?? 0) > 0 && (r.stats?.games ?? 0) > 0).map((r) => [r.games / 1000, f(r, r.stats!)]) });
	const share = (k: string) => (_: Made, s: Numbers) => (100 * (s[k] ?? 0)) / s.games;
	const told = (k: string) => (d.explained[k] ? d.explained[k][0].toUpperCase() + d.explained[k].slice(1) + "." : undefined);
	return (
		<div class="loop-charts">
			<Plot title="Elo by the chain of gating matches, against hours" across="hours" series={[{ name: "Elo", color: "--c1", points: played.map((n) => [n.hours, n.elo]) }]} />
			<Plot title="Elo by the chain of gating matches, against games" across="thousand games" series={[{ name: "Elo", color: "--c1", points: played.map((n) => [n.games / 1000, n.elo]) }]} />
			<Plot title={`Elo by rating games (${d.rated?.visits} visits), against hours`} across="hours" series={byRating((p) => p.hours)} />
			<Plot title="Elo by rating games, against games" across="thousand games" series={byRating((p) => p.games / 1000)} />
			<Plot title="Policy loss" across="million samples" series={[loss("policy", "--c1"), loss("policy_entropy", "--c3", "entropy of the target")]}
				why="Network and search on the next move, in nats. It cannot fall below the entropy of the target; how near it comes is what matters." />
			{([["value", "--c2", "Value loss"], ["ownership", "--c4", "Ownership loss"], ["score_mean", "--c5", "Score loss"], ["lead", "--c6", "Lead loss"]] as const).map(([k, color, title]) =>
				<Plot key={k} title={title} across="million samples" series={[loss(k, color, k.replace("_", " "))]} why={told(k)} />)}
			<Plot title="Share of moves and results foretold" across="million samples" series={[loss("policy_top1", "--c1", "policy"), loss("value_accuracy", "--c2", "value")]}
				why="How often the network's first move is that of the search, and how often it names the winner." />
			<Plot title="Length of games" across="thousand games" series={[per("--c1", "moves", (_, s) => s.length / s.games)]} />
			<Plot title="Results" across="thousand games" series={[per("--c1", "Black won, %", share("black")), per("--c5", "White won, %", share("white")), per("--c3", "drawn, %", share("draws")), per("--c2", "hit the move limit, %", share("limit"))]} />
			<Plot title="Speed" across="thousand games" series={[per("--c3", "thousand games an hour of self-play", (r, s) => (s.games / Math.max(1e-9, r.seconds.selfplay)) * 3.6)]} />
			{made.some((r) => (r.stats?.tested ?? 0) > 0) && <Plot title="Resignations that would have been wrong" across="thousand games" series={[per("--c2", "%", (_, s) => (100 * (s.wrong_resigns ?? 0)) / Math.max(1, s.tested ?? 0))]} />}
			<Plot title="Window" across="thousand rows made" series={[{ name: "thousand rows", color: "--c3", points: made.map((r) => [r.rows / 1000, r.window / 1000]) }]} />
		</div>
	);
}

function Table({ id, title, head, rows }: { id: string; title: string; head: string[]; rows: string[][] }) {
	return (
		<section aria-labelledby={id + "-title"}>
			<h2 id={id + "-title"}>{title}</h2>
			<div class="wide" tabIndex={0} role="region" aria-labelledby={id + "-title"}>
				<table class="plain-table" id={id}>
					<thead><tr>{head.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
					<tbody>{rows.map((r, i) => <tr key={i}><th scope="row">{r[0]}</th>{r.slice(1).map((c, k) => <td key={k}>{c}</td>)}</tr>)}</tbody>
				</table>
			</div>
		</section>
	);
}

function Parts({ d }: { d: LoopData }) {
	const latest = (d.state.history ?? []).filter((r) => Object.keys(r.parts ?? {}).length > 0).at(-1);
	if (!latest) return null;
	const all = Object.values(latest.parts!).reduce((a, b) => a + b, 0);
	return <Table id="parts" title="What the loss is made of" head={["part", "mean", "weight", "share of the loss", "meaning"]}
		rows={Object.entries(latest.parts!).sort((a, b) => b[1] - a[1]).map(([k, v]) => {
			const mean = latest.losses?.[k] ?? 0;
			return [k.replaceAll("_", " "), num(mean, 3), mean ? num(v / mean, 5).replace(/\.?0+$/, "") : "", num((100 * v) / all, 1) + " %", d.explained[k] ?? ""];
		})} />;
}

function Machines({ c, noted }: { c: Cluster; noted: string }) {
	const refused = [...Object.entries(c.set_aside ?? {}).map(([id, why]) => `${id} was set aside: ${why}`), ...(c.last_rejected ?? []).map((r) => `${r.time} ${r.worker}: ${r.reason}`)];
	return (
		<>
			<Table id="workers" title="Workers" head={["worker", "name", "plays with", "games", "games/h", "rejected", "waiting"]}
				rows={(c.workers ?? []).map((w) => [w.id, w.name, [w.processor, w.provider, w.precision].filter(Boolean).join(", "), upTo(w.stored), upTo(w.games_per_hour), upTo(w.rejected), upTo(w.spooled)])} />
			<p class="dim">{`${noted.slice(0, 19).replace("T", " ")}: ${upTo(c.stored)} games stored, ${upTo(c.games_per_hour)} an hour, ${upTo(c.rejected)} rejected, lag ${upTo(c.lag_p50_seconds, 2)} s (p99 ${upTo(c.lag_p99_seconds, 2)} s), ${upTo(c.worker_hours, 2)} hours of workers, ${upTo(c.processor_hours, 2)} of processors`}{c.cost ? `, cost ${upTo(c.cost, 2)}.` : "."}</p>
			{refused.length > 0 && <ul id="refused">{refused.map((text) => <li key={text}>{text}</li>)}</ul>}
		</>
	);
}

const which = signal(0);
const at = signal(0);
const overlay = computed<Overlay | null>(() => null);

const resultOf = (r: string): string => r === "0" ? "draw" : r === "Void" ? "no result" : r.replace(/^([BW])\+(.*)$/, (_, c: string, how: string) => (c === "B" ? "Black" : "White") + (how === "R" ? " by resignation" : ` by ${how}`)) || "unknown result";

function Newest({ games }: { games: Played[] }) {
	const g = games[which.value];
	const go = (n: number) => (at.value = Math.max(0, Math.min(games[which.peek()].frames.length - 1, n)));
	useEffect(() => {
		go(Infinity);
		return keys({ ArrowLeft: () => go(at.peek() - 1), ArrowRight: () => go(at.peek() + 1), Home: () => go(0), End: () => go(Infinity) });
	}, []);
	const move = at.value > 0 ? (g.moves?.[at.value - 1] ?? "") : "";
	const v = at.value > 0 ? (g.notes?.[at.value - 1] ?? "").split(" ") : [];
	return (
		<section aria-labelledby="newest">
			<h2 id="newest">Newest games</h2>
			<div class="loop-games">
				<ul id="list">{games.map((o, i) => <li key={o.name + i}><button type="button" class={"chip" + (i === which.value ? " on" : "")} aria-current={i === which.value} onClick={() => { which.value = i; at.value = 0; }}>{`game ${o.name}: ${o.w}x${o.h}, komi ${o.komi}, ${resultOf(o.result)}, ${o.moves?.length ?? 0} moves`}</button></li>)}</ul>
				<div class="loop-board">
					<div class="board-space-box"><Board key={which.value} w={g.w} h={g.h} stones={g.frames[at.value].replace(/X/g, "b").replace(/O/g, "w")} last={point(/ ([A-Z]\d+)$/.exec(move)?.[1] ?? "pass", g.w, g.h)} overlay={overlay} label={`Board, ${g.w} by ${g.h}`} /></div>
					<div class="nav">
						<button class="tool" id="first" aria-label="to the beginning" onClick={() => go(0)}><Icon name="first" /></button>
						<button class="tool" id="prev" aria-label="one move back" onClick={() => go(at.value - 1)}><Icon name="back" /></button>
						<span class="where" id="at">{`move ${at.value} of ${g.frames.length - 1} ${move}`}</span>
						<button class="tool" id="next" aria-label="one move forward" onClick={() => go(at.value + 1)}><Icon name="on" /></button>
						<button class="tool" id="last" aria-label="to the end" onClick={() => go(Infinity)}><Icon name="last" /></button>
					</div>
					<p class="dim" id="note">{v.length >= 4 ? `White wins ${num(100 * Number(v[0]))} %, Black ${num(100 * Number(v[1]))} %, score for White ${v[3]}, ${v.slice(4).join(" ")}` : ""}</p>
				</div>
			</div>
		</section>
	);
}

export function LoopPage({ d }: { d: LoopData }) {
	const s = d.state;
	const hours = (x: Seconds) => (x.selfplay + x.train + x.gate) / 3600;
	const rated = d.rated?.players ?? [];
	return (
		<main class="loop">
			<h1>Training loop: <span id="folder">{d.folder}</span></h1>
			<p class="dim">{`${s.arch}, iteration ${s.iteration} (${s.stage}): ${num(s.games)} games, ${num(s.rows)} rows, ${num(s.samples)} samples, ${num(hours(s.seconds), 2)} hours (self-play ${num(s.seconds.selfplay / 3600, 2)}, training ${num(s.seconds.train / 3600, 2)}, export and match ${num(s.seconds.gate / 3600, 2)}). ${s.current || "A player of random moves"} plays.`}</p>
			<Charts d={d} />
			<Parts d={d} />
			<Table id="nets" title="Networks" head={["network", "hours", "games", "rows", "samples", "gating match", "Elo", "state"]}
				rows={[...(s.networks ?? [])].reverse().map((n) => [n.name, num(n.hours, 2), num(n.games), num(n.rows), num(n.samples), n.played ? `${num(n.score * n.played, 1)} of ${n.played}` : "", num(n.elo), n.promoted ? (n.gone ? "not kept" : "") : "refused"])} />
			{rated.length > 0 && <Table id="rated" title="Rating games" head={["player", "hours", "games made", "Elo", "± 95 %", "rating games"]}
				rows={rated.map((p) => [p.name, p.anchor ? "" : num(p.hours, 2), p.anchor ? "" : num(p.games), num(p.elo), num(p.error), num(p.played)])} />}
			{d.cluster && <Machines c={d.cluster} noted={d.noted} />}
			{(d.newest?.length ?? 0) > 0 && <Newest games={d.newest!} />}
		</main>
	);
}
