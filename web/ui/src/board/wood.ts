// The board without stones, drawn on a canvas: surface, lines, star points, coordinates.
import { columnName, rowName, stars, type Coordinates, type Metrics } from "./metrics";

// Grain by a fixed seed: fine straight lines as on quartersawn wood, which the eye sees
// as a surface and not as a picture. One texture serves every board; it is stretched
// along the grain, and its colour comes from what lies under it.
const [ACROSS, ALONG] = [1024, 160];
let texture: HTMLCanvasElement | undefined;

function grain(): HTMLCanvasElement {
	if (texture) return texture;
	let seed = 20260123;
	const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
	const table = Float32Array.from({ length: 4096 }, random);
	const noise = (x: number) => {
		const i = Math.floor(x);
		const t = x - i;
		const s = t * t * (3 - 2 * t);
		return table[i & 4095] * (1 - s) + table[(i + 1) & 4095] * s;
	};
	texture = document.createElement("canvas");
	texture.width = ACROSS;
	texture.height = ALONG;
	const ctx = texture.getContext("2d")!;
	const image = ctx.createImageData(ACROSS, ALONG);
	for (let y = 0; y < ALONG; y++) {
		const sway = 14 * noise(y / 90) + 3 * noise(900 + y / 23);
		for (let x = 0; x < ACROSS; x++) {
			const u = x + sway + 5 * noise(2000 + x / 300 + y / 170);
			const rings = noise(u / 11); // years
			const fibre = noise(1000 + u / 1.7);
			const cloud = noise(3000 + u / 160);
			const v = 0.34 * rings * rings + 0.36 * fibre + 0.34 * cloud;
			const dark = v > 0.5;
			const i = 4 * (y * ACROSS + x);
			image.data.set(dark ? [92, 52, 14, (v - 0.5) * 150] : [255, 240, 205, (0.5 - v) * 100], i);
		}
	}
	ctx.putImageData(image, 0, 0);
	return texture;
}

/** Draws everything under the stones. */
export function drawBase(ctx: CanvasRenderingContext2D, m: Metrics, w: number, h: number, flip: boolean, style: Coordinates, dpr: number): void {
	const css = getComputedStyle(ctx.canvas);
	const colour = (name: string) => css.getPropertyValue(name).trim();
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.clearRect(0, 0, m.width, m.height);
	const light = ctx.createLinearGradient(0, 0, m.width * 0.5, m.height);
	light.addColorStop(0, colour("--wood1"));
	light.addColorStop(1, colour("--wood2"));
	ctx.fillStyle = light;
	ctx.fillRect(0, 0, m.width, m.height);
	const strength = Number(colour("--grain"));
	if (strength > 0) {
		ctx.globalAlpha = strength;
		ctx.drawImage(grain(), 0, 0, m.width, m.height);
		ctx.globalAlpha = 1;
	}
	const x = (i: number) => m.margin + i * m.cell;
	// On whole device pixels: a line that is one pixel wide stays so.
	const line = (i: number, j: number, wide: number, tall: number) => ctx.fillRect(Math.round(x(i) * dpr) / dpr, Math.round(x(j) * dpr) / dpr, wide, tall);
	ctx.fillStyle = colour("--ink");
	for (let i = 0; i < w; i++) line(i, 0, (i === 0 || i === w - 1 ? 2 : 1) * m.line, m.cell * (h - 1) + m.line);
	for (let j = 0; j < h; j++) line(0, j, m.cell * (w - 1) + m.line, (j === 0 || j === h - 1 ? 2 : 1) * m.line);
	for (const p of stars(w, h)) {
		ctx.beginPath();
		ctx.arc(x(p % w) + m.line / 2, x(Math.floor(p / w)) + m.line / 2, Math.max(1.8, Math.min(4.5, m.cell * 0.085)), 0, 7);
		ctx.fill();
	}
	if (!m.coords) return;
	ctx.fillStyle = colour("--coord");
	ctx.font = `500 ${m.font}px system-ui, sans-serif`;
	ctx.textAlign = "center";
	ctx.textBaseline = "middle";
	const near = (m.margin - m.cell / 2) / 2 + 1;
	const both = Math.min(m.width, m.height) >= 640;
	for (let i = 0; i < w; i++) {
		const name = columnName(flip ? w - 1 - i : i, style);
		ctx.fillText(name, x(i), near);
		if (both) ctx.fillText(name, x(i), m.height - near);
	}
	for (let j = 0; j < h; j++) {
		const name = rowName(flip ? h - 1 - j : j, h, style);
		ctx.fillText(name, near, x(j) + 0.5);
		if (both) ctx.fillText(name, m.width - near, x(j) + 0.5);
	}
}
