import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { GameState, Review, ReviewMove, ReviewPoint, ReviewProgress } from "../gen/api";
import { t, yourResult } from "../i18n";
import { Icon } from "../icons";
import { save, send, watch } from "../net";
import { point } from "../rules";
import { settings } from "../settings";
import { again, analyseGame, back, ended, lookAt, reviewGame, size } from "./game";
import { Graph, type Point } from "./Graph";
import { fitText } from "./Home";
import { Mini } from "./Mini";
import { Steps } from "./Play";
import { LossChip } from "./Loss";

const review = signal<Review | null>(null);
const known = signal<Map<number, ReviewPoint>>(new Map());
const boards = signal("");

function take(d: Review | ReviewProgress): void {
	if ("moves" in d) {
		if (d.boards) boards.value = d.boards;
		known.value = new Map((d.points as ReviewPoint[]).map((p) => [p.n, p]));
		review.value = d;
		return;
	}
	known.value = new Map([...known.value, ...(d.points as ReviewPoint[]).map((p): [number, ReviewPoint] => [p.n, p])]);
	if (review.value) review.value = { ...review.value, card: d.card };
}

// The review of a game has the game's ID. It begins by itself where the end was
// seen, unless the player does not want that.
function follow(g: GameState): () => void {
	review.value = null;
	known.value = new Map();
	boards.value = "";
	let stop = () => {};
	let left = false;
	const look = () => { if (!left) stop = watch<Review | ReviewProgress>("review:" + g.game, take, () => stop()); };
	if (ended.peek() === g.game && settings.peek().after && g.moves.length >= 10) void send("review.add", { game: g.game }, true).then(look, look);
	else look();
	return () => { left = true; stop(); };
}

function points(): Point[] {
	const moves = (review.value?.moves ?? []) as ReviewMove[];
	return Array.from({ length: moves.length + 1 }, (_, i) => {
		const [p, m] = [known.value.get(i), moves[i - 1]];
		return { lead: p?.lead, winrate: p?.w, loss: m?.judged ? m.loss : undefined, cls: m?.judged ? m.cls : undefined, colour: m?.c };
	});
}

/** The player's own three moves that cost most, each a way into the review. */
function Costliest({ g, r }: { g: GameState; r: Review }) {
	const [w, h] = size.value;
	const moves = r.moves as ReviewMove[];
	const worst = (r.mistakes as number[]).filter((i) => moves[i]?.listed && moves[i].c === g.colour).slice(0, 3);
	if (worst.length === 0) return <p class="dim">{t(r.card.state === "done" ? "after_none" : "after_looking")}</p>;
	return (
		<>
			<p class="dim">{t("after_worst")}{r.card.state !== "done" && <span class="checking thinking-line"> {t("after_checking")}</span>}</p>
			<div class="costliest">
				{worst.map((i) => (
					<a key={i} href={`/review/${g.game}?m=${i + 1}`} title={t("said_mistake", { n: i + 1, move: moves[i].m, points: moves[i].loss.toFixed(1) })}>
						<Mini w={w} h={h} stones={boards.value.slice(i * w * h, (i + 1) * w * h)} ring={point(moves[i].m, w, h)} size={88} />
						<span class="row">{r.card.state === "done" ? <LossChip loss={moves[i].loss} cls={moves[i].cls} /> : <span class="chip-loss unsure">≈ {Math.round(moves[i].loss)}</span>} {moves[i].m}</span>
					</a>
				))}
			</div>
		</>
	);
}

/** What there is once a game is over: the result, its course, the costliest moves, and what to do next. */
export function After({ g }: { g: GameState }) {
	useEffect(() => follow(g), [g.game, g.phase]);
	const r = review.value;
	return (
		<div class="panel-box over" data-review={r?.card.state ?? ""}>
			<h2 class="big-result">{yourResult(g.result ?? "", g.colour)}</h2>
			{g.byPlayer && <p class="dim">{t("by_player")}</p>}
			{g.fit && <p>{fitText(g.fit)}</p>}
			{g.moves.length > 0 && <Steps g={g} />}
			{r && <Graph points={points()} at={back.value ?? g.moves.length} onSeek={lookAt} height={92} winrate={false} />}
			{r && <Costliest g={g} r={r} />}
			<div class="next-steps">
				<button class="button primary" disabled={g.moves.length === 0} onClick={() => void reviewGame(g.game)}><Icon name="review" /> {t("review")}</button>
				<button class="button quiet" onClick={() => void again(g, false)}>{t("again")}</button>
				<button class="button quiet" onClick={() => void again(g, true)}>{t("again_swapped")}</button>
				<button class="button quiet" onClick={() => void analyseGame(g.game)}><Icon name="analyse" /> {t("analyse")}</button>
				<button class="button quiet" onClick={() => void save(`/api/games/${g.game}.sgf`)}><Icon name="save" /> {t("save_sgf")}</button>
				<a class="button quiet" href="/">{t("new_game")}</a>
			</div>
		</div>
	);
}
