// Stones on a canvas: slate and shell, each a little different from its neighbour, with
// a soft shadow. They are drawn once for each size of cell and then only copied, so that
// a whole board costs a millisecond.
import type { Metrics } from "./metrics";
import type { Colour } from "../rules";

type Kind = "b" | "w" | "shadow";
interface Set { key: string; of: Record<Kind, HTMLCanvasElement[]>; images: Partial<Record<Colour, string>> }
const sets: Set[] = []; // of the sizes used last

const SLATES = 4;
const SHELLS = 7;
const SPAN = 1.36; // of a sprite, in cells
export const RADIUS = 0.478; // of a stone

function sprites(cell: number, flat: boolean): Set {
	const key = `${cell} ${flat}`;
	const known = sets.find((s) => s.key === key);
	if (known) return known;
	let seed = 7919;
	const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
	const make = (draw: (ctx: CanvasRenderingContext2D, r: number) => void) => {
		const c = document.createElement("canvas");
		c.width = c.height = Math.ceil(cell * SPAN);
		const ctx = c.getContext("2d")!;
		ctx.translate(c.width / 2, c.width / 2);
		draw(ctx, cell * RADIUS);
		return c;
	};
	const set: Set = {
		key,
		images: {},
		of: {
			shadow: flat ? [] : [make(shadow)],
			b: Array.from({ length: flat ? 1 : SLATES }, () => make(flat ? flatBlack : (ctx, r) => slate(ctx, r, random))),
			w: Array.from({ length: flat ? 1 : SHELLS }, () => make(flat ? flatWhite : (ctx, r) => shell(ctx, r, random))),
		},
	};
	sets.unshift(set);
	sets.length = Math.min(sets.length, 4);
	return set;
}

function disc(ctx: CanvasRenderingContext2D, r: number, fill: string | CanvasGradient, x = 0, y = 0): void {
	ctx.beginPath();
	ctx.arc(x, y, r, 0, 7);
	ctx.fillStyle = fill;
	ctx.fill();
}

function glow(ctx: CanvasRenderingContext2D, x: number, y: number, r: number, stops: [number, string][], from = 0): CanvasGradient {
	const g = ctx.createRadialGradient(x, y, from, x, y, r);
	for (const [at, colour] of stops) g.addColorStop(at, colour);
	return g;
}

function shadow(ctx: CanvasRenderingContext2D, r: number): void {
	const [x, y] = [0.07 * r, 0.13 * r];
	disc(ctx, r * 1.22, glow(ctx, x, y, r * 1.2, [[0, "#1E120066"], [0.72, "#1E120059"], [0.86, "#1E120026"], [1, "#1E120000"]]), x, y);
}

function slate(ctx: CanvasRenderingContext2D, r: number, random: () => number): void {
	const tone = Math.round(random() * 8);
	const grey = (v: number) => `rgb(${v + tone},${v + tone},${v + 3 + tone})`;
	disc(ctx, r, glow(ctx, -0.18 * r, -0.26 * r, r * 1.25, [[0, grey(62)], [0.45, grey(36)], [0.8, grey(20)], [1, grey(9)]]));
	ctx.save();
	ctx.beginPath();
	ctx.arc(0, 0, r, 0, 7);
	ctx.clip();
	// Soft light, as on ground stone, and a little dust of its grain.
	const [x, y] = [(-0.34 + 0.08 * random()) * r, (-0.42 + 0.08 * random()) * r];
	disc(ctx, r * 0.62, glow(ctx, x, y, r * 0.6, [[0, "#FFFFFF30"], [0.5, "#FFFFFF12"], [1, "#FFFFFF00"]]), x, y);
	if (r > 9) for (let i = 0; i < r * 1.5; i++) disc(ctx, 0.35 + random() * 0.4, random() < 0.5 ? "#FFFFFF0A" : "#00000018", (random() * 2 - 1) * r, (random() * 2 - 1) * r);
	ctx.restore();
}

function shell(ctx: CanvasRenderingContext2D, r: number, random: () => number): void {
	disc(ctx, r, glow(ctx, -0.2 * r, -0.3 * r, r * 1.3, [[0, "#FFFFFF"], [0.5, "#FBF9F3"], [0.78, "#EEE9DD"], [0.93, "#DAD3C3"], [1, "#C6BEAC"]]));
	ctx.save();
	ctx.beginPath();
	ctx.arc(0, 0, r, 0, 7);
	ctx.clip();
	if (r > 8) {
		// The lines of growth of a clam, each stone cut at another angle.
		ctx.rotate(random() * 6.283);
		const bend = r * (2.4 + random() * 2.5);
		for (let y = -r * 1.1 + random() * 0.1 * r; y < r * 1.1; y += r * (0.08 + random() * 0.09)) {
			ctx.beginPath();
			ctx.arc(0, y + bend, bend, -Math.PI / 2 - 0.6, -Math.PI / 2 + 0.6);
			ctx.strokeStyle = `rgba(148,126,86,${0.05 + 0.07 * random()})`;
			ctx.lineWidth = Math.max(0.6, r * (0.02 + 0.03 * random()));
			ctx.stroke();
		}
	}
	ctx.restore();
	ctx.beginPath();
	ctx.arc(0, 0, r - 0.4, 0, 7);
	ctx.strokeStyle = "#6E634D8C";
	ctx.lineWidth = 0.8;
	ctx.stroke();
}

const flatBlack = (ctx: CanvasRenderingContext2D, r: number) => disc(ctx, r, "#161616");
function flatWhite(ctx: CanvasRenderingContext2D, r: number): void {
	disc(ctx, r, "#161616");
	disc(ctx, r - Math.max(1, r * 0.07), "#FFFFFF");
}

// Chooses among the stones of a colour for a point: always the same one.
const hash = (p: number) => ((p * 2654435761) >>> 8) % 9973;

// The length of a cell in device pixels, as sprites are kept.
const inPixels = (m: Metrics, dpr: number): number => Math.round(m.cell * dpr * 100) / 100;

/** A stone as an image for the board's SVG, and the side of it in CSS pixels. */
export function stoneImage(c: Colour, m: Metrics, dpr: number, flat: boolean): { href: string; side: number } {
	const set = sprites(inPixels(m, dpr), flat);
	const sprite = set.of[c][0];
	return { href: (set.images[c] ??= sprite.toDataURL()), side: sprite.width / dpr };
}

const DROP = 110; // ms until a stone lies
const FADE = 170; // ms until a captured stone is gone

/** The stones of one board. */
export class StonePainter {
	private m?: Metrics;
	private w = 0;
	private flip = false;
	private dpr = 1;
	private stones = "";
	private dead?: ReadonlySet<number>;
	private flat = false;
	private fresh = new Map<number, number>(); // points with a stone that falls, since when
	private gone = new Map<number, { c: Colour; at: number }>();
	private frame = 0;

	constructor(private ctx: () => CanvasRenderingContext2D | null | undefined) {}

	/** Shows a position: new stones fall and gone ones fade, if things may move. */
	show(stones: string, m: Metrics, w: number, flip: boolean, dpr: number, flat: boolean, dead: ReadonlySet<number> | undefined, moves: boolean): void {
		const before = this.stones;
		const same = before.length === stones.length && this.m === m && this.flip === flip && this.flat === flat;
		[this.m, this.w, this.flip, this.dpr, this.flat, this.dead, this.stones] = [m, w, flip, dpr, flat, dead, stones];
		if (!same || !moves) {
			this.fresh.clear();
			this.gone.clear();
		} else {
			const now = performance.now();
			const added: number[] = [];
			const taken: number[] = [];
			for (let p = 0; p < stones.length; p++) if (stones[p] !== before[p]) (stones[p] === "." ? taken : added).push(p);
			if (added.length <= 1) {
				for (const p of added) this.fresh.set(p, now);
				for (const p of taken) this.gone.set(p, { c: before[p] as Colour, at: now });
			}
		}
		this.paint();
	}

	/** Puts a stone down at once, before anybody has said whether it may lie there. */
	put(p: number, c: Colour): void {
		if (!this.m || this.stones[p] !== ".") return;
		this.stones = this.stones.slice(0, p) + c + this.stones.slice(p + 1);
		this.copy("shadow", p, 1, 1);
		this.copy(c, p, 1, 1);
	}

	stop(): void {
		cancelAnimationFrame(this.frame);
	}

	private copy(kind: Kind, p: number, alpha: number, scale: number): void {
		const [ctx, m] = [this.ctx(), this.m];
		if (!ctx || !m) return;
		const list = sprites(inPixels(m, this.dpr), this.flat).of[kind];
		if (list.length === 0) return;
		const sprite = list[hash(p) % list.length];
		const q = this.flip ? this.stones.length - 1 - p : p;
		const [x, y] = [(m.margin + (q % this.w) * m.cell) * this.dpr + 0.5, (m.margin + Math.floor(q / this.w) * m.cell) * this.dpr + 0.5];
		ctx.globalAlpha = alpha;
		const half = sprite.width / 2;
		if (scale === 1) ctx.drawImage(sprite, Math.round(x - half), Math.round(y - half));
		else ctx.drawImage(sprite, x - half * scale, y - half * scale, sprite.width * scale, sprite.width * scale);
		ctx.globalAlpha = 1;
	}

	private paint(): void {
		cancelAnimationFrame(this.frame);
		const [ctx, m] = [this.ctx(), this.m];
		if (!ctx || !m) return;
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
		const now = performance.now();
		const falling = (p: number) => Math.min(1, (now - (this.fresh.get(p) ?? 0)) / DROP);
		for (const [p, at] of this.fresh) if (now - at > DROP) this.fresh.delete(p);
		for (const [p, g] of this.gone) if (now - g.at > FADE) this.gone.delete(p);
		for (let p = 0; p < this.stones.length; p++) if (this.stones[p] !== "." && !this.dead?.has(p)) this.copy("shadow", p, this.fresh.has(p) ? falling(p) : 1, 1);
		for (const [p, g] of this.gone) this.copy(g.c, p, 1 - (now - g.at) / FADE, 1 - (0.12 * (now - g.at)) / FADE);
		for (let p = 0; p < this.stones.length; p++) {
			const c = this.stones[p];
			if (c === ".") continue;
			const f = this.fresh.has(p) ? falling(p) : 1;
			this.copy(c as Colour, p, this.dead?.has(p) ? 0.42 : 1, f < 1 ? 1.12 - 0.12 * f * (2 - f) : 1);
		}
		if (this.fresh.size + this.gone.size > 0) this.frame = requestAnimationFrame(() => this.paint());
	}
}
