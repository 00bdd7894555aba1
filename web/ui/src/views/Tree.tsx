import { useMemo, useRef, useEffect } from "preact/hooks";
import { SCALE } from "../board/overlay";
import { t } from "../i18n";
import { at, calm, children, goTo, lossOf, nodes } from "../tree";

const STEP = 26;
const ROW = 24;
const BOUNDS = [0.5, 1.5, 3, 6, 12];
export const classOf = (loss: number): number => BOUNDS.filter((b) => loss > b).length;

interface Spot { id: number; x: number; y: number; parent: number }

// Where each node stands: the main line straight, each variation in the first row
// below that is free from there on.
function layout(): { spots: Map<number, Spot>; width: number; height: number } {
	const spots = new Map<number, Spot>();
	const filled: number[] = []; // for each row, the first column that is taken from the right
	let width = 0;
	const place = (start: number, x0: number, row0: number) => {
		const stack: [number, number, number][] = [[start, x0, row0]];
		while (stack.length) {
			const [first, x1, least] = stack.pop()!;
			const run: number[] = [];
			for (let id: number | undefined = first; id !== undefined; id = children(nodes.value.get(id))[0]) run.push(id);
			let row = least;
			while ((filled[row] ?? Infinity) <= x1 + run.length) row++;
			filled[row] = Math.min(filled[row] ?? Infinity, x1 - 1);
			run.forEach((id, i) => {
				spots.set(id, { id, x: x1 + i, y: row, parent: nodes.value.get(id)!.parent });
			});
			width = Math.max(width, x1 + run.length);
			// The last fork is placed first, so that lines do not cross.
			run.forEach((id, i) => children(nodes.value.get(id)).slice(1).reverse().forEach((k) => stack.push([k, x1 + i + 1, row + 1])));
		}
	};
	place(0, 0, 0);
	return { spots, width, height: filled.length };
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
		const seen = (s: Spot) => s.x * STEP > el.scrollLeft - 60 && s.x * STEP < el.scrollLeft + w + 60;
		const pos = (s: Spot): [number, number] => [16 + s.x * STEP, 16 + s.y * ROW];
		ctx.strokeStyle = ctl;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		for (const s of all.spots.values()) {
			const p = all.spots.get(s.parent);
			if (!p || !(seen(s) || seen(p))) continue;
			const [[x1, y1], [x2, y2]] = [pos(p), pos(s)];
			ctx.moveTo(x1, y1);
			if (y1 !== y2) ctx.lineTo(x2 - STEP, y2 - ROW / 2 > y1 ? y2 - ROW / 2 : y1);
			ctx.lineTo(x2, y2);
		}
		ctx.stroke();
		for (const s of all.spots.values()) {
			if (!seen(s)) continue;
			const n = nodes.value.get(s.id)!;
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
				for (const s of all.spots.values()) if (s.x === x && s.y === y) goTo(s.id);
			}}>
			<canvas ref={canvas} aria-hidden="true" />
			<div class="tree-space" style={{ width: all.width * STEP + 24 + "px", height: all.height * ROW + 16 + "px" }} />
		</div>
	);
}
