import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { ReviewCard, ReviewMove, ReviewPoint } from "../gen/api";
import { leadShort, leadText, t } from "../i18n";
import { SCALE } from "../board/overlay";

export interface Point {
	lead?: number;
	winrate?: number;
	loss?: number;
	cls?: number;
	colour?: string;
}

/** The points of a graph: of each position what is known of it, and of the last one of a counted game the count. */
export function pointsOf(moves: ReviewMove[], known: Map<number, ReviewPoint>, c?: ReviewCard): Point[] {
	const end = !c?.cut && moves.length > 1 && moves.slice(-2).every((m) => m.m === "pass") && /^([BW])\+([\d.]+)$/.exec(c?.result ?? "");
	return [undefined, ...moves].map((m, i) => {
		const p = known.get(i);
		const lead = end && i === moves.length ? (end[1] === "B" ? 1 : -1) * Number(end[2]) : p?.lead;
		return { lead, winrate: p?.w, loss: m?.judged ? m.loss : undefined, cls: m?.judged ? m.cls : undefined, colour: m?.c };
	});
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const WIDEST = 40; // points of the scale: leads beyond it are drawn at the edge, and named

/** The lead in points, Black up, the winrate dashed, mistakes as ticks, fainter for the side that is not side. */
export function Graph({ points, at, onSeek, height, winrate = true, side = "both" }: { points: Point[]; at: number; onSeek: (i: number) => void; height: number; winrate?: boolean; side?: string }) {
	const box = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot | null>(null);
	const now = useRef({ points, at, side });
	now.current = { points, at, side };

	useEffect(() => {
		const el = box.current!;
		const make = () => {
			plot.current?.destroy();
			const font = "11px system-ui, sans-serif";
			const axis = { stroke: css("--dim"), font, grid: { stroke: css("--line"), width: 1 }, ticks: { show: false } };
			plot.current = new uPlot(
				{
					width: el.clientWidth, height, padding: [8, winrate ? 4 : 12, 0, 0], legend: { show: false }, cursor: { show: false },
					scales: { x: { time: false }, lead: { range: (_, lo, hi) => { const m = Math.min(WIDEST, Math.max(5, Math.abs(lo ?? 0), Math.abs(hi ?? 0))); return [-m, m]; } }, win: { range: [0, 100] } },
					axes: [
						{ ...axis, size: 22, splits: (u) => { const max = u.scales.x.max ?? 0; const step = max > 160 ? 50 : max > 60 ? 20 : max > 20 ? 10 : 5; return Array.from({ length: Math.floor(max / step) + 1 }, (_, i) => i * step); } },
						{ ...axis, scale: "lead", size: 42, label: t("points_axis"), labelFont: font, labelSize: 14, labelGap: 0, filter: (_, all) => all, splits: (u) => ticks(u), values: (_, v) => v.map((x) => (x === 0 ? "0" : (x > 0 ? "B+" : "W+") + Math.abs(x))) },
						{ ...axis, scale: "win", side: 1, size: 34, label: t("black_axis"), labelFont: font, labelSize: 14, labelGap: 0, show: winrate, grid: { show: false }, splits: () => [0, 50, 100], values: (_, v) => v.map((x) => x + "%") },
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
								const x = Math.round(u.valToPos(i, "x", true));
								const long = (3 + 2.2 * p.cls) * dpr;
								const y = p.colour === "b" ? bbox.top : bbox.top + bbox.height - long;
								ctx.globalAlpha = now.current.side === "both" || now.current.side === p.colour ? 1 : 0.35;
								ctx.fillStyle = css("--ctl"); // an edge: the darkest ticks are seen in dark colours, the palest in light ones
								ctx.fillRect(x - 2 * dpr, y - dpr, 5 * dpr, long + 2 * dpr);
								ctx.fillStyle = SCALE[p.cls][0];
								ctx.fillRect(x - dpr, y, 3 * dpr, long);
							});
							ctx.globalAlpha = 1;
							outside(u, now.current.points);
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
	useEffect(() => { plot.current?.redraw(false); }, [at, side]);

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
	const most = u.scales.lead.max ?? WIDEST;
	const step = [1, 2, 5, 10, 20, 40].find((v) => u.valToPos(0, "lead") - u.valToPos(v, "lead") >= 13) ?? 40;
	const up = Array.from({ length: Math.floor(most / step) }, (_, i) => (i + 1) * step);
	return [...up.map((v) => -v).reverse(), 0, ...up];
}

// Writes how far the lead goes beyond the scale: at the end, and where it is largest for either
// side.
function outside(u: uPlot, points: Point[]): void {
	const { ctx, bbox } = u;
	const known = points.flatMap((p, i) => (p.lead === undefined ? [] : [i]));
	const lead = (i: number) => points[i].lead!;
	const far = [known.at(-1), ...[1, -1].map((sign) => known.reduce((a, b) => (sign * lead(b) > sign * lead(a) ? b : a), known[0]))];
	const taken: number[] = [];
	ctx.font = `600 ${11 * devicePixelRatio}px system-ui, sans-serif`;
	ctx.fillStyle = css("--text");
	for (const i of far) {
		if (i === undefined || Math.abs(lead(i)) <= WIDEST) continue;
		const text = (lead(i) > 0 ? "▲ " : "▼ ") + leadShort(lead(i));
		const wide = ctx.measureText(text).width;
		const x = Math.max(bbox.left + 3, Math.min(bbox.left + bbox.width - wide - 3, u.valToPos(i, "x", true) - wide / 2));
		if (taken.some((e) => Math.abs(e - x) < wide + 8)) continue;
		taken.push(x);
		ctx.textAlign = "left";
		ctx.textBaseline = lead(i) > 0 ? "top" : "bottom";
		ctx.fillText(text, x, lead(i) > 0 ? bbox.top + 14 * devicePixelRatio : bbox.top + bbox.height - 14 * devicePixelRatio);
	}
}

function data(points: Point[]): uPlot.AlignedData {
	return [points.map((_, i) => i), points.map((p) => (p.lead === undefined ? null : Math.max(-WIDEST, Math.min(WIDEST, p.lead)))), points.map((p) => (p.winrate === undefined ? null : p.winrate * 100))];
}
