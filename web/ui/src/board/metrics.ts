// All numbers of the board's looks, in one place.

export interface Metrics {
	cell: number; // distance of lines in CSS pixels; a whole number of device pixels
	margin: number; // from the edge of the wood to the first line
	coords: boolean;
	width: number;
	height: number;
	line: number; // width of a line: one device pixel
}

/** How large a board of w by h points is drawn in a space, and where its lines are. */
export function measure(w: number, h: number, width: number, height: number, dpr: number, wanted: boolean): Metrics {
	const fit = (margin: number) => Math.floor(Math.min(width / (w - 1 + 2 * margin), height / (h - 1 + 2 * margin)) * dpr) / dpr;
	let coords = wanted;
	let cell = fit(coords ? 1.02 : 0.72);
	if (coords && cell < 24) {
		coords = false;
		cell = fit(0.72);
	}
	cell = Math.max(cell, 6);
	const margin = Math.round(cell * (coords ? 1.02 : 0.72) * dpr) / dpr;
	return { cell, margin, coords, width: cell * (w - 1) + 2 * margin, height: cell * (h - 1) + 2 * margin, line: 1 / dpr };
}

/** Star points, by the rule of fixed handicap stones. */
export function stars(w: number, h: number): number[] {
	const line = (n: number) => (n >= 13 ? 3 : n >= 7 ? 2 : -1);
	const [x, y] = [line(w), line(h)];
	if (x < 0 || y < 0) return [];
	const xs = [x, w - 1 - x];
	const ys = [y, h - 1 - y];
	const odd = w % 2 === 1 && h % 2 === 1;
	const points = ys.flatMap((b) => xs.map((a) => b * w + a));
	if (odd && w >= 9 && h >= 9) points.push(((h - 1) / 2) * w + (w - 1) / 2);
	if (odd && w >= 15 && h >= 15) {
		const [cx, cy] = [(w - 1) / 2, (h - 1) / 2];
		points.push(y * w + cx, (h - 1 - y) * w + cx, cy * w + x, cy * w + (w - 1 - x));
	}
	return points;
}

export type Coordinates = "a1" | "11" | "kanji" | "none";

const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
const DIGITS = ["", "一", "二", "三", "四", "五", "六", "七", "八", "九"];

function kanji(n: number): string {
	if (n < 10) return DIGITS[n];
	return (n < 20 ? "" : DIGITS[Math.floor(n / 10)]) + "十" + DIGITS[n % 10];
}

export const columnName = (x: number, style: Coordinates) => (style === "a1" ? LETTERS[x] : String(x + 1));
export const rowName = (y: number, h: number, style: Coordinates) => (style === "a1" ? String(h - y) : style === "kanji" ? kanji(y + 1) : String(y + 1));
