import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Board } from "../board/Board";
import { UnreadFiles } from "../controls";
import { openFiles } from "../files";
import type { DayProblem, GameCard, Games, GameState, Problem, Profile, Unread } from "../gen/api";
import { problemText, rank, t, yourResult } from "../i18n";
import { Icon, Logo, type IconName } from "../icons";
import { moreOpen, rulesOpen } from "../keys";
import { toast } from "../live";
import { inWords, send, watch, welcome } from "../net";
import { go, screens } from "../router";
import { point, type Colour } from "../rules";
import { later } from "../server";
import { remember, settings } from "../settings";
import { stoneSound } from "../sound";
import { isDeleted } from "../undo";
import { game, pending, place, take } from "./game";
import { Mini } from "./Mini";
import { begin, opponent, rankOn, sizeOf, wish } from "./newgame";

export { fitText, opponent } from "./newgame";

const games = signal<GameCard[] | null>(null);
const unread = signal<Unread[]>([]);
const player = remember("kosumi.player", { asked: false });
const asked = signal(player.get().asked);

// Today's problem comes with code that the first screen does not wait for.
const daily = signal<typeof import("./Drills") | null>(null);

const waits = signal(false); // a stone waits for a second tap
const onWaiting = (q: unknown) => (waits.value = !!q);
const problems = () => (screens.has("problems") ? "/problems" : "/drills");
// The first open problem of the day: of the program's only those that were asked before.
async function todays(): Promise<Problem | undefined> {
	const { day } = await send<Profile>("watch", { what: "profile" }, true);
	const p = (day.problems as DayProblem[]).find((q) => !q.grade && !q.fresh);
	return p && send<Problem>("drill.problem", { id: p.id }, true);
}
const sides = (g: { size: unknown }) => g.size as [number, number];
const boardName = (g: { size: unknown }) => sides(g).join("×");

// The game that was left, and one can go on in here.
function LeftGame({ card }: { card: GameCard }) {
	useEffect(() => watch<GameState>("game:" + card.game, (g) => g.game === card.game && take(g)), [card.game]);
	const g = game.value?.game === card.game ? game.value : null;
	const [w, h] = sides(card);
	const shown = g && pending.value?.rev === g.rev ? pending.value : null;
	const mine = !!g && !shown && (g.phase === "place" ? g.colour === "b" : g.phase === "play" && g.toMove === g.colour) && !g.trouble;
	const last = g ? g.moves.at(-1) : card.last;
	return (
		<Board w={w} h={h} stones={shown?.stones ?? g?.stones ?? card.stones} last={shown ? shown.last : last && last !== "pass" ? point(last, w, h) : -1} ko={g?.ko ? point(g.ko, w, h) : -1}
			legal={mine ? g.legal : undefined} turn={mine ? (g.colour as Colour) : undefined} coordinates={settings.value.coordinates} confirm={settings.value.confirm} label={t("board_plain", { w, h })} onWaiting={onWaiting}
			onPlay={g ? (p, no) => { if (!no) void place(p, false); go("/play/" + card.game); } : undefined} />
	);
}

// Whether the first stone of the next game is the player's: of even games and of handicap stones that are placed.
const playsFirst = (w: typeof wish.value): boolean => w.colour === "b" && (w.handicap < 2 || w.free);

// A new game as it was chosen last: the first stone begins it.
function NextGame() {
	const w = wish.value;
	const [bw, bh] = sizeOf(w);
	const first = playsFirst(w);
	return (
		<Board w={bw} h={bh} stones={".".repeat(bw * bh)} legal={"1".repeat(bw * bh)} turn={first ? "b" : undefined} coordinates={settings.value.coordinates} confirm={settings.value.confirm} label={t("board_plain", { w: bw, h: bh })} onWaiting={onWaiting}
			onPlay={(p) => { if (first) stoneSound((p % bw) / Math.max(1, bw - 1)); void begin(first ? p : -1); }} />
	);
}

function Tile({ icon, text, path, run, primary }: { icon: IconName; text: string; path?: string; run?: () => void; primary?: boolean }) {
	const cls = "tile" + (primary ? " primary" : "");
	const body = <><Icon name={icon} size={24} /><span>{text}</span></>;
	return path ? <a class={cls} href={path}>{body}</a> : <button type="button" class={cls} onClick={run}>{body}</button>;
}

function Row({ left }: { left?: GameCard }) {
	return (
		<nav class="front-row" aria-label={t("front_row")}>
			{left && <Tile icon="go" text={t("continue")} path={"/play/" + left.game} primary />}
			<Tile icon="plus" text={t("new_game")} path="/new" primary={!left} />
			<Tile icon="review" text={t("review")} path="/review" />
			<Tile icon="drills" text={t("problems")} path={problems()} />
			{screens.has("learn") ? <Tile icon="learn" text={t("learn")} path="/learn" /> : <Tile icon="learn" text={t("learn")} run={() => (rulesOpen.value = true)} />}
		</nav>
	);
}

/** Name and mark. */
function Brand() {
	return <div class="brand"><Logo size={30} /><strong>Kosumi</strong></div>;
}

const RANKS = [...Array.from({ length: 30 }, (_, i) => `${30 - i}k`), ...Array.from({ length: 9 }, (_, i) => `${i + 1}d`)];

// The first thing that is asked, and nothing beside it.
function First() {
	const plays = useRef<HTMLFormElement>(null);
	const done = (said = "") => {
		if (welcome.value) welcome.value = { ...welcome.value, said };
		player.put({ asked: true });
		asked.value = true;
	};
	return (
		<main class="first">
			<Brand />
			<h1>{t("first_question")}</h1>
			<div class="first-answers">
				<button type="button" class="button big" onClick={() => { done(); if (screens.has("learn")) go("/learn/capture"); else rulesOpen.value = true; }}>{t("first_no")}<small>{t("first_no_hint")}</small></button>
				<button type="button" class="button big" onClick={() => done()}>{t("first_little")}<small>{t("first_little_hint")}</small></button>
				<form class="first-yes" ref={plays} onSubmit={(e) => {
					e.preventDefault();
					const said = String(new FormData(e.currentTarget).get("rank"));
					send("player.rank", { rank: said }, true).then(() => done(said), (why) => toast(inWords(why), { bad: true }));
				}}>
					<label>{t("first_yes")}
						<select name="rank">{RANKS.map((r) => <option key={r} value={r} selected={r === "10k"}>{rank(r)}</option>)}</select>
					</label>
					<button class="button big">{t("first_start")}</button>
				</form>
			</div>
		</main>
	);
}

function Past() {
	const past = games.value?.filter((g) => g.phase === "over" && !isDeleted("game:" + g.game)).slice(0, 4) ?? [];
	if (past.length === 0) return null;
	return (
		<section class="past" aria-labelledby="past">
			<h2 id="past">{t("past_games")}</h2>
			<ul>
				{past.map((g) => (
					<li key={g.game}>
						<a href={"/play/" + g.game}>
							<Mini w={sides(g)[0]} h={sides(g)[1]} stones={g.stones} size={56} />
							<span>{yourResult(g.result ?? "", g.colour)}<br /><span class="dim">{t("against", { who: opponent(g.seat) })}</span></span>
						</a>
					</li>
				))}
			</ul>
		</section>
	);
}

export function Home() {
	useEffect(() => {
		daily.value?.present(null);
		return watch<Games>("games", (g) => { games.value = g.games; unread.value = g.unread ?? []; });
	}, []);
	const all = games.value?.filter((g) => !isDeleted("game:" + g.game));
	const open = all?.filter((g) => g.phase !== "over") ?? [];
	const left = open[0] as GameCard | undefined;
	const known = !!all;
	useEffect(() => {
		if (known && !left) later(import("./Drills"), (m) => {
			daily.value = m;
			todays().then((problem) => { if (!m.drill.value) m.present({ due: 0, fresh: 0, total: 0, problem }); }, () => (m.drill.value = { due: 0, fresh: 0, total: 0 }));
		});
	}, [known, !left]);
	if (!all) return <main class="home" aria-busy="true" />;
	if (!asked.value && !welcome.value?.said && all.length + unread.value.length === 0) return <First />;
	const day = daily.value;
	const problem = left ? undefined : day?.drill.value?.problem;
	const kind = left ? "game" : problem ? "problem" : "new";
	const w = wish.value;
	const [bw, bh] = sizeOf(w);
	return (
		<main class="home" data-front={kind}>
			<header class="front-head">
				<Brand />
				<button type="button" class="tool more-places" aria-label={t("more")} onClick={() => (moreOpen.value = true)}><Icon name="menu" size={24} /></button>
			</header>
			<div class="front-board" style={{ "--ratio": left ? sides(left)[1] / sides(left)[0] : problem ? sides(problem)[1] / sides(problem)[0] : bh / bw }} key={left?.game ?? problem?.id ?? "new"}>
				{left ? <LeftGame card={left} /> : day && problem ? <day.ProblemBoard p={problem} onWaiting={onWaiting} /> : <NextGame />}
			</div>
			<div class="front-side">
				<section class="front-text" aria-live="polite">
					{left ? (
						<>
							<h1>{t(left.yours ? "front_your_move" : "front_game")}</h1>
							<p class="dim">{t("card_move", { size: boardName(left), n: left.move })} · {t("against", { who: opponent(left.seat) })}</p>
						</>
					) : day && problem ? (
						<>
							<h1>{t("front_problem")}</h1>
							{day.answer.value ? <day.Feedback p={problem} brief onNext={() => go(screens.has("problems") ? "/problems/today" : "/drills")} /> : <p class={problem.after ? "good-text" : "dim"}>{problemText(problem)}</p>}
						</>
					) : (
						<>
							<h1>{t("front_new")}</h1>
							<p class="dim">{t(playsFirst(w) ? "front_new_black" : "front_new_white", { board: `${bw}×${bh}` + (w.handicap > 1 ? ", " + t("handicap_n", { n: w.handicap }) : ""), who: w.auto ? t("front_level_auto") : w.level === "" ? t("full_strength") : rank(w.level ?? rankOn(bw, bh)) })}</p>
						</>
					)}
					{waits.value && <p>{t("tap_again")}</p>}
				</section>
				<Row left={left} />
				{open.length > 1 && (
					<details class="more-games">
						<summary>{t("more_games", { n: open.length - 1 })}</summary>
						<ul class="list">{open.slice(1, 12).map((o) => <li key={o.game}><a href={"/play/" + o.game}>{t("card_move", { size: boardName(o), n: o.move })} · {opponent(o.seat)}</a></li>)}</ul>
					</details>
				)}
				<Past />
				<p class="front-drop dim">
					{t(matchMedia("(pointer: coarse)").matches ? "drop_text_touch" : "drop_text")} <label class="plain file">{t("choose_file")}<input type="file" accept=".sgf,application/x-go-sgf" multiple class="sr" onChange={(e) => { void openFiles(e.currentTarget.files); e.currentTarget.value = ""; }} /></label>
				</p>
				<UnreadFiles files={unread.value} />
			</div>
		</main>
	);
}
