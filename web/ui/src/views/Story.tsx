// A game told once it is over: how it was counted, where it turned, the best and the worst move,
// and the player's rank.
import { computed, effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Mark } from "../board/Board";
import type { Fit, GameState, Review, ReviewPoint } from "../gen/api";
import { leadText, num, rank, t, why } from "../i18n";
import { Icon } from "../icons";
import { say } from "../live";
import { neighbours, vertex } from "../rules";
import { back, counting, game, lookAt, size } from "./game";
import { LossChip } from "./Loss";

/** How far the count is told; null: it is not being told. */
const step = signal<number | null>(null);
effect(() => { void game.value?.game; step.value = null; });

// Steps: the dead stones, Black's points, White's, what is added, the sum.
const STEPS = 5;

/** The points of a side in the order in which they are counted: area by area, so that the eye can follow. */
function inOrder(owner: string, side: string, w: number, h: number, only: (p: number) => boolean): number[] {
	const seen = new Set<number>();
	const all: number[] = [];
	for (let p = 0; p < owner.length; p++) {
		if (owner[p] !== side || seen.has(p)) continue;
		const group = [p];
		seen.add(p);
		for (let i = 0; i < group.length; i++) for (const q of neighbours(group[i], w, h)) if (owner[q] === side && !seen.has(q)) { seen.add(q); group.push(q); }
		all.push(...group.sort((a, b) => a - b).filter(only));
	}
	return all;
}

/** The board's overlay while a count is told: whose points, and their number at every tenth. */
const shown = computed<{ territory: string; marks: Mark[] } | null>(() => {
	const g = game.value;
	const k = step.value;
	if (!g?.count || k === null || back.value !== null) return null;
	const [w, h] = size.value;
	const dead = new Set(g.count.dead);
	const area = g.count.method === "area";
	const territory = Array.from({ length: w * h }, () => ".");
	const marks: Mark[] = [];
	for (const [i, side] of (["b", "w"] as const).entries()) {
		if (k < i + 1) continue;
		const points = inOrder(g.count.owner, side, w, h, (p) => area || g.stones[p] !== side);
		points.forEach((p, n) => {
			if ((n + 1) % 10 === 0 || n + 1 === points.length) marks.push({ k: "lb", p, l: String(n + 1) }); // in place of a square
			else territory[p] = side;
		});
	}
	if (k === 0) for (let p = 0; p < g.stones.length; p++) if (g.stones[p] !== "." && dead.has(vertex(p, w, h))) marks.push({ k: "ma", p });
	return { territory: territory.join(""), marks };
});

effect(() => { counting.value = shown.value; });

function told(g: GameState, k: number): string {
	const c = g.count!;
	const area = c.method === "area";
	const points = (s: typeof c.black) => (area ? s.stones + s.territory : s.territory);
	switch (k) {
		case 0: return c.dead.length ? t(area ? "count_told_dead" : "count_told_dead_prisoners", { n: c.dead.length }) : t("count_told_none_dead");
		case 1: return t(area ? "count_told_area" : "count_told_territory", { who: t("black"), n: points(c.black) });
		case 2: return t(area ? "count_told_area" : "count_told_territory", { who: t("white"), n: points(c.white) });
		case 3: return [!area && t("count_told_prisoners", { black: c.black.prisoners, white: c.white.prisoners }), c.white.komi || c.black.komi ? t("count_told_komi", { points: num(c.white.komi || c.black.komi), who: t(c.white.komi ? "white" : "black") }) : ""].filter(Boolean).join(" ");
	}
	return t("count_told_sum", { black: num(c.black.total), white: num(c.white.total), result: leadText(c.score) });
}

/** The count, step by step. */
export function CountTold({ g }: { g: GameState }) {
	if (!g.count) return null;
	const k = step.value;
	const go = (n: number | null) => { step.value = n; if (n !== null) { lookAt(g.moves.length); say(told(g, n)); } };
	if (k === null) return <button class="button quiet small" onClick={() => go(0)}><Icon name="count" size={16} /> {t("count_told")}</button>;
	return (
		<section class="count-told" aria-label={t("count_told")}>
			<p aria-live="polite">{told(g, k)}</p>
			<div class="row">
				<button class="button quiet small" disabled={k === 0} onClick={() => go(k - 1)}>{t("step_back")}</button>
				<button class="button small" onClick={() => go(k + 1 < STEPS ? k + 1 : null)}>{t(k + 1 < STEPS ? "count_told_next" : "done")}</button>
			</div>
		</section>
	);
}

function turned(before: ReviewPoint | undefined, after: ReviewPoint | undefined): string {
	if (!before || !after) return "";
	const even = (x: number) => Math.abs(x) < 0.75;
	if (even(before.lead) && even(after.lead)) return "";
	if (!even(before.lead) && !even(after.lead) && before.lead > 0 === after.lead > 0 && Math.abs(before.lead - after.lead) < 1) return "";
	return t("story_turned", { before: leadText(before.lead), after: leadText(after.lead) });
}

/** Three turning points in the order of the game, the best move and the worst. */
export function Story({ g, r, known }: { g: GameState; r: Review; known: Map<number, ReviewPoint> }) {
	const moves = r.moves;
	const looking = r.card.state !== "done" && r.card.state !== "partial";
	const at = back.value;
	const mine = (i: number) => moves[i]?.c === g.colour;
	const worst = r.mistakes.find((i) => moves[i]?.listed && mine(i));
	const best = (r.finest[g.colour === "b" ? 0 : 1] ?? []).find((i) => mine(i) && !(g.helped ?? []).includes(i)) ?? -1; // praise is for the player's own
	const turning = [...(r.turning ?? [])].sort((a, b) => a - b);
	useEffect(() => { if (!looking && turning.length) say(t("story_ready", { n: turning.length })); }, [looking]);
	const item = (i: number, title: string, text: string) => (
		<li key={title + i}>
			<button class={at === i ? "on" : ""} onClick={() => lookAt(i)} title={t("story_show", { n: i + 1 })}>
				<span class="story-title"><span class={"dot " + moves[i].c} /> {title}</span>
				<span>{text}</span>
			</button>
		</li>
	);
	return (
		<section class="story" aria-label={t("story")} data-final={!looking}>
			{looking && <p class="dim thinking-line" role="status">{t("story_looking")}</p>}
			{turning.length > 0 && <h3>{t("story")}</h3>}
			<ol>
				{turning.map((i) => item(i, t("move_played", { n: i + 1, move: moves[i].m === "pass" ? t("pass_said") : moves[i].m }) + " · " + t(mine(i) ? "you" : "story_kosumi"),
					[why(moves[i]), turned(known.get(i), known.get(i + 1))].filter(Boolean).join(" ")))}
			</ol>
			{!looking && (
				<ul class="story-ends">
					{best >= 0 && item(best, t("story_best"), t("story_best_text", { n: best + 1, move: moves[best].m }))}
					{worst !== undefined ? (
						<li>
							<a href={`/review/${g.game}?m=${worst + 1}`}>
								<span class="story-title">{t("story_worst")} <LossChip loss={moves[worst].loss} cls={moves[worst].cls} /></span>
								<span>{t("story_worst_text", { n: worst + 1, move: moves[worst].m, better: moves[worst].better ?? "" })}</span>
							</a>
						</li>
					) : <li class="dim">{t("after_none")}</li>}
				</ul>
			)}
		</section>
	);
}

const strength = (id: string): number => (id.endsWith("d") ? parseInt(id) : 1 - parseInt(id)); // 1d is 1, 1k is 0

/** The player's rank, with the uncertainty, and the rank before the game; alone: the rank is said elsewhere, soon: a review may change it. */
export function RankScale({ f, alone, soon }: { f: Fit; alone?: boolean; soon?: boolean }) {
	const [low, mid, high] = [strength(f.low), strength(f.mid), strength(f.high)];
	const was = f.was && !alone ? strength(f.was) : mid;
	const [from, to] = [Math.min(low, was) - 2, Math.max(high, was) + 2];
	const x = (v: number) => ((v - from) / (to - from)) * 100;
	const moved = mid - was;
	const now = !f.was ? t("rank_first", { rank: rank(f.mid) }) : moved === 0 ? t("rank_same", { rank: rank(f.mid) }) : t(moved > 0 ? "rank_up" : "rank_down", { to: rank(f.mid), n: Math.abs(moved) });
	const said = f.next && !alone ? t("rank_next", { now, rank: rank(f.next) }) : now;
	return (
		<figure class="rank-scale">
			<figcaption>{!alone && said} <span class="dim">{t("rank_sure", { low: rank(f.low), high: rank(f.high) })} {soon && t("rank_soon")}</span></figcaption>
			<div class="rank-track" role="img" aria-label={said}>
				<span class="rank-range" style={{ insetInlineStart: x(low) + "%", width: x(high) - x(low) + "%" }} />
				{moved !== 0 && <span class="rank-was" style={{ insetInlineStart: x(was) + "%" }} />}
				<span class={"rank-now" + (moved !== 0 ? " moved" : "")} style={{ insetInlineStart: x(mid) + "%", "--from": x(was) - x(mid) + "cqw" }} />
			</div>
		</figure>
	);
}
