// All numbers of the board's looks, in one place.

export interface Metrics {
	cell: number; // distance of lines in CSS pixels; a whole number of device pixels
	margin: number; // from the edge of the wood to the first line
	coords: boolean;
	font: number; // of coordinates
	width: number;
	height: number;
	line: number; // width of a line: one device pixel
}

const SMALLEST = 14; // smallest cell that has coordinates beside it

/** How large a board of w by h points is drawn in a space, and where its lines are. */
export function measure(w: number, h: number, width: number, height: number, dpr: number, wanted: boolean): Metrics {
	const fit = (across: number, down: number, pad: number) => Math.max(6, Math.floor(Math.min((width - 2 * pad) / across, (height - 2 * pad) / down) * dpr) / dpr);
	const bare = fit(w + 0.4, h + 0.4, 0);
	let [cell, margin, font] = [bare, bare * 0.7, 0];
	const coords = wanted && bare >= SMALLEST;
	if (coords) {
		// Beside a stone on the edge, as small as can be read well: they grow less than the
		// board.
		font = Math.min(13, Math.max(8.5, bare * 0.3));
		const pad = font * 1.5 + 2;
		cell = fit(w, h, pad);
		margin = cell / 2 + pad;
	}
	margin = Math.floor(margin * dpr) / dpr;
	return { cell, margin, coords, font, width: cell * (w - 1) + 2 * margin, height: cell * (h - 1) + 2 * margin, line: 1 / dpr };
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
