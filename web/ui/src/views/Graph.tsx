import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { leadText, signed, t } from "../i18n";
import { SCALE } from "../board/overlay";

export interface Point {
	lead?: number;
	winrate?: number;
	loss?: number;
	cls?: number;
	colour?: string;
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Lead on an arcsinh scale, Black up, the winrate dashed, mistakes as ticks. */
export function Graph({ points, at, onSeek, height, winrate = true }: { points: Point[]; at: number; onSeek: (i: number) => void; height: number; winrate?: boolean }) {
	const box = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot | null>(null);
	const now = useRef({ points, at, onSeek });
	now.current = { points, at, onSeek };

	useEffect(() => {
		const el = box.current!;
		const make = () => {
			plot.current?.destroy();
			const font = "11px system-ui, sans-serif";
			const axis = { stroke: css("--dim"), font, grid: { stroke: css("--line"), width: 1 }, ticks: { show: false } };
			plot.current = new uPlot(
				{
					width: el.clientWidth, height, padding: [8, winrate ? 4 : 12, 0, 0], legend: { show: false }, cursor: { show: false },
					scales: { x: { time: false }, lead: { distr: 4, asinh: 2, range: (_, lo, hi) => { const m = Math.max(5, Math.min(100, Math.max(Math.abs(lo ?? 0), Math.abs(hi ?? 0)))); return [-m, m]; } }, win: { range: [0, 100] } },
					axes: [
						{ ...axis, size: 22, splits: (u) => { const max = u.scales.x.max ?? 0; const step = max > 160 ? 50 : max > 60 ? 20 : max > 20 ? 10 : 5; return Array.from({ length: Math.floor(max / step) + 1 }, (_, i) => i * step); } },
						{ ...axis, scale: "lead", size: 42, filter: (_, all) => all, splits: (u) => ticks(u), values: (_, v) => v.map((x) => (x === 0 ? "0" : (x > 0 ? "B+" : "W+") + Math.abs(x))) },
						{ ...axis, scale: "win", side: 1, size: 34, show: winrate, grid: { show: false }, splits: () => [0, 50, 100], values: (_, v) => v.map((x) => x + "%") },
					],
					series: [
						{},
						{ scale: "lead", stroke: css("--accent"), width: 2, spanGaps: true, points: { show: false } },
						{ scale: "win", stroke: css("--winrate"), width: 1.5, dash: [5, 4], spanGaps: true, points: { show: false }, show: winrate },
					],
					hooks: {
						draw: [(u) => {
							const { ctx, bbox } = u;
							const dpr = devicePixelRatio;
							ctx.save();
							now.current.points.forEach((p, i) => {
								if (!p.cls || p.cls < 2) return;
								const x = u.valToPos(i, "x", true);
								ctx.fillStyle = SCALE[p.cls][0];
								const long = (3 + 2.2 * p.cls) * dpr;
								ctx.fillRect(x - 1.5 * dpr, p.colour === "b" ? bbox.top : bbox.top + bbox.height - long, 3 * dpr, long);
							});
							const x = u.valToPos(now.current.at, "x", true);
							ctx.fillStyle = css("--text");
							ctx.globalAlpha = 0.55;
							ctx.fillRect(x - 0.75 * dpr, bbox.top, 1.5 * dpr, bbox.height);
							ctx.restore();
						}],
					},
				},
				data(now.current.points), el,
			);
		};
		make();
		const observer = new ResizeObserver(() => el.clientWidth > 0 && plot.current?.setSize({ width: el.clientWidth, height }));
		observer.observe(el);
		const dark = matchMedia("(prefers-color-scheme: dark)");
		dark.addEventListener("change", make);
		return () => { observer.disconnect(); dark.removeEventListener("change", make); plot.current?.destroy(); plot.current = null; };
	}, [height, winrate]);
	useEffect(() => { plot.current?.setData(data(points)); }, [points]);
	useEffect(() => { plot.current?.redraw(false); }, [at]);

	const seek = (e: PointerEvent) => {
		const u = plot.current;
		if (!u) return;
		const r = u.over.getBoundingClientRect();
		onSeek(Math.max(0, Math.min(points.length - 1, Math.round(u.posToVal(e.clientX - r.left, "x")))));
	};
	const lead = points[at]?.lead;
	return (
		<div class="graph" ref={box} role="img" aria-label={lead === undefined ? t("graph") : t("graph_said", { lead: leadText(lead), n: at })}
			onPointerDown={(e) => { e.currentTarget.setPointerCapture(e.pointerId); seek(e); }} onPointerMove={(e) => e.buttons && seek(e)} />
	);
}

// The numbers of the lead's axis, from 0 outwards, as far apart as they can be read.
function ticks(u: uPlot): number[] {
	const y = (v: number) => u.valToPos(v, "lead");
	const out = [0];
	let last = 0;
	for (const v of [1, 5, 10, 20, 50]) {
		if (v > (u.scales.lead.max ?? 50)) break;
		if (!(Math.abs(y(v) - y(last)) >= 13)) continue;
		out.unshift(-v);
		out.push(v);
		last = v;
	}
	return out;
}

function data(points: Point[]): uPlot.AlignedData {
	return [points.map((_, i) => i), points.map((p) => p.lead ?? null), points.map((p) => (p.winrate === undefined ? null : p.winrate * 100))];
}

export { signed };
