import { signal } from "@preact/signals";
import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Board } from "../board/Board";
import { FileButton, Uncounted, UnreadFiles } from "../controls";
import type { Day, DayProblem, GameCard, Games, GameState, Profile, Rank, Review, ReviewProgress, Unread, You as Known } from "../gen/api";
import { num, rank, t, yourResult } from "../i18n";
import { Icon, Logo, type IconName } from "../icons";
import { moreOpen, rulesOpen } from "../keys";
import { toast } from "../live";
import { inWords, send, watch, welcome } from "../net";
import { go, screens } from "../router";
import { point, type Colour } from "../rules";
import { later } from "../server";
import { remember, settings, touch } from "../settings";
import { stoneSound } from "../sound";
import { isDeleted } from "../undo";
import { game, pending, place, take } from "./game";
import { Mini } from "./Mini";
import { askLevels, begin, levelOf, levelsOn, nextOn, opponent, sizeOf, wish } from "./newgame";

export { fitText, opponent } from "./newgame";

const games = signal<GameCard[] | null>(null);
const unread = signal<Unread[]>([]);
const player = remember("kosumi.player", { asked: false });
const asked = signal(player.get().asked);

const waits = signal(false); // a stone waits for a second tap
const onWaiting = (q: unknown) => (waits.value = !!q);
const problems = () => (screens.has("problems") ? "/problems" : "/drills");
const boardName = (g: GameCard) => g.size.join("×");

// The unfinished game, which can be continued here.
function LeftGame({ card }: { card: GameCard }) {
	useEffect(() => watch<GameState>("game:" + card.game, (g) => g.game === card.game && take(g)), [card.game]);
	const g = game.value?.game === card.game ? game.value : null;
	const [w, h] = card.size;
	const shown = g && pending.value?.rev === g.rev ? pending.value : null;
	const mine = !!g && !shown && (g.phase === "place" ? g.colour === "b" : g.phase === "play" && g.toMove === g.colour) && !g.trouble;
	const last = g ? g.moves.at(-1) : card.last;
	return (
		<Board w={w} h={h} stones={shown?.stones ?? g?.stones ?? card.stones} last={shown ? shown.last : last && last !== "pass" ? point(last, w, h) : -1} ko={g?.ko ? point(g.ko, w, h) : -1}
			legal={mine ? g.legal : undefined} turn={mine ? (g.colour as Colour) : undefined} coordinates={settings.value.coordinates} confirm={settings.value.confirm} label={t("board_plain", { w, h })} onWaiting={onWaiting}
			onPlay={g ? (p, no) => { if (!no) void place(p, false); go("/play/" + card.game); } : undefined} />
	);
}

// Whether the player makes the first move of the next game: as Black, without handicap or placing
// the stones.
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

// Name and mark; on a phone, where the rail is hidden here, also the way to the other screens.
const Head = () => (
	<header class="front-head">
		<div class="brand"><Logo size={30} /><strong>Kosumi</strong></div>
		<button type="button" class="tool more-places" aria-label={t("more")} onClick={() => (moreOpen.value = true)}><Icon name="menu" size={24} /></button>
	</header>
);

/** All ranks, the weakest first. */
export const RANKS = [...Array.from({ length: 30 }, (_, i) => `${30 - i}k`), ...Array.from({ length: 9 }, (_, i) => `${i + 1}d`)];

// An opening on a small board, to see what a game looks like.
const OPENING = ".w......." + ".wbb....." + "..wb..b.." + "..wwb...." + "....b...." + "........." + "..wwbbb.." + "....ww..." + ".........";
const NEW = "30k", LITTLE = "23k"; // the ranks claimed by "not yet" and "a little": the first game is two ranks easier, as far as there are ranks

// The first question, with a line on what this is about.
function First() {
	const plays = useRef<HTMLFormElement>(null);
	const done = (said = "") => {
		if (welcome.value) welcome.value = { ...welcome.value, said };
		player.put({ asked: true });
		asked.value = true;
	};
	const say = (said: string) => void send("player.rank", { rank: said }, true).then(() => done(said), (why) => toast(inWords(why), { bad: true }));
	return (
		<main class="first">
			<Mini w={9} h={9} stones={OPENING} size={380} />
			<div class="first-ask">
				<Head />
				<p>{t("first_what")}</p>
				<h1>{t("first_question")}</h1>
				<div class="first-answers">
					<button type="button" class="button big" onClick={() => { say(NEW); if (screens.has("learn")) go("/learn/capture"); else rulesOpen.value = true; }}>{t("first_no")}<small>{t("first_no_hint")}</small></button>
					<button type="button" class="button big" onClick={() => say(LITTLE)}>{t("first_little")}<small>{t("first_little_hint", { rank: rank("25k") })}</small></button>
					<form class="first-yes" ref={plays} onSubmit={(e) => { e.preventDefault(); say(String(new FormData(e.currentTarget).get("rank"))); }}>
						<label>{t("first_yes")}
							<select name="rank">{RANKS.map((r) => <option key={r} value={r} selected={r === "10k"}>{rank(r)}</option>)}</select>
						</label>
						<button class="button big">{t("first_start")}</button>
					</form>
					<button type="button" class="plain" onClick={() => done()}>{t("not_now")}</button>
					<FileButton text={t("first_restore")} kind="plain" accept=".zip" />
				</div>
			</div>
		</main>
	);
}

const Card = ({ id, title, children }: { id: string; title: string; children: ComponentChildren }) => (
	<section class="home-card" aria-labelledby={"home-" + id}><h2 id={"home-" + id}>{title}</h2>{children}</section>
);

const day = signal<Day | null>(null);

// Today's problems, as far as they are answered.
function Today() {
	const d = day.value;
	const list = d?.problems ?? [];
	const open = list.filter((p) => !p.grade).length;
	const state = (p: DayProblem) => t(!p.grade ? "problem_open" : p.right ? "problem_right" : "problem_missed");
	if (!d) return null;
	return (
		<Card id="problems" title={t("problems_title")}>
			{list.length > 0 && <a href={open > 0 ? "/problems/today" : "/problems"} aria-label={`${t("problems")}: ${list.map(state).join(", ")}`}><ol class="problem-row small">{list.map((p) => <li key={p.id} class={!p.grade ? "" : p.right ? "right" : "missed"}><Mini w={p.size[0]} h={p.size[1]} stones={p.stones} size={56} /></li>)}</ol></a>}
			<p class="row">
				{list.length === 0 ? <span class="dim">{t("problems_none")}</span>
					: open > 0 ? <><a class="button small" href="/problems/today">{t(open < list.length ? "problems_continue" : "problems_begin")}</a><span class="dim">{t("of", { n: list.length - open, of: list.length })}</span></>
					: <span class="good-text"><Icon name="check" size={18} /> {t("problems_done")}</span>}
				{d.streak > 0 && <span class="dim">{t("streak", { n: d.streak })}</span>}
			</p>
		</Card>
	);
}

const review = signal<Review | null>(null); // of the game that ended last

// How the last game ended, and where it turned.
function LastGame({ g }: { g?: GameCard }) {
	useEffect(() => {
		review.value = null;
		if (!g) return;
		let boards = "";
		return watch<Review | ReviewProgress>("review:" + g.game, (r) => { if ("moves" in r) review.value = { ...r, boards: (boards = r.boards || boards) }; }, () => undefined);
	}, [g?.game]);
	if (!g) return <Card id="last" title={t("home_last")}><p class="dim">{t("home_last_none")}</p></Card>;
	const [w, h] = g.size;
	const r = review.value?.card.review === g.game ? review.value : null;
	const loser = { B: "w", W: "b" }[(g.result ?? "")[0]];
	const swing = (i: number) => (r!.moves[i].wl ?? 0) + (r!.moves[i].c === loser ? 1 : 0); // the loser's mistakes come first
	const ply = [...[...(r?.turning ?? [])].sort((a, b) => swing(b) - swing(a)), ...(r?.mistakes ?? [])].find((i) => r!.moves[i].listed); // a small loss turns no game
	const m = ply === undefined ? undefined : r!.moves[ply];
	return (
		<Card id="last" title={t("home_last")}>
			<a class="last-game" href={m ? `/review/${g.game}?m=${ply! + 1}` : "/play/" + g.game}>
				<Mini w={w} h={h} stones={m && r!.boards ? r!.boards.slice(ply! * w * h, (ply! + 1) * w * h) : g.stones} ring={m ? point(m.m, w, h) : undefined} size={88} />
				<span><strong>{yourResult(g.result ?? "", g.colour)}</strong><br /><span class="dim">{t("against", { who: opponent(g.seat) })}</span> <Uncounted why={g.counts} />
					{m && <><br />{t(m.c === g.colour ? "home_turning" : "home_turning_kosumi", { move: m.m === "pass" ? t("pass_said") : m.m, ply: ply! + 1, points: num(m.loss) })}</>}</span>
			</a>
		</Card>
	);
}

const ranks = signal<Rank[]>([]);
const Curve = signal<FunctionComponent<{ r: Rank }> | null>(null);

/** The rank on the board that counted a game last; undefined if none has. */
export function latest(all: Rank[]): Rank | undefined {
	const at = (r: Rank) => r.curve.at(-1)?.at ?? 0;
	return [...all].sort((a, b) => at(b) - at(a))[0];
}

// The player's rank and how it came about, as the screen You has it: measured, else as said.
function RankNow() {
	useEffect(() => {
		send<Known>("watch", { what: "you" }, true).then((y) => (ranks.value = y.ranks), () => undefined);
	}, [games.value, day.value]); // a review that has just ended may count too
	const r = latest(ranks.value);
	const said = welcome.value?.said;
	useEffect(() => { if (r) later(import("./You"), (m) => (Curve.value = m.Curve)); }, [!!r]);
	if (!r) return <Card id="rank" title={said ? t("rank_first", { rank: rank(said) }) : t("home_rank")}><p class="dim">{t(said ? "rank_said" : "home_rank_none")} {said && <a href="/you">{t("rank_change")}</a>}</p></Card>;
	const View = Curve.value;
	return <Card id="rank" title={`${t("you_rank", { size: r.fit.size.replace("x", "×") })}: ${rank(r.fit.mid)}`}>{View && <View r={r} />}</Card>;
}

// The strength of the next opponent; empty until it is known.
function next(bw: number, bh: number): string {
	const w = wish.value;
	const levels = levelsOn(bw, bh);
	if (!levels) return "";
	const level = w.auto ? nextOn(bw, bh) : levelOf(w, levels);
	return level ? rank(level) : t("full_strength");
}

export function Home() {
	useEffect(() => {
		const stops = [watch<Games>("games", (g) => { games.value = g.games; unread.value = g.unread ?? []; }), watch<Profile>("profile", (p) => (day.value = p.day))];
		return () => stops.forEach((stop) => stop());
	}, []);
	const all = games.value?.filter((g) => !isDeleted("game:" + g.game));
	const open = all?.filter((g) => g.phase !== "over") ?? [];
	const left = open.find((g) => g.begun); // a game without a move of the player does not hide the next one
	const others = open.filter((g) => g !== left);
	const w = wish.value;
	const [bw, bh] = sizeOf(w);
	useEffect(() => { if (all && !left) void askLevels(bw, bh).catch(() => undefined); }, [!!all, !left, bw, bh, welcome.value]);
	if (!all) return <main class="home" aria-busy="true" />;
	if (!asked.value && !welcome.value?.said && all.length + unread.value.length === 0) return <First />;
	return (
		<main class="home" data-front={left ? "game" : "new"}>
			<Head />
			<div class="front-board" style={{ "--ratio": left ? left.size[1] / left.size[0] : bh / bw }} key={left?.game ?? "new"}>
				{left ? <LeftGame card={left} /> : <NextGame />}
			</div>
			<div class="front-side">
				<section class="front-text" aria-live="polite">
					{left ? (
						<>
							<h1>{t(left.yours ? "front_your_move" : "front_game")}</h1>
							<p class="dim">{t("card_move", { size: boardName(left), n: left.move })} · {t("against", { who: opponent(left.seat) })}</p>
						</>
					) : (
						<>
							<h1>{t("front_new")}</h1>
							<p class="dim">{t("front_new_against", { board: `${bw}×${bh}` + (w.handicap > 1 ? ", " + t("handicap_n", { n: w.handicap }) : ""), who: next(bw, bh) })} {t(playsFirst(w) ? "front_new_black" : "front_new_white")}</p>
						</>
					)}
					{waits.value && <p>{t("tap_again")}</p>}
				</section>
				<Row left={left} />
				{others.length > 0 && (
					<details class="more-games">
						<summary>{t("more_games", { n: others.length })}</summary>
						<ul class="list">{others.slice(0, 12).map((o) => <li key={o.game}><a href={"/play/" + o.game}>{t("card_move", { size: boardName(o), n: o.move })} · {opponent(o.seat)}</a></li>)}</ul>
					</details>
				)}
				<Today />
				<LastGame g={all.find((g) => g.phase === "over")} />
				<RankNow />
				<p class="front-drop dim">
					{t(touch() ? "drop_text_touch" : "drop_text")} <FileButton text={t("choose_file")} kind="plain" />
				</p>
				<UnreadFiles files={unread.value} />
			</div>
		</main>
	);
}
