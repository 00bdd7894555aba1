// The stream over the board, drawn on one canvas: candidates, ownership, policy. A pure function
// of the frame and the metrics.
import type { Metrics } from "./metrics";
import { RADIUS } from "./stones";
import type { Colour, Step } from "../rules";

export interface Disc {
	p: number;
	size: number; // 0 to 1, share of the most visits
	cls: number; // class of the loss
	best: boolean;
	top: string; // first line; empty: a dot without words
	low: string; // second line, alone where there is room for one only
}

export interface Overlay {
	stones: string; // the position under it
	discs?: Disc[];
	ownership?: Int8Array; // Black's, 127 is sure
	territory?: string; // ".bw"
	policy?: Uint8Array; // square root of the probability
	human?: Uint8Array;
	line?: Step[]; // a variation, which the board plays out
	hint?: boolean; // its stones only suggest
	region?: Set<number>; // shaded
	hints?: number[];
	turn?: Colour;
}

// The loss scale: colour and the ink on it.
export const SCALE: [string, string][] = [
	["#0B57D0", "#FFFFFF"],
	["#4FB6E6", "#14110D"],
	["#FFE97A", "#14110D"],
	["#EE7419", "#14110D"],
	["#B91C3B", "#FFFFFF"],
	["#470D4E", "#FFFFFF"],
];
const INK = "#14110D";
const SEEN = 25; // of a policy, where 255 is certain: a probability of about one in a hundred

export function draw(ctx: CanvasRenderingContext2D, o: Overlay | null, m: Metrics, w: number, h: number, flip: boolean, dpr: number): void {
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.clearRect(0, 0, m.width, m.height);
	if (!o) return;
	const area = w * h;
	const at = (p: number): [number, number] => {
		const q = flip ? area - 1 - p : p;
		return [m.margin + (q % w) * m.cell, m.margin + Math.floor(q / w) * m.cell];
	};
	if (o.region) shade(ctx, o.region, o.stones, at, m, w);
	const discs = o.line?.length ? [] : (o.discs ?? []);
	const taken = new Set(discs.map((d) => d.p));
	const bare = (p: number) => !taken.has(p) && !((o.policy?.[p] ?? 0) > SEEN || (o.human?.[p] ?? 0) > SEEN); // one sign on a point
	if (o.ownership) for (let p = 0; p < area; p++) if (bare(p)) square(ctx, o.stones[p], o.ownership[p] / 127, at(p), m);
	if (o.territory) for (let p = 0; p < area; p++) if (o.territory[p] !== o.stones[p]) square(ctx, o.stones[p], o.territory[p] === "b" ? 0.7 : o.territory[p] === "w" ? -0.7 : 0, at(p), m);
	if (o.policy) policy(ctx, o.policy, at, m, area, false, taken);
	if (o.human) policy(ctx, o.human, at, m, area, true, taken);
	for (const d of discs) {
		disc(ctx, d, at(d.p), m);
		if (!d.low) continue;
		if (o.policy) share(ctx, o.policy[d.p], at(d.p), m, []);
		if (o.human) share(ctx, o.human[d.p], at(d.p), m, [3, 3]);
	}
	if (o.hints) for (const p of o.hints) ring(ctx, at(p), m);
}

// The policy of a candidate: an arc around its disc, all the way round for certainty.
function share(ctx: CanvasRenderingContext2D, root: number, [x, y]: [number, number], m: Metrics, dash: number[]) {
	const v = (root / 255) ** 2;
	if (v < 0.005) return;
	for (const [width, colour] of [[5, "#FFF6E0"], [2.6, INK]] as const) {
		ctx.beginPath();
		ctx.arc(x, y, 0.485 * m.cell, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * v);
		ctx.strokeStyle = colour;
		ctx.lineWidth = width;
		ctx.setLineDash(width === 5 ? [] : dash);
		ctx.stroke();
	}
	ctx.setLineDash([]);
}

function square(ctx: CanvasRenderingContext2D, stone: string, v: number, [x, y]: [number, number], m: Metrics) {
	const strength = Math.abs(v);
	if (strength < 0.15 || stone === (v > 0 ? "b" : "w")) return;
	const half = 0.2 * Math.sqrt(strength) * m.cell;
	ctx.fillStyle = v > 0 ? "#1D1D20" : "#F7F4ED";
	ctx.strokeStyle = v > 0 ? "#F7F4ED88" : "#1D1D2088";
	ctx.lineWidth = 1;
	ctx.beginPath();
	ctx.rect(x - half, y - half, 2 * half, 2 * half);
	ctx.fill();
	ctx.stroke();
}

// Points to look at: the wood between the stones, with an edge around them.
function shade(ctx: CanvasRenderingContext2D, region: Set<number>, stones: string, at: (p: number) => [number, number], m: Metrics, w: number) {
	const half = m.cell / 2;
	ctx.fillStyle = "#0B57D026";
	ctx.strokeStyle = "#0B57D0";
	ctx.lineWidth = 2;
	ctx.setLineDash([6, 4]);
	for (const p of region) {
		const [x, y] = at(p);
		ctx.fillRect(x - half, y - half, m.cell, m.cell);
		ctx.beginPath();
		for (const [there, dx, dy] of [[p % w > 0 && region.has(p - 1), -1, 0], [p % w < w - 1 && region.has(p + 1), 1, 0], [region.has(p - w), 0, -1], [region.has(p + w), 0, 1]] as const) {
			if (there) continue;
			const s = at(0)[0] > at(1)[0] ? -1 : 1; // the board is turned
			ctx.moveTo(x + half * (dx ? s * dx : -1), y + half * (dy ? s * dy : -1));
			ctx.lineTo(x + half * (dx ? s * dx : 1), y + half * (dy ? s * dy : 1));
		}
		ctx.stroke();
	}
	ctx.setLineDash([]);
	uncover(ctx, stones, at, m);
}

// Clears the stones, so that everything drawn so far lies under them.
function uncover(ctx: CanvasRenderingContext2D, stones: string, at: (p: number) => [number, number], m: Metrics) {
	ctx.globalCompositeOperation = "destination-out";
	ctx.fillStyle = INK;
	for (let p = 0; p < stones.length; p++) {
		if (stones[p] === ".") continue;
		ctx.beginPath();
		ctx.arc(...at(p), RADIUS * m.cell + 0.5, 0, 7);
		ctx.fill();
	}
	ctx.globalCompositeOperation = "source-over";
}

function policy(ctx: CanvasRenderingContext2D, root: Uint8Array, at: (p: number) => [number, number], m: Metrics, area: number, hollow: boolean, taken: Set<number>) {
	ctx.font = `600 ${Math.max(9, m.cell * 0.26)}px system-ui, sans-serif`;
	ctx.textAlign = "center";
	ctx.textBaseline = "middle";
	for (let p = 0; p < area; p++) {
		const v = root[p] / 255;
		const share = v * v;
		if (root[p] <= SEEN || taken.has(p)) continue;
		const [x, y] = at(p);
		const r = Math.max(0.06, 0.46 * v) * m.cell;
		ctx.beginPath();
		ctx.arc(x, y, r, 0, 7);
		if (hollow) {
			ctx.strokeStyle = "#5F574B";
			ctx.lineWidth = 2.5;
			ctx.stroke();
		} else {
			ctx.fillStyle = "#5F574BDD";
			ctx.fill();
		}
		if (m.cell >= 26 && !hollow) {
			const inside = r > 0.24 * m.cell;
			if (!inside) { // the number gets an edge, whatever it stands on
				ctx.strokeStyle = "#FFF6E0";
				ctx.lineWidth = 3;
				ctx.lineJoin = "round";
				ctx.strokeText(String(Math.round(share * 100)), x, y + 0.5);
			}
			ctx.fillStyle = inside ? "#FFFFFF" : INK;
			ctx.fillText(String(Math.round(share * 100)), x, y + 0.5);
		}
	}
}

function disc(ctx: CanvasRenderingContext2D, d: Disc, [x, y]: [number, number], m: Metrics) {
	const [fill, ink] = SCALE[Math.min(d.cls, SCALE.length - 1)];
	const r = (d.top ? 0.3 + 0.17 * Math.sqrt(d.size) : 0.15) * m.cell;
	ctx.beginPath();
	ctx.arc(x, y, r, 0, 7);
	ctx.fillStyle = fill;
	ctx.fill();
	ctx.strokeStyle = INK;
	ctx.lineWidth = 1.5;
	ctx.stroke();
	if (d.best) {
		ctx.beginPath();
		ctx.arc(x, y, r - 2.2, 0, 7);
		ctx.strokeStyle = "#FFFFFF";
		ctx.lineWidth = 1.8;
		ctx.stroke();
	}
	if (!d.top) return;
	ctx.fillStyle = ink;
	ctx.textAlign = "center";
	ctx.textBaseline = "middle";
	const fit = (text: string, most: number) => Math.min(most, (1.62 * r) / Math.max(1, text.length * 0.56));
	const write = (text: string, weight: number, most: number, dy: number) => {
		ctx.font = `${weight} ${fit(text, most)}px system-ui, sans-serif`;
		ctx.fillText(text, x, y + dy);
	};
	// The letter leads to the row of the table, so it is always there.
	if (!d.low || d.low === d.top || m.cell < 30 || r < 0.38 * m.cell) write(d.low || d.top, 700, Math.max(9, m.cell * 0.46), 0.5);
	else {
		write(d.top, 700, m.cell * 0.29, -0.13 * m.cell);
		write(d.low, 650, m.cell * 0.26, 0.18 * m.cell);
	}
}

function ring(ctx: CanvasRenderingContext2D, [x, y]: [number, number], m: Metrics) {
	for (const [r, width, colour] of [
		[0.36, 0.13, INK],
		[0.36, 0.08, "#8AB4F8"],
	] as const) {
		ctx.beginPath();
		ctx.arc(x, y, r * m.cell, 0, 7);
		ctx.strokeStyle = colour;
		ctx.lineWidth = width * m.cell;
		ctx.stroke();
	}
}
