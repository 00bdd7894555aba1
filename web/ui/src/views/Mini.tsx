import { memo } from "preact/compat";
import { useMemo } from "preact/hooks";

let minis = 0;

/** A small board to look at. */
export const Mini = memo(function Mini({ w, h, stones, last, size = 96, ring }: { w: number; h: number; stones: string; last?: number; size?: number; ring?: number }) {
	const id = useMemo(() => `m${++minis}`, []);
	const cell = 10;
	const x = (i: number) => 7 + i * cell;
	const lines: string[] = [];
	for (let i = 0; i < w; i++) lines.push(`M${x(i)} ${x(0)}V${x(h - 1)}`);
	for (let j = 0; j < h; j++) lines.push(`M${x(0)} ${x(j)}H${x(w - 1)}`);
	const [vw, vh] = [x(w - 1) + 7, x(h - 1) + 7];
	return (
		<svg class="mini" width={size} height={(size * vh) / vw} viewBox={`0 0 ${vw} ${vh}`} aria-hidden="true">
			<rect width={vw} height={vh} rx="4" class="wood-flat" />
			<path d={lines.join("")} class="lines" stroke-width="0.6" />
			{[...stones].map((s, p) => s !== "." && <circle key={p} cx={x(p % w)} cy={x(Math.floor(p / w))} r="4.7" fill={s === "b" ? "#1D1D20" : "#F7F4ED"} stroke={s === "b" ? "none" : "#8D877A"} stroke-width="0.5" />)}
			{last !== undefined && last >= 0 && <circle cx={x(last % w)} cy={x(Math.floor(last / w))} r="2.2" fill="none" stroke={stones[last] === "b" ? "#fff" : "#14110D"} stroke-width="1" />}
			{ring !== undefined && ring >= 0 && <circle cx={x(ring % w)} cy={x(Math.floor(ring / w))} r="4.6" fill="none" stroke="#B91C3B" stroke-width="1.6" id={id} />}
		</svg>
	);
});
