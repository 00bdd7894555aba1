import { useSignal, type ReadonlySignal, useSignalEffect } from "@preact/signals";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Grid } from "./Grid";
import { columnName, measure, rowName, stars, type Coordinates, type Metrics } from "./metrics";
import { draw, type Overlay } from "./overlay";
import { modeFor, Pointer, type Result } from "./pointer";
import type { Colour } from "../rules";

export interface Mark {
	k: string;
	p: number;
	l?: string;
}

export interface BoardProps {
	w: number;
	h: number;
	stones: string;
	last?: number;
	ko?: number;
	/** points where the side to move may play: "1"; absent: nowhere */
	legal?: string;
	turn?: Colour;
	dead?: Set<number>;
	marks?: Mark[];
	numbers?: Map<number, number>;
	next?: { p: number; c: Colour; letter?: string }[];
	flip?: boolean;
	coordinates?: Coordinates;
	confirm?: "size" | "always" | "never";
	overlay?: ReadonlySignal<Overlay | null>;
	label: string;
	/** what a screen reader says of a point */
	cell?: (p: number) => string;
	/** a point that is pressed; refused says that it may not be played */
	onPlay?: (p: number, refused: boolean) => void;
	/** every point can be pressed, whatever legal says */
	any?: boolean;
	onHover?: (p: number) => void;
	onWheel?: (steps: number, p: number) => void;
	onMiddle?: (p: number) => void;
	onKey?: (e: KeyboardEvent, p: number) => boolean;
	/** told while a stone waits for a second tap, with what places it */
	onWaiting?: (waiting: { p: number; place: () => void; nudge: (dx: number, dy: number) => void } | null) => void;
}

let boards = 0;

const BaseLayer = memo(function Base({ w, h, m, id, style, flip }: { w: number; h: number; m: Metrics; id: string; style: Coordinates; flip: boolean }) {
	const x = (i: number) => m.margin + i * m.cell;
	const lines: string[] = [];
	for (let i = 0; i < w; i++) lines.push(`M${x(i)} ${x(0)}V${x(h - 1)}`);
	for (let j = 0; j < h; j++) lines.push(`M${x(0)} ${x(j)}H${x(w - 1)}`);
	const size = Math.min(17, Math.max(9, m.cell * 0.29));
	const both = Math.min(m.width, m.height) >= 640;
	return (
		<g>
			<defs>
				<linearGradient id={id + "wood"} x1="0" y1="0" x2="1" y2="1">
					<stop offset="0" class="wood1" />
					<stop offset="1" class="wood2" />
				</linearGradient>
				<radialGradient id={id + "b"} cx="36%" cy="30%" r="70%">
					<stop offset="0" stop-color="#55565A" />
					<stop offset=".6" stop-color="#1D1D20" />
					<stop offset="1" stop-color="#0C0C0E" />
				</radialGradient>
				<radialGradient id={id + "w"} cx="38%" cy="32%" r="72%">
					<stop offset="0" stop-color="#FFFFFF" />
					<stop offset=".7" stop-color="#F1EEE7" />
					<stop offset="1" stop-color="#CFCABF" />
				</radialGradient>
				<clipPath id={id + "clip"}>
					<rect width={m.width} height={m.height} rx="6" />
				</clipPath>
			</defs>
			<rect width={m.width} height={m.height} rx="6" fill={`url(#${id}wood)`} class="wood" />
			<path class="grain" clip-path={`url(#${id}clip)`} d={grain(m.width, m.height)} />
			<path class="lines" d={lines.join("")} stroke-width={m.line} shape-rendering="crispEdges" />
			<path class="lines" d={`M${x(0)} ${x(0)}H${x(w - 1)}V${x(h - 1)}H${x(0)}Z`} stroke-width={2 * m.line} shape-rendering="crispEdges" />
			{stars(w, h).map((p) => (
				<circle key={p} class="star" cx={x(p % w)} cy={x(Math.floor(p / w))} r={Math.max(2, m.cell * 0.085)} />
			))}
			{m.coords && (
				<g class="coords" font-size={size}>
					{Array.from({ length: w }, (_, i) => {
						const name = columnName(flip ? w - 1 - i : i, style);
						return (
							<g key={i}>
								<text x={x(i)} y={m.margin * 0.42}>{name}</text>
								{both && <text x={x(i)} y={m.height - m.margin * 0.36}>{name}</text>}
							</g>
						);
					})}
					{Array.from({ length: h }, (_, j) => {
						const name = rowName(flip ? h - 1 - j : j, h, style);
						return (
							<g key={j}>
								<text x={m.margin * 0.4} y={x(j)}>{name}</text>
								{both && <text x={m.width - m.margin * 0.4} y={x(j)}>{name}</text>}
							</g>
						);
					})}
				</g>
			)}
		</g>
	);
});

// Long slow curves from a fixed seed: they read as wood and never compete.
function grain(width: number, height: number): string {
	let seed = 20260123;
	const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
	const parts: string[] = [];
	for (let i = 0; i < 26; i++) {
		const y = ((i + random()) / 26) * height * 1.15 - height * 0.08;
		const bend = () => (random() - 0.5) * height * 0.09;
		parts.push(`M-5 ${y.toFixed(1)}C${(width * 0.3).toFixed(1)} ${(y + bend()).toFixed(1)} ${(width * 0.65).toFixed(1)} ${(y + bend()).toFixed(1)} ${(width + 5).toFixed(1)} ${(y + bend()).toFixed(1)}`);
	}
	return parts.join("");
}

const StoneLayer = memo(function Stones(q: { w: number; m: Metrics; id: string; stones: string; dead?: Set<number>; last: number; ko: number; flip: boolean; numbers?: Map<number, number>; marks?: Mark[] }) {
	const { w, m, id, stones, dead, last, ko, flip, numbers } = q;
	const area = stones.length;
	const at = (p: number) => {
		const s = flip ? area - 1 - p : p;
		return [m.margin + (s % w) * m.cell, m.margin + Math.floor(s / w) * m.cell];
	};
	const r = m.cell * 0.47;
	const list: number[] = [];
	for (let p = 0; p < area; p++) if (stones[p] !== ".") list.push(p);
	const ink = (p: number) => (stones[p] === "b" ? "#F7F4ED" : stones[p] === "w" ? "#14110D" : "#14110D");
	return (
		<g>
			<g class="shadows">
				{list.map((p) => {
					if (dead?.has(p)) return null;
					const [x, y] = at(p);
					return <circle key={p} cx={x + m.cell * 0.03} cy={y + m.cell * 0.05} r={m.cell * 0.478} />;
				})}
			</g>
			{list.map((p) => {
				const [x, y] = at(p);
				const black = stones[p] === "b";
				return (
					<g key={stones[p] + p} class={"stone" + (dead?.has(p) ? " dead" : "") + (p === last ? " fresh" : "")}>
						<circle cx={x} cy={y} r={r} fill={`url(#${id}${black ? "b" : "w"})`} stroke={black ? "#000" : "#8D877A"} stroke-width={black ? 0 : 0.7} />
						{numbers?.has(p) && (
							<text x={x} y={y} class="number" fill={ink(p)} font-size={m.cell * (numbers.get(p)! > 99 ? 0.34 : 0.42)}>
								{numbers.get(p)}
							</text>
						)}
					</g>
				);
			})}
			{last >= 0 && stones[last] !== "." && !numbers && <circle class="last" cx={at(last)[0]} cy={at(last)[1]} r={m.cell * 0.235} stroke={ink(last)} stroke-width={m.cell * 0.075} />}
			{ko >= 0 && <rect class="ko" x={at(ko)[0] - m.cell * 0.17} y={at(ko)[1] - m.cell * 0.17} width={m.cell * 0.34} height={m.cell * 0.34} />}
			{q.marks?.map((k) => {
				const [x, y] = at(k.p);
				return <MarkShape key={k.k + k.p} k={k} x={x} y={y} m={m} colour={ink(k.p)} bare={stones[k.p] === "."} />;
			})}
		</g>
	);
});

function MarkShape({ k, x, y, m, colour, bare }: { k: Mark; x: number; y: number; m: Metrics; colour: string; bare: boolean }) {
	const s = m.cell * 0.24;
	const common = { fill: "none", stroke: colour, "stroke-width": m.cell * 0.07 };
	switch (k.k) {
		case "tr":
			return <path {...common} d={`M${x} ${y - s * 1.15}L${x + s} ${y + s * 0.65}H${x - s}Z`} />;
		case "sq":
			return <rect {...common} x={x - s * 0.85} y={y - s * 0.85} width={s * 1.7} height={s * 1.7} />;
		case "cr":
			return <circle {...common} cx={x} cy={y} r={s} />;
		case "ma":
			return <path {...common} d={`M${x - s * 0.8} ${y - s * 0.8}l${s * 1.6} ${s * 1.6}m0 ${-s * 1.6}l${-s * 1.6} ${s * 1.6}`} />;
	}
	const text = [...(k.l ?? "")];
	const short = fitsOnPoint(k.l ?? "") ? text : [...text.slice(0, 3), "…"];
	return (
		<g>
			{bare && <circle class="blank" cx={x} cy={y} r={m.cell * 0.33} />}
			<text class="number" x={x} y={y} fill={colour} font-size={m.cell * [0.46, 0.46, 0.46, 0.36, 0.28][short.length]}>{short.join("")}</text>
		</g>
	);
}

/** Whether a label is shown whole on its point. */
export const fitsOnPoint = (label: string): boolean => [...label].length <= 4;

/** A board that fills the space it is given. */
export function Board(q: BoardProps) {
	const id = useMemo(() => `b${++boards}`, []);
	const box = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const space = useSignal<[number, number]>([0, 0]);
	const ghost = useSignal<{ p: number; strong: boolean; waiting: boolean }>({ p: -1, strong: false, waiting: false });
	const pointer = useMemo(() => new Pointer(), []);
	const flip = !!q.flip;
	const area = q.w * q.h;
	const dpr = Math.max(1, window.devicePixelRatio || 1);
	const style = q.coordinates ?? "a1";

	useLayoutEffect(() => {
		const look = () => {
			const r = box.current?.getBoundingClientRect();
			if (r && r.width > 0) space.value = [r.width, r.height];
		};
		look();
		const observer = new ResizeObserver(look);
		if (box.current) observer.observe(box.current);
		return () => observer.disconnect();
	}, []);

	const [width, height] = space.value;
	const m = useMemo(() => measure(q.w, q.h, width, height, dpr, style !== "none"), [q.w, q.h, width, height, dpr, style]);

	// At once, not after the next paint: else a press on what is already shown is lost.
	useLayoutEffect(() => {
		pointer.reset(performance.now());
		ghost.value = { p: -1, strong: false, waiting: false };
		q.onWaiting?.(null);
	}, [q.stones, q.turn]);

	useSignalEffect(() => {
		const o = q.overlay?.value ?? null;
		void space.value;
		const frame = requestAnimationFrame(() => {
			const ctx = canvas.current?.getContext("2d");
			if (ctx) draw(ctx, o, m, q.w, q.h, flip, dpr);
		});
		return () => cancelAnimationFrame(frame);
	});
	useEffect(() => {
		const ctx = canvas.current?.getContext("2d");
		if (ctx) draw(ctx, q.overlay?.peek() ?? null, m, q.w, q.h, flip, dpr);
	}, [m, flip, q.overlay]);

	const pointAt = (e: { clientX: number; clientY: number }) => {
		const r = canvas.current!.getBoundingClientRect();
		const x = Math.round((e.clientX - r.left - m.margin) / m.cell);
		const y = Math.round((e.clientY - r.top - m.margin) / m.cell);
		if (x < 0 || y < 0 || x >= q.w || y >= q.h) return -1;
		const p = y * q.w + x;
		return flip ? area - 1 - p : p;
	};
	const allowed = (p: number) => p >= 0 && (!!q.any || q.legal?.[p] === "1");
	const show = (p: number, strong: boolean, waiting = false) => {
		const g = ghost.value;
		if (g.p !== p || g.strong !== strong || g.waiting !== waiting) ghost.value = { p, strong, waiting };
	};
	const take = (r: Result, touch: boolean) => {
		if (r.play >= 0) {
			show(-1, false);
			q.onWaiting?.(null);
			q.onPlay?.(r.play, !allowed(r.play));
			return;
		}
		if (r.waiting && !allowed(r.ghost)) {
			const p = r.ghost;
			pointer.cancel();
			show(-1, false);
			q.onWaiting?.(null);
			q.onPlay?.(p, true);
			return;
		}
		if (touch || r.waiting || r.ghost >= 0) show(allowed(r.ghost) ? r.ghost : -1, true, r.waiting);
		const wait = (p: number): void =>
			q.onWaiting?.({
				p,
				place: () => {
					pointer.cancel();
					q.onWaiting?.(null);
					show(-1, false);
					q.onPlay?.(p, !allowed(p));
				},
				nudge: (dx, dy) => {
					const s = flip ? -1 : 1;
					const [x, y] = [(p % q.w) + s * dx, Math.floor(p / q.w) + s * dy];
					if (x < 0 || y < 0 || x >= q.w || y >= q.h) return;
					pointer.cancel();
					show(y * q.w + x, true, true);
					wait(y * q.w + x);
				},
			});
		if (r.waiting) wait(r.ghost);
		else if (r.ghost < 0) q.onWaiting?.(null);
	};

	const g = ghost.value;
	const [gx, gy] = (() => {
		const s = flip ? area - 1 - g.p : g.p;
		return [m.margin + (s % q.w) * m.cell, m.margin + Math.floor(s / q.w) * m.cell];
	})();
	const playable = !!q.onPlay;
	return (
		<div class="board-space" ref={box}>
			<div
				class={"board" + (playable ? " playable" : "")}
				style={{ width: m.width + "px", height: m.height + "px" }}
				onMouseDown={(e) => {
					// A click leaves the arrow keys to the game: only who walks the grid by keys has the focus in it.
					e.preventDefault();
					const focus = document.activeElement;
					if (focus instanceof HTMLElement && !e.currentTarget.contains(focus)) focus.blur();
				}}
				onPointerDown={(e) => {
					if (e.button === 1) {
						e.preventDefault();
						q.onMiddle?.(pointAt(e));
						return;
					}
					if (!playable || e.button !== 0) return;
					const touch = e.pointerType !== "mouse";
					if (touch) e.currentTarget.setPointerCapture(e.pointerId);
					take(pointer.down(e.pointerId, pointAt(e), modeFor(m.cell, touch, q.confirm ?? "size"), performance.now()), touch);
				}}
				onPointerMove={(e) => {
					const p = pointAt(e);
					if (e.pointerType === "mouse" && e.buttons === 0) {
						if (playable && !g.waiting) show(allowed(p) ? p : -1, false);
						e.currentTarget.style.cursor = playable && p >= 0 && !allowed(p) ? "not-allowed" : "";
						q.onHover?.(p);
						return;
					}
					if (playable) take(pointer.move(e.pointerId, p, performance.now()), e.pointerType !== "mouse");
				}}
				onPointerUp={(e) => {
					if (playable && e.button <= 0) take(pointer.up(e.pointerId, pointAt(e), performance.now()), e.pointerType !== "mouse");
				}}
				onPointerCancel={() => take(pointer.cancel(), true)}
				onPointerLeave={(e) => {
					if (e.pointerType !== "mouse") return;
					if (!g.waiting) show(-1, false);
					q.onHover?.(-1);
				}}
				onWheel={(e) => {
					if (!q.onWheel || e.ctrlKey) return;
					e.preventDefault();
					q.onWheel(Math.sign(e.deltaY), pointAt(e));
				}}
			>
				{width > 0 && (
					<>
						<svg width={m.width} height={m.height} viewBox={`0 0 ${m.width} ${m.height}`} aria-hidden="true">
							<BaseLayer w={q.w} h={q.h} m={m} id={id} style={style} flip={flip} />
							<StoneLayer w={q.w} m={m} id={id} stones={q.stones} dead={q.dead} last={q.last ?? -1} ko={q.ko ?? -1} flip={flip} numbers={q.numbers} marks={q.marks} />
							{q.next?.map((n) => {
								const s = flip ? area - 1 - n.p : n.p;
								return n.p < 0 ? null : <circle key={"n" + n.p} class={"next " + n.c} cx={m.margin + (s % q.w) * m.cell} cy={m.margin + Math.floor(s / q.w) * m.cell} r={m.cell * 0.42} />;
							})}
							{g.p >= 0 && q.turn && <circle class="ghost" cx={gx} cy={gy} r={m.cell * 0.47} fill={`url(#${id}${q.turn})`} opacity={g.strong ? 0.75 : 0.45} />}
							{g.waiting && <path class="cross" d={`M0 ${gy}H${m.width}M${gx} 0V${m.height}`} />}
						</svg>
						<canvas ref={canvas} width={Math.round(m.width * dpr)} height={Math.round(m.height * dpr)} style={{ width: m.width + "px", height: m.height + "px" }} aria-hidden="true" />
						<Grid q={q} m={m} flip={flip} onEnter={(p) => q.onPlay?.(p, !allowed(p))} />
					</>
				)}
			</div>
		</div>
	);
}
