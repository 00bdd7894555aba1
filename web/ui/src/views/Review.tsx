import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { FileButton, UnreadFiles } from "../controls";
import { openFiles } from "../files";
import type { ID, ReviewCard, ReviewProgress, Reviews } from "../gen/api";
import { duration, resultText, t, told, unsavedText } from "../i18n";
import { Icon } from "../icons";
import { toast } from "../live";
import { inWords, send, watch } from "../net";
import { go } from "../router";
import { point } from "../rules";
import { remember, touch } from "../settings";
import { isDeleted, remove } from "../undo";
import { LossChip } from "./Loss";
import { Mini } from "./Mini";
import { Game, yours } from "./ReviewGame";

const reviews = signal<Reviews | null>(null);
const store = remember("kosumi.reviews", { name: "" });
const wanted = signal(store.get().name);


export async function command(t0: string, d: object): Promise<void> {
	try {
		const a = await send<ID | null>(t0, d, true);
		if (a?.id) go("/review/" + a.id);
	} catch (e) {
		toast(inWords(e), { bad: true });
	}
}

export const playerName = (c: ReviewCard, side: 0 | 1): string =>
	((side ? c.white : c.black) || t(side ? "white" : "black")) + ((side ? c.whiteRank : c.blackRank) ? " " + (side ? c.whiteRank : c.blackRank) : "");

function matches(c: ReviewCard, text: string): boolean {
	const all = [c.name, c.black, c.white, c.date, c.result, c.size.join("x")].join(" ").toLowerCase();
	return text.toLowerCase().split(/\s+/).every((w) => all.includes(w));
}

/** The side that the filter names, else the reader's; both where there is none. */
function sides(c: ReviewCard): (0 | 1)[] {
	const name = wanted.value.trim().toLowerCase();
	const named = ([0, 1] as const).filter((s) => name && (s ? c.white : c.black).toLowerCase().includes(name));
	const you = yours(c);
	return named.length ? [...named] : you === "b" ? [0] : you === "w" ? [1] : [0, 1];
}

function Row({ c }: { c: ReviewCard }) {
	const [w, h] = c.size;
	const worst = (c.worst ?? []).filter((m) => sides(c).some((s) => "bw"[s] === m.c)).slice(0, 3);
	const stones = worst[0]?.stones ?? c.stones;
	const open = c.state !== "refused";
	const ring = worst.length ? point(worst[0].m, w, h) : -1;
	const body = (
		<>
			{w > 0 && stones ? <Mini w={w} h={h} stones={stones} ring={ring} size={72} /> : <span class="mini-empty" />}
			<span class="review-who">
				<strong>{w > 0 ? `${playerName(c, 0)} – ${playerName(c, 1)}` : c.name}</strong>
				<span class="dim">{[c.date, w > 0 && `${w}×${h}`, c.result && (/^[BW]\+|^0$/.test(c.result) ? resultText(c.result) : c.result), t("moves_n", { n: c.moves })].filter(Boolean).join(" · ")}</span>
				<span class="dim name">{c.name}</span>
			</span>
			<span class="review-worst">
				{c.mean[0] + c.mean[1] > 0 && <span>{t("lost_a_move", { points: (sides(c).reduce((s: number, i) => s + c.mean[i], 0) / sides(c).length).toFixed(1) })}</span>}
				<span class="row">{worst.map((m) => <LossChip key={m.n} loss={m.loss} cls={m.cls} />)}</span>
			</span>
		</>
	);
	return (
		<li class={"review-row " + c.state}>
			{open ? <a href={"/review/" + c.review}>{body}</a> : <div class="refused">{body}</div>}
			<span class="review-state">
				{c.unsaved ? <span class="bad-text"><Icon name="warn" size={16} /> {unsavedText(c.unsaved)}</span>
					: c.state === "refused" ? <span class="bad-text"><Icon name="warn" size={16} /> {t("review_refused", { why: c.say ? told(c.say) : (c.why ?? "") })}</span>
					: c.state === "running" ? <><progress max={1} value={c.share} aria-label={t("progress")} /><span class="dim">{t("of", { n: c.done ?? 0, of: c.moves + 1 })}{c.left ? " · " + t("left", { time: duration(c.left) }) : ""}</span></>
					: c.state === "waiting" ? <button class="plain" onClick={() => void command("review.front", { id: c.review })}>{t("waiting_next")}</button>
					: c.other ? <button class="plain" onClick={() => void command("review.again", { id: c.review })}>{t("review_again")}</button>
					: <span class="dim">{t(c.state === "partial" ? "review_partial" : "review_done")}</span>}
				<button class="plain icon-only" aria-label={t("delete")} onClick={() => remove("review:" + c.review, t("review_deleted", { name: c.name }), () => send("review.delete", { id: c.review }, true))}><Icon name="bin" size={16} /></button>
			</span>
		</li>
	);
}

// Points lost a move from game to game, by phase; once there are five games.
function Trend({ list }: { list: ReviewCard[] }) {
	const games = list.filter((c) => c.state === "done").reverse();
	if (games.length < 5) return null;
	const phases = ["opening", "middle", "endgame"] as const;
	const dash = ["", "6 4", "2 3"];
	const at = (c: ReviewCard, k: number) => sides(c).reduce((s: number, i) => s + (c.phases[i]?.[k] ?? 0), 0) / sides(c).length;
	const most = Math.max(0.5, ...games.flatMap((c) => phases.map((_, k) => at(c, k))));
	const x = (i: number) => 10 + (i * 580) / (games.length - 1);
	const y = (v: number) => 64 - (v / most) * 54;
	return (
		<figure class="trend">
			<figcaption>{t("trend_title")}</figcaption>
			<svg viewBox="0 0 600 70" role="img" aria-label={phases.map((p, k) => t(`phase_${p}`) + ": " + at(games.at(-1)!, k).toFixed(1)).join(", ")}>
				<path class="axis" d="M10 64H590" />
				{phases.map((p, k) => <polyline key={p} points={games.map((c, i) => `${x(i).toFixed(1)},${y(at(c, k)).toFixed(1)}`).join(" ")} stroke-dasharray={dash[k]} />)}
			</svg>
			<span class="row">{phases.map((p, k) => <span key={p} class="dim"><svg width="26" height="8" aria-hidden="true"><path class="key-line" d="M0 4H26" stroke-dasharray={dash[k]} /></svg> {t(`phase_${p}`)} {at(games.at(-1)!, k).toFixed(1)}</span>)}</span>
		</figure>
	);
}

function Progress({ all }: { all: ReviewCard[] }) {
	const todo = all.filter((c) => c.state === "waiting" || c.state === "running");
	if (todo.length === 0) return null;
	const running = todo.find((c) => c.state === "running");
	// A waiting game is assumed to take as long a move as the running one.
	const rate = running?.left && running.share < 1 ? running.left / (1 - running.share) / (running.moves + 1) : 0;
	const left = (running?.left ?? 0) + rate * todo.filter((c) => c !== running).reduce((s, c) => s + c.moves + 1, 0);
	return (
		<div class="row progress-line" role="status">
			<span>{t("games_left", { n: todo.length })}{left > 0 ? ", " + t("left", { time: duration(left) }) : ""}</span>
			<button class="button quiet small" onClick={() => void send("review.pause", { paused: !reviews.value?.paused })}>
				<Icon name={reviews.value?.paused ? "go" : "pause"} size={16} /> {t(reviews.value?.paused ? "resume" : "pause")}
			</button>
		</div>
	);
}

function take(d: Reviews | ReviewProgress): void {
	if ("reviews" in d) reviews.value = d;
	else if (reviews.value) reviews.value = { ...reviews.value, reviews: reviews.value.reviews.map((c) => (c.review === d.card.review ? d.card : c)) };
}

function List() {
	useEffect(() => watch<Reviews | ReviewProgress>("reviews", take), []);
	const all = (reviews.value?.reviews ?? []).filter((c) => !isDeleted("review:" + c.review));
	const list = wanted.value.trim() ? all.filter((c) => matches(c, wanted.value)) : all;
	return (
		<main class="reviews">
			<div class="row title-row">
				<h1>{t("your_reviews")}</h1>
				<FileButton text={t("add_files")} kind="primary" to="review" />
				{all.length > 1 && <input type="search" value={wanted.value} placeholder={t("filter")} aria-label={t("filter")} onInput={(e) => { wanted.value = e.currentTarget.value; store.put({ name: wanted.value }); }} />}
			</div>
			<Progress all={all} />
			<Trend list={list} />
			{reviews.value && all.length === 0 && (
				<section class="card drop">
					<h2>{t("review_empty_title")}</h2>
					<p class="dim">{t(touch() ? "drop_text_touch" : "review_empty")}</p>
					<button class="button quiet" onClick={() => void openFiles([new File([EXAMPLE], t("example") + ".sgf")], "review")}>{t("try_example")}</button>
				</section>
			)}
			<ul class="review-list">{list.map((c) => <Row key={c.review} c={c} />)}</ul>
			<UnreadFiles files={reviews.value?.unread} />
		</main>
	);
}

// A game of two beginners, made for this purpose.
const EXAMPLE = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[7.5]RU[Chinese]PB[Aki]PW[Bo]RE[W+R];B[ee];W[cc];B[gc];W[cg];B[gg];W[ce];B[dd];W[cd];B[dc];W[cb];B[df];W[dg];B[ef];W[eg];B[fg];W[fh];B[gh];W[eh];B[ff];W[db];B[eb];W[ea];B[fb];W[ch];B[fa];W[da];B[hh];W[gi];B[hi];W[fi];B[aa];W[cf];B[hb];W[de];B[ed];W[ec];B[fc])";

export function Review({ id }: { id: string }) {
	return id ? <Game key={id} id={id} /> : <List />;
}

