import { useMemo, useRef, useEffect } from "preact/hooks";
import { SCALE } from "../board/overlay";
import { t } from "../i18n";
import { at, calm, children, goTo, lossOf, nodes } from "../tree";
import { classOf } from "./Loss";

const STEP = 26;
const ROW = 24;

interface Spot { id: number; x: number; y: number; parent: number }
/** A place from where variations go down, and the row of the lowest. */
interface Fork { at: Spot; to: number }
interface Layout { spots: Map<number, Spot>; rows: Spot[][]; forks: Map<number, Fork>; width: number }

// Places each node: the main line straight, each variation in the first row below that is free
// from there on.
function layout(): Layout {
	const spots = new Map<number, Spot>();
	const rows: Spot[][] = [];
	const forks = new Map<number, Fork>();
	const filled: number[] = []; // for each row, the leftmost column that is taken
	// The row of the shortest line tried from a place: a longer one fits in no row before it.
	const tried = new Map<string, { length: number; row: number }>();
	let width = 0;
	const place = (start: number, x0: number, row0: number) => {
		const stack: [number, number, number][] = [[start, x0, row0]];
		while (stack.length) {
			const [first, x1, least] = stack.pop()!;
			const run: number[] = [];
			for (let id: number | undefined = first; id !== undefined; id = children(nodes.value.get(id))[0]) run.push(id);
			const where = `${x1} ${least}`;
			const before = tried.get(where);
			let row = before && before.length <= run.length ? before.row : least;
			while ((filled[row] ?? Infinity) <= x1 + run.length) row++;
			if (!before || run.length <= before.length) tried.set(where, { length: run.length, row });
			filled[row] = Math.min(filled[row] ?? Infinity, x1 - 1);
			run.forEach((id, i) => {
				const s = { id, x: x1 + i, y: row, parent: nodes.value.get(id)!.parent };
				spots.set(id, s);
				(rows[row] ??= []).push(s);
			});
			const from = spots.get(spots.get(first)!.parent);
			if (from) forks.set(from.id, { at: from, to: Math.max(row, forks.get(from.id)?.to ?? 0) });
			width = Math.max(width, x1 + run.length);
			// The last fork is placed first, so that lines do not cross.
			run.forEach((id, i) => children(nodes.value.get(id)).slice(1).reverse().forEach((k) => stack.push([k, x1 + i + 1, row + 1])));
		}
	};
	place(0, 0, 0);
	return { spots, rows, forks, width };
}

/** The tree of variations: only what is in sight is drawn. */
export function Tree() {
	const box = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const all = useMemo(layout, [nodes.value]);
	const paint = () => {
		const [el, c] = [box.current, canvas.current];
		const ctx = c?.getContext("2d");
		if (!el || !c || !ctx) return;
		const dpr = devicePixelRatio;
		const [w, h] = [el.clientWidth, el.clientHeight];
		if (c.width !== w * dpr || c.height !== h * dpr) {
			c.width = w * dpr;
			c.height = h * dpr;
			c.style.width = w + "px";
			c.style.height = h + "px";
		}
		const style = getComputedStyle(document.documentElement);
		const [text, ctl, accent] = ["--text", "--ctl", "--accent"].map((n) => style.getPropertyValue(n).trim());
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		ctx.clearRect(0, 0, w, h);
		ctx.translate(-el.scrollLeft, -el.scrollTop);
		const [top, bottom] = [Math.floor((el.scrollTop - 16) / ROW) - 1, Math.ceil((el.scrollTop + h) / ROW) + 1];
		const near = all.rows.slice(Math.max(0, top), bottom + 1).flat();
		const seen = (s: Spot) => s.x * STEP > el.scrollLeft - 60 && s.x * STEP < el.scrollLeft + w + 60;
		const pos = (s: Spot): [number, number] => [16 + s.x * STEP, 16 + s.y * ROW];
		ctx.strokeStyle = ctl;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		for (const { at: s, to } of all.forks.values()) {
			if (!seen(s) || s.y > bottom || to < top) continue;
			const [x, y] = pos(s);
			ctx.moveTo(x, y);
			ctx.lineTo(x, y + (to - s.y) * ROW - ROW / 2);
		}
		for (const s of near) {
			const p = all.spots.get(s.parent);
			if (!p || !(seen(s) || seen(p))) continue;
			const [[x1, y1], [x2, y2]] = [pos(p), pos(s)];
			if (y1 === y2) ctx.moveTo(x1, y1);
			else ctx.moveTo(x1, y2 - ROW / 2);
			ctx.lineTo(x2, y2);
		}
		ctx.stroke();
		for (const s of near) {
			if (!seen(s)) continue;
			const n = nodes.value.get(s.id);
			if (!n) continue; // it has gone since the tree was laid out
			const [x, y] = pos(s);
			if (s.id === at.value) {
				ctx.beginPath();
				ctx.arc(x, y, 12, 0, 7);
				ctx.strokeStyle = accent;
				ctx.lineWidth = 2.5;
				ctx.stroke();
			}
			ctx.beginPath();
			ctx.arc(x, y, 7.5, 0, 7);
			ctx.fillStyle = n.c === "b" ? "#1D1D20" : n.c === "w" ? "#F7F4ED" : ctl;
			ctx.fill();
			ctx.strokeStyle = n.c === "b" ? text : "#8D877A";
			ctx.lineWidth = 1;
			ctx.stroke();
			const loss = lossOf(s.id);
			if (loss !== undefined) {
				ctx.beginPath();
				ctx.arc(x, y, 3.6, 0, 7);
				ctx.fillStyle = SCALE[classOf(loss)][0];
				ctx.fill();
			}
			if (n.note) {
				ctx.fillStyle = accent;
				ctx.fillRect(x + 5, y - 10, 5, 5);
			}
		}
	};
	useEffect(() => {
		const s = all.spots.get(at.value);
		const el = box.current;
		if (s && el) {
			const [x, y] = [16 + s.x * STEP, 16 + s.y * ROW];
			if (x < el.scrollLeft + 40 || x > el.scrollLeft + el.clientWidth - 60) el.scrollLeft = x - el.clientWidth / 2;
			if (y < el.scrollTop + 20 || y > el.scrollTop + el.clientHeight - 20) el.scrollTop = y - el.clientHeight / 2;
		}
		const frame = requestAnimationFrame(paint);
		return () => cancelAnimationFrame(frame);
	}, [all, at.value, calm.value]);
	useEffect(() => {
		const dark = matchMedia("(prefers-color-scheme: dark)");
		dark.addEventListener("change", paint);
		return () => dark.removeEventListener("change", paint);
	}, [all]);
	return (
		<div class="tree" ref={box} onScroll={paint} tabIndex={0} role="group" aria-label={t("tree")}
			onClick={(e) => {
				const r = box.current!.getBoundingClientRect();
				const x = Math.round((e.clientX - r.left + box.current!.scrollLeft - 16) / STEP);
				const y = Math.round((e.clientY - r.top + box.current!.scrollTop - 16) / ROW);
				for (const s of all.rows[y] ?? []) if (s.x === x) goTo(s.id);
			}}>
			<canvas ref={canvas} aria-hidden="true" />
			<div class="tree-space" style={{ width: all.width * STEP + 24 + "px", height: all.rows.length * ROW + 16 + "px" }} />
		</div>
	);
}
