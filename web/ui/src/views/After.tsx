import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { GameState, Review, ReviewPoint, ReviewProgress, You } from "../gen/api";
import { save } from "../files";
import { t, yourResult } from "../i18n";
import { Icon } from "../icons";
import { Life } from "../life/Life";
import { send, watch } from "../net";
import { remember, settings } from "../settings";
import { again, analyseGame, back, countsText, ended, lookAt, reviewGame } from "./game";
import { Graph, pointsOf } from "./Graph";
import { Steps } from "./Play";
import { CountTold, RankScale, Story } from "./Story";

const review = signal<Review | null>(null);
const known = signal<Map<number, ReviewPoint>>(new Map());
const boards = signal("");

function take(d: Review | ReviewProgress): void {
	if ("moves" in d) {
		if (d.boards) boards.value = d.boards;
		known.value = new Map(d.points.map((p) => [p.n, p]));
		review.value = d;
		return;
	}
	known.value = new Map([...known.value, ...d.points.map((p): [number, ReviewPoint] => [p.n, p])]);
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

const firstWin = signal(""); // the game that was won first of all
const cheered = remember("kosumi.firstWin", { done: false });

// Looks whether the game that has just ended is the first one that the player has won.
function cheer(g: GameState): void {
	if (ended.peek() !== g.game || cheered.get().done || g.result?.[0].toLowerCase() !== g.colour) return;
	send<You>("watch", { what: "you" }, true).then((y) => {
		cheered.put({ done: true });
		if (y.played.won === 1) firstWin.value = g.game;
	}, () => undefined);
}

/** The panel once a game is over: the result, its course, where it turned, and the next steps. */
export function After({ g }: { g: GameState }) {
	useEffect(() => { cheer(g); return follow(g); }, [g.game, g.phase]);
	const r = review.value;
	return (
		<div class="panel-box over" data-review={r?.card.state ?? ""}>
			<h2 class="big-result">{yourResult(g.result ?? "", g.colour)}</h2>
			{firstWin.value === g.game && <p class="first-win" role="status"><strong>{t("first_win")}</strong> {t("first_win_text")}</p>}
			{g.byPlayer && <p class="dim">{t("by_player")}</p>}
			{g.fit ? <RankScale f={g.fit} soon={r?.card.state === "running" || r?.card.state === "waiting"} /> : g.counts && g.counts !== "yes" && <p class="dim">{countsText(g)}</p>}
			<CountTold g={g} />
			{g.moves.length > 0 && <Steps g={g} />}
			<Life at={`${g.game} ${back.value ?? g.moves.length}`} />
			{r && <Graph points={pointsOf(r.moves, known.value, r.card)} at={back.value ?? g.moves.length} onSeek={lookAt} height={92} winrate={false} />}
			{r && <Story g={g} r={r} known={known.value} />}
			<div class="next-steps">
				<button class="button primary" disabled={g.moves.length === 0} onClick={() => void reviewGame(g.game)}><Icon name="review" /> {t("review")}</button>
				<button class="button quiet" onClick={() => void again(g, false)}>{t("again")}</button>
				<button class="button quiet" onClick={() => void again(g, true)}>{t("again_swapped")}</button>
				<button class="button quiet" onClick={() => void analyseGame(g.game, back.value)}><Icon name="analyse" /> {t("analyse")}</button>
				<button class="button quiet" onClick={() => void save(`/api/games/${g.game}.sgf`)}><Icon name="save" /> {t("save_sgf")}</button>
				<a class="button quiet" href="/new">{t("new_game")}</a>
			</div>
		</div>
	);
}
