import { computed, useSignal, type ReadonlySignal, useSignalEffect } from "@preact/signals";
import { memo } from "preact/compat";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Grid } from "./Grid";
import { measure, type Coordinates, type Metrics } from "./metrics";
import { draw, type Overlay } from "./overlay";
import { modeFor, Pointer, type Result } from "./pointer";
import { stoneImage, StonePainter } from "./stones";
import { drawBase } from "./wood";
import { playOut, type Colour } from "../rules";
import { darkness, settings } from "../settings";

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
	/** stones with numbers are those of a hint */
	faint?: boolean;
	marks?: Mark[];
	numbers?: Map<number, number>;
	next?: { p: number; c: Colour; letter?: string }[];
	flip?: boolean;
	coordinates?: Coordinates;
	confirm?: "size" | "always" | "never";
	overlay?: ReadonlySignal<Overlay | null>;
	label: string;
	/** a screen reader's words for a point */
	cell?: (p: number) => string;
	/** a point that is pressed; refused says that it may not be played */
	onPlay?: (p: number, refused: boolean) => void;
	/** a stone that is pressed, in place of onPlay */
	onStone?: (p: number) => void;
	/** every point can be pressed, whatever legal says */
	any?: boolean;
	onHover?: (p: number) => void;
	onWheel?: (steps: number, p: number) => void;
	onMiddle?: (p: number) => void;
	onKey?: (e: KeyboardEvent, p: number) => boolean;
	/** told while a stone waits for a second tap, with what places it */
	onWaiting?: (waiting: Waiting | null) => void;
}

/** A stone that waits for a second tap, and what can be done with it. */
export interface Waiting { p: number; place: () => void; nudge: (dx: number, dy: number) => void; cancel: () => void }

const MarkLayer = memo(function Marks(q: { w: number; m: Metrics; stones: string; last: number; ko: number; flip: boolean; numbers?: Map<number, number>; faint?: boolean; marks?: Mark[] }) {
	const { w, m, stones, last, ko, flip, numbers } = q;
	const area = stones.length;
	const at = (p: number) => {
		const s = flip ? area - 1 - p : p;
		return [m.margin + (s % w) * m.cell + m.line / 2, m.margin + Math.floor(s / w) * m.cell + m.line / 2];
	};
	const ink = (p: number) => (stones[p] === "b" && !q.faint ? "#F7F4ED" : "#14110D");
	const marked = !!numbers || !!q.marks?.some((k) => k.p === last); // one sign on a stone is enough
	return (
		<g>
			{numbers && [...numbers].map(([p, n]) => {
				const [x, y] = at(p);
				return <text key={p} x={x} y={y} class={"number" + (p === last ? " newest" : "")} fill={ink(p)} font-size={m.cell * (n > 99 ? 0.34 : 0.42)}>{n}</text>;
			})}
			{last >= 0 && stones[last] !== "." && !marked && <circle class="last" cx={at(last)[0]} cy={at(last)[1]} r={m.cell * 0.21} stroke={ink(last)} stroke-width={Math.max(1.4, m.cell * 0.04)} />}
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

interface Ghost { p: number; strong: boolean; waiting: boolean }

// The stone under the pointer: alone, so that moving the pointer draws nothing else.
function GhostStone({ ghost, at, m, dpr, flat, turn }: { ghost: ReadonlySignal<Ghost>; at: (p: number) => [number, number]; m: Metrics; dpr: number; flat: boolean; turn?: Colour }) {
	const g = ghost.value;
	if (g.p < 0) return null;
	const [x, y] = at(g.p);
	const { href, side } = stoneImage(turn ?? "b", m, dpr, flat);
	return (
		<>
			{turn && <image href={href} x={x - side / 2} y={y - side / 2} width={side} height={side} opacity={g.strong ? 0.85 : 0.55} />}
			{g.waiting && <path class="cross" d={`M0 ${y}H${m.width}M${x} 0V${m.height}`} />}
		</>
	);
}

// Runs f as soon as the frame that is being made has been painted.
function afterPaint(f: () => void): void {
	const { port1, port2 } = new MessageChannel();
	port1.onmessage = () => {
		port1.close();
		f();
	};
	port2.postMessage(0);
}

const UNCONFIRMED = 900; // ms that an unconfirmed stone lies

// The board's contents while a line is played out on it. Frames that do not change the line give
// the same value.
function played(overlay: BoardProps["overlay"], w: number, h: number): ReadonlySignal<Partial<BoardProps> | null> {
	let [key, now]: [string, Partial<BoardProps> | null] = ["", null];
	return computed(() => {
		const o = overlay?.value;
		const line = o?.line?.length ? o.line : undefined;
		const next = line ? o!.stones + line.map((s) => s.c + s.p) : "";
		if (next !== key) [key, now] = [next, line ? { ...playOut(o!.stones, line, w, h), ko: -1, next: undefined, dead: undefined, faint: o!.hint } : null];
		return now;
	});
}

/** A board that fills the space it is given. A line of its overlay is played out. */
export function Board(given: BoardProps) {
	const { overlay, w, h } = given;
	const line = useMemo(() => played(overlay, w, h), [overlay, w, h]).value;
	const q = line ? { ...given, ...line, marks: given.marks?.filter((k) => !line.numbers!.has(k.p) && line.stones![k.p] === given.stones[k.p]) } : given;
	const box = useRef<HTMLDivElement>(null);
	const base = useRef<HTMLCanvasElement>(null);
	const stones = useRef<HTMLCanvasElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const space = useSignal<[number, number]>([0, 0]);
	const ghost = useSignal<Ghost>({ p: -1, strong: false, waiting: false });
	const pointer = useMemo(() => new Pointer(), []);
	const painter = useMemo(() => new StonePainter(() => stones.current?.getContext("2d")), []);
	const props = useRef(q);
	props.current = q;
	const flip = !!q.flip;
	const area = q.w * q.h;
	const dpr = Math.max(1, window.devicePixelRatio || 1);
	const style = q.coordinates ?? "a1";
	const { theme, wood, motion } = settings.value;
	const dark = darkness.value;

	useLayoutEffect(() => {
		const look = () => {
			const r = box.current?.getBoundingClientRect();
			if (r && r.width > 0 && (r.width !== space.peek()[0] || r.height !== space.peek()[1])) space.value = [r.width, r.height];
		};
		look();
		const observer = new ResizeObserver(look);
		if (box.current) observer.observe(box.current);
		return () => {
			observer.disconnect();
			painter.stop();
		};
	}, []);

	const [width, height] = space.value;
	const m = useMemo(() => measure(q.w, q.h, width, height, dpr, style !== "none"), [q.w, q.h, width, height, dpr, style]);
	const at = (p: number): [number, number] => {
		const s = flip ? area - 1 - p : p;
		return [m.margin + (s % q.w) * m.cell + m.line / 2, m.margin + Math.floor(s / q.w) * m.cell + m.line / 2];
	};

	// At once, not after the next paint: else a press on a position already shown is lost.
	useLayoutEffect(() => {
		pointer.reset(performance.now());
		ghost.value = { p: -1, strong: false, waiting: false };
		q.onWaiting?.(null);
	}, [given.stones, q.turn]);

	useLayoutEffect(() => {
		const ctx = base.current?.getContext("2d");
		if (ctx) drawBase(ctx, m, q.w, q.h, flip, style, dpr);
	}, [m, flip, style, theme, wood, dark]);
	const repaint = () => {
		const { stones, faint, numbers } = props.current;
		const dead = faint ? new Set(numbers?.keys()) : props.current.dead;
		const still = motion === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches;
		painter.show(stones, m, q.w, flip, dpr, wood === "paper", dead, !still);
	};
	useLayoutEffect(repaint, [q.stones, q.dead, q.faint, m, flip, wood]);

	useSignalEffect(() => {
		const o = props.current.overlay?.value ?? null;
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
	}, [m, flip, q.overlay, wood]);

	const pointAt = (e: { clientX: number; clientY: number }) => {
		const r = canvas.current!.getBoundingClientRect();
		const scale = m.width / r.width; // 1, unless the space is smaller than the board was made for
		const x = Math.round(((e.clientX - r.left) * scale - m.margin) / m.cell);
		const y = Math.round(((e.clientY - r.top) * scale - m.margin) / m.cell);
		if (x < 0 || y < 0 || x >= q.w || y >= q.h) return -1;
		const p = y * q.w + x;
		return flip ? area - 1 - p : p;
	};
	const allowed = (p: number) => p >= 0 && (!!q.any || q.legal?.[p] === "1");
	const pressable = (p: number) => !!q.onStone && !q.any && given.stones[p] !== "." && p >= 0;
	const show = (p: number, strong: boolean, waiting = false) => {
		const g = ghost.peek();
		if (g.p !== p || g.strong !== strong || g.waiting !== waiting) ghost.value = { p, strong, waiting };
	};
	// A stone lies in the frame after the press; all that follows from it comes after that frame.
	const commit = (p: number) => {
		show(-1, false);
		q.onWaiting?.(null);
		if (pressable(p)) {
			q.onStone?.(p);
			return;
		}
		if (!allowed(p) || q.any || !q.turn || given.stones[p] !== ".") {
			q.onPlay?.(p, !allowed(p));
			return;
		}
		painter.put(p, q.turn);
		let done = false;
		const rest = () => {
			if (done) return;
			done = true;
			props.current.onPlay?.(p, false);
			setTimeout(() => { if (props.current.stones[p] === ".") repaint(); }, UNCONFIRMED);
		};
		requestAnimationFrame(() => afterPaint(rest));
		setTimeout(rest, 60); // in case nothing is painted
	};
	const wait = (p: number): void =>
		q.onWaiting?.({
			p,
			place: () => {
				pointer.cancel();
				commit(p);
			},
			nudge: (dx, dy) => {
				const s = flip ? -1 : 1;
				const [x, y] = [(p % q.w) + s * dx, Math.floor(p / q.w) + s * dy];
				if (x < 0 || y < 0 || x >= q.w || y >= q.h) return;
				pointer.wait(y * q.w + x);
				show(y * q.w + x, true, true);
				wait(y * q.w + x);
			},
			cancel: () => {
				pointer.cancel();
				show(-1, false);
				q.onWaiting?.(null);
			},
		});
	const take = (r: Result, touch: boolean) => {
		if (r.play >= 0) {
			commit(r.play);
			return;
		}
		if (r.waiting && !allowed(r.ghost)) {
			pointer.cancel();
			commit(r.ghost);
			return;
		}
		if (touch || r.waiting || r.ghost >= 0) show(allowed(r.ghost) ? r.ghost : -1, true, r.waiting);
		if (r.waiting) wait(r.ghost);
		else if (r.ghost < 0) q.onWaiting?.(null);
	};

	const playable = !!q.onPlay;
	const [pw, ph] = [Math.round(m.width * dpr), Math.round(m.height * dpr)];
	const sized = { "--board-w": m.width + "px", "--board-h": m.height + "px", "--board-ratio": m.width / m.height };
	return (
		<div class="board-space" ref={box} data-space={`${width}x${height}`}>
			<div
				class={"board" + (playable ? " playable" : "")}
				style={sized}
				onMouseDown={(e) => {
					// A click leaves the arrow keys to the game: the grid has the focus only
					// while it is walked by keys.
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
						if (playable && !ghost.peek().waiting) show(allowed(p) && q.stones[p] === "." ? p : -1, false);
						const cursor = pressable(p) ? "pointer" : playable && p >= 0 && !allowed(p) ? "not-allowed" : "";
						if (e.currentTarget.style.cursor !== cursor) e.currentTarget.style.cursor = cursor;
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
					if (!ghost.peek().waiting) show(-1, false);
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
						<canvas class="base" ref={base} width={pw} height={ph} aria-hidden="true" />
						<canvas class="stones" ref={stones} width={pw} height={ph} aria-hidden="true" />
						<svg viewBox={`0 0 ${m.width} ${m.height}`} aria-hidden="true">
							<MarkLayer w={q.w} m={m} stones={q.stones} last={q.last ?? -1} ko={q.ko ?? -1} flip={flip} numbers={q.numbers} faint={q.faint} marks={q.marks} />
							{q.next?.map((n) => n.p >= 0 && <g key={"n" + n.p} class={"next " + n.c}><circle cx={at(n.p)[0]} cy={at(n.p)[1]} r={m.cell * 0.42} /><circle cx={at(n.p)[0]} cy={at(n.p)[1]} r={m.cell * 0.42} /></g>)}
							<GhostStone ghost={ghost} at={at} m={m} dpr={dpr} flat={wood === "paper"} turn={q.turn} />
						</svg>
						<canvas class="stream" ref={canvas} width={pw} height={ph} aria-hidden="true" />
						<Grid q={q} m={m} flip={flip} onEnter={(p) => (pressable(p) ? q.onStone : q.onPlay)?.(p, !allowed(p))} />
					</>
				)}
			</div>
		</div>
	);
}
