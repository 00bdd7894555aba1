// The few rules that drawing at once needs: stones and captures. The server decides which moves
// are legal, and who has won.

export type Colour = "b" | "w";

export const other = (c: Colour): Colour => (c === "b" ? "w" : "b");

const LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/** The name of a point: "D4". Points count row by row from the top left. */
export function vertex(p: number, w: number, h: number): string {
	return LETTERS[p % w] + (h - Math.floor(p / w));
}

/** The point of a vertex, -1 for a pass, -2 if it is none. */
export function point(v: string, w: number, h: number): number {
	const text = v.trim().toUpperCase();
	if (text === "PASS") return -1;
	const x = LETTERS.indexOf(text[0]);
	const y = h - Number(text.slice(1));
	if (x < 0 || x >= w || !Number.isInteger(y) || y < 0 || y >= h || text.length < 2) return -2;
	return y * w + x;
}

export function neighbours(p: number, w: number, h: number): number[] {
	const x = p % w;
	const out: number[] = [];
	if (x > 0) out.push(p - 1);
	if (x < w - 1) out.push(p + 1);
	if (p >= w) out.push(p - w);
	if (p < w * (h - 1)) out.push(p + w);
	return out;
}

/** The chain on p and its liberties. */
export function chain(stones: string, p: number, w: number, h: number): { stones: number[]; liberties: number[] } {
	const colour = stones[p];
	const seen = new Set([p]);
	const list = [p];
	const free = new Set<number>();
	for (let i = 0; i < list.length; i++) {
		for (const q of neighbours(list[i], w, h)) {
			if (stones[q] === ".") free.add(q);
			else if (stones[q] === colour && !seen.has(q)) {
				seen.add(q);
				list.push(q);
			}
		}
	}
	return { stones: list, liberties: [...free] };
}

/** The position after a stone of c on p, without the stones that it takes; p may be -1. */
export function play(stones: string, p: number, c: Colour, w: number, h: number): { stones: string; taken: number } {
	if (p < 0 || stones[p] !== ".") return { stones, taken: 0 };
	const b = stones.split("");
	b[p] = c;
	let taken = 0;
	const remove = (q: number) => {
		const group = chain(b.join(""), q, w, h);
		if (group.liberties.length > 0) return 0;
		for (const s of group.stones) b[s] = ".";
		return group.stones.length;
	};
	for (const q of neighbours(p, w, h)) if (b[q] === other(c)) taken += remove(q);
	remove(p);
	return { stones: b.join(""), taken };
}

/** A move of a line: its point, -1 for a pass, and its number. */
export interface Step { p: number; c: Colour; n: number }

/** The moves of a line that a side begins. */
export const lineOf = (moves: readonly string[], turn: Colour, w: number, h: number): Step[] => moves.map((v, i) => ({ p: point(v, w, h), c: i % 2 ? other(turn) : turn, n: i + 1 }));

/** The position after a line: captured stones are off the board; numbers are those of its stones that are left. */
export function playOut(stones: string, line: readonly Step[], w: number, h: number): { stones: string; last: number; taken: number; numbers: Map<number, number> } {
	const numbers = new Map<number, number>();
	let [last, taken] = [-1, 0];
	for (const s of line) {
		const after = play(stones, s.p, s.c, w, h);
		[last, taken] = [s.p, after.taken];
		if (after.stones === stones) continue; // a pass
		stones = after.stones;
		numbers.set(s.p, s.n);
		for (const p of numbers.keys()) if (stones[p] === ".") numbers.delete(p);
	}
	return { stones, last, taken, numbers };
}
