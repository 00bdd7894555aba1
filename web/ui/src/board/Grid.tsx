import { useSignal } from "@preact/signals";
import { memo } from "preact/compat";
import { useEffect, useRef } from "preact/hooks";
import { vertex } from "../rules";
import { t } from "../i18n";
import type { BoardProps } from "./Board";
import type { Metrics } from "./metrics";

/** The name of a point as it is read out: "D4 black, last move". */
function pointName(q: BoardProps, p: number): string {
	const parts = [vertex(p, q.w, q.h)];
	const s = q.stones[p];
	if (s === "b") parts[0] += " " + t("colour_b");
	if (s === "w") parts[0] += " " + t("colour_w");
	if (q.dead?.has(p)) parts.push(t("cell_dead"));
	if (p === q.last) parts.push(t("cell_last"));
	if (p === q.ko) parts.push(t("cell_ko"));
	const more = q.cell?.(p);
	if (more) parts.push(more);
	return parts.join(", ");
}

const Cell = memo(function Cell({ name, focus, p }: { name: string; focus: boolean; p: number }) {
	return <div role="gridcell" aria-label={name} tabIndex={focus ? 0 : -1} data-p={p} />;
});

const part = (n: number, of: number): string => (100 * n) / of + "%";

/** The board for keyboards and screen readers: a grid of named cells over the drawing. */
export function Grid({ q, m, flip, onEnter }: { q: BoardProps; m: Metrics; flip: boolean; onEnter: (p: number) => void }) {
	const { w, h } = q;
	const area = w * h;
	const at = useSignal(Math.floor(h / 2) * w + Math.floor(w / 2));
	const root = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (at.value >= area) at.value = 0;
	}, [area]);
	const go = (p: number) => {
		at.value = p;
		root.current?.querySelector<HTMLElement>(`[data-p="${p}"]`)?.focus({ preventScroll: true });
	};
	const step = (dx: number, dy: number, jump: boolean) => {
		const s = flip ? -1 : 1;
		let [x, y] = [at.value % w, Math.floor(at.value / w)];
		for (;;) {
			const [nx, ny] = [x + s * dx, y + s * dy];
			if (nx < 0 || ny < 0 || nx >= w || ny >= h) break;
			[x, y] = [nx, ny];
			if (!jump || q.stones[y * w + x] !== ".") break;
		}
		go(y * w + x);
	};
	const key = (e: KeyboardEvent) => {
		if (e.altKey || e.metaKey) return;
		const [x, y] = [at.value % w, Math.floor(at.value / w)];
		switch (e.key) {
			case "ArrowLeft": step(-1, 0, e.ctrlKey); break;
			case "ArrowRight": step(1, 0, e.ctrlKey); break;
			case "ArrowUp": step(0, -1, e.ctrlKey); break;
			case "ArrowDown": step(0, 1, e.ctrlKey); break;
			case "Home": go(e.ctrlKey ? 0 : y * w); break;
			case "End": go(e.ctrlKey ? area - 1 : y * w + w - 1); break;
			case "PageUp": go(Math.max(0, y - 5) * w + x); break;
			case "PageDown": go(Math.min(h - 1, y + 5) * w + x); break;
			case "Enter":
			case " ": if (!q.onPlay) return; onEnter(at.value); break;
			case "l": if (q.last === undefined || q.last < 0) return; go(q.last); break;
			case "Escape": (document.activeElement as HTMLElement | null)?.blur(); break;
			default: if (!q.onKey?.(e, at.value)) return;
		}
		e.preventDefault();
		e.stopPropagation();
	};
	const rows = [];
	for (let j = 0; j < h; j++) {
		const cells = [];
		for (let i = 0; i < w; i++) {
			const p = flip ? area - 1 - (j * w + i) : j * w + i;
			cells.push(<Cell key={p} p={p} name={pointName(q, p)} focus={p === at.value} />);
		}
		rows.push(
			<div role="row" key={j}>
				{cells}
			</div>,
		);
	}
	return (
		<div
			ref={root}
			class="grid"
			role="grid"
			aria-label={q.label}
			style={{ left: part(m.margin - m.cell / 2, m.width), top: part(m.margin - m.cell / 2, m.height), width: part(m.cell * w, m.width), height: part(m.cell * h, m.height) }}
			onKeyDown={key}
			onFocusIn={(e) => {
				const p = Number((e.target as HTMLElement).dataset.p);
				if (Number.isInteger(p)) at.value = p;
			}}
		>
			{rows}
		</div>
	);
}
