import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Uncounted, UnreadFiles } from "../controls";
import { save } from "../files";
import type { Fit, KeptGame, KeptGames, Loss, Profile, Rank, Standing, Tally, You as Known } from "../gen/api";
import type { Key } from "../gen/keys";
import { language, num, rank, resultText, t, warned } from "../i18n";
import { Icon } from "../icons";
import { toast } from "../live";
import { inWords, send, watch, welcome } from "../net";
import { isDeleted, remove } from "../undo";
import { latest, opponent, RANKS } from "./Home";
import { Streak } from "./Problems";
import { RankScale } from "./Story";

const you = signal<Known | null>(null);
const profile = signal<Profile | null>(null);
const board = signal(""); // whose numbers are shown

const size = (s: string) => s.replace("x", "×");
const boards = computed(() => [...new Set([...(you.value?.ranks ?? []).map((r) => r.fit.size), ...(you.value?.losses ?? []).map((l) => l.size)])]);

const id = (r: number): string => (r >= 0 ? `${r + 1}d` : `${-r}k`);

/** Whether the moves of reviewed games count for the rank on a board. */
const counts = (s: string): boolean => (you.value?.judged ?? []).includes(s);
const resultsOnly = (s: string): string => t("you_results_only", { size: size(s), boards: (you.value?.judged ?? []).map(size).join(", ") });

/** The sources of a rank. */
function fromWhat(f: Fit): string {
	return [f.games > 0 && t("you_from_games", { n: f.games }), (f.judged ?? 0) > 0 && t("you_from_reviews", { n: f.judged ?? 0 }), (f.judged ?? 0) > (you.value?.losses.find((l) => l.size === f.size)?.games ?? 0) && t("you_from_deleted")].filter(Boolean).join(" ");
}

/** The rank after each game, with the range that it was known within. */
export function Curve({ r }: { r: Rank }) {
	const all = r.curve;
	if (all.length < 2) return <p class="dim">{t("you_curve_later")}</p>;
	const lo = Math.min(...all.map((s) => s.low)) - 1;
	const hi = Math.max(...all.map((s) => s.high)) + 1;
	const [W, H] = [360, 170];
	const x = (i: number) => 44 + (i * (W - 56)) / (all.length - 1);
	const y = (v: number) => H - 22 - ((v - lo) / (hi - lo)) * (H - 36);
	const step = hi - lo > 16 ? 5 : hi - lo > 8 ? 3 : 2;
	const lines = Array.from({ length: 30 }, (_, i) => Math.ceil(lo / step) * step + i * step).filter((v) => v <= hi);
	const path = (f: (s: Standing) => number, list: Standing[], from: number) => list.map((s, i) => `${x(from < 0 ? all.length - 1 - i : i).toFixed(1)},${y(f(s)).toFixed(1)}`).join(" ");
	const date = (s: Standing) => new Date(s.at * 1000).toLocaleDateString(language.value, { dateStyle: "medium" });
	return (
		<figure class="curve">
			<svg viewBox={`0 0 ${W} ${H}`} role="img" aria-label={t("you_curve_said", { n: all.length, from: rank(id(all[0].mid)), to: rank(id(all.at(-1)!.mid)) })}>
				{lines.map((v) => <g key={v}><path class="axis" d={`M44 ${y(v)}H${W - 12}`} /><text x="38" y={y(v)}>{rank(id(v))}</text></g>)}
				<polygon class="band" points={path((s) => s.high, all, 0) + " " + path((s) => s.low, [...all].reverse(), -1)} />
				<polyline class="mid" points={path((s) => s.mid, all, 0)} />
				{all.map((s, i) => (
					<circle key={i} cx={x(i)} cy={y(s.mid)} r={all.length > 80 ? 2 : 3.5} class={s.from === "review" ? "by-review" : s.mark === 1 ? "won" : "lost"}>
						<title>{`${date(s)}: ${rank(id(s.mid))} · ${s.from === "review" ? t("lost_a_move", { points: num(s.mark, 2) }) : t(s.mark === 1 ? "won" : s.mark === 0 ? "lost" : "result_draw")}`}</title>
					</circle>
				))}
				<text class="from" x="44" y={H - 9}>{date(all[0])}</text>
				<text class="to" x={W - 12} y={H - 9}>{date(all.at(-1)!)}</text>
			</svg>
			<figcaption class="row dim">
				<span><i class="key won" /> {t("won")}</span><span><i class="key lost" /> {t("lost")}</span><span><i class="key by-review" /> {t("you_by_review")}</span>
			</figcaption>
		</figure>
	);
}

function RankOn({ r }: { r: Rank }) {
	return (
		<section class="card" aria-labelledby="you-rank">
			<h2 id="you-rank">{t("you_rank", { size: size(r.fit.size) })}</h2>
			<p class="big-result">{rank(r.fit.mid)}</p>
			<LastGame />
			<RankScale f={r.fit} alone />
			<p class="dim">{fromWhat(r.fit)} {t("you_counts")}</p>
			{!counts(r.fit.size) && <p class="dim">{resultsOnly(r.fit.size)}</p>}
			{welcome.value?.said && <SaidRank />}
			<Curve r={r} />
		</section>
	);
}

/** The rank as the player says it, as long as it counts on some board; "": not said. */
function SaidRank() {
	const w = welcome.value;
	const say = (r: string) => void send("player.rank", { rank: r }, true).then(() => { if (w) welcome.value = { ...w, said: r }; }, (e) => toast(inWords(e), { bad: true }));
	return (
		<p><label>{t("rank_said_here")} <select value={w?.said ?? ""} onChange={(e) => say(e.currentTarget.value)}>
			{!w?.said && <option value="" disabled>–</option>}
			{RANKS.map((r) => <option key={r} value={r}>{rank(r)}</option>)}
		</select></label></p>
	);
}

// Why the last game on the board that is shown does not count for the rank, if it does not.
function LastGame() {
	const g = newest.value.find((g) => g.result && !isDeleted("game:" + g.game) && (!board.value || g.size.join("x") === board.value));
	return !g?.counts || g.counts === "yes" ? null : <p class="note"><strong>{t("home_last")}</strong> <Uncounted why={g.counts} /></p>;
}

// No game has counted yet on the board that is shown.
function NoRank() {
	const said = welcome.value?.said;
	return (
		<section class="card" aria-labelledby="you-rank">
			<h2 id="you-rank">{said ? t("rank_first", { rank: rank(said) }) : t("you_rank_none")}</h2>
			<p class="dim">{board.value && !counts(board.value) ? resultsOnly(board.value) : t("you_rank_none_text")}</p>
			<LastGame />
			<SaidRank />
			<a class="button primary" href="/new">{t("new_game")}</a>
		</section>
	);
}

function Bars({ rows, unit }: { rows: [string, number][]; unit: (v: number) => string }) {
	const most = Math.max(0.01, ...rows.map(([, v]) => v));
	return (
		<table class="bar-table">
			<tbody>
				{rows.map(([name, v]) => (
					<tr key={name}><th scope="row">{name}</th><td><span class="bar" style={{ width: (v / most) * 100 + "%" }} /></td><td class="n">{unit(v)}</td></tr>
				))}
			</tbody>
		</table>
	);
}

function Lost({ l }: { l: Loss }) {
	const kinds = Object.entries((l.kinds ?? {}) as Record<string, number>).filter(([, v]) => v >= 0.1).sort((a, b) => b[1] - a[1]).slice(0, 6);
	return (
		<section class="card" aria-labelledby="you-lost">
			<h2 id="you-lost">{t("you_lost_title", { size: size(l.size) })}</h2>
			<p class="dim">{t("you_lost_from", { n: l.games, moves: num(l.moves) })}</p>
			<Bars rows={(["opening", "middle", "endgame"] as const).map((k, i) => [t(`phase_${k}`), l.phases[i]])} unit={(v) => (v ? num(v, 2) : "–")} />
			{kinds.length > 0 && <><h3>{t("you_kinds")}</h3><Bars rows={kinds.map(([k, v]) => [t(("kind_" + k.replace(/[ -]/g, "_")) as Key), v])} unit={(v) => num(v)} /></>}
		</section>
	);
}

function Results() {
	const k = you.value!;
	const rows = k.sizes.filter((s) => s.won + s.lost + s.drawn > 0);
	const all = k.played as Tally;
	if (all.won + all.lost + all.drawn + all.open === 0) return null;
	return (
		<section class="card" aria-labelledby="you-results">
			<h2 id="you-results">{t("you_results")}</h2>
			<table class="plain-table results">
				<thead><tr><td /><th scope="col">{t("won")}</th><th scope="col">{t("lost")}</th><th scope="col">{t("drawn")}</th></tr></thead>
				<tbody>
					{rows.map((s) => <tr key={s.size}><th scope="row">{size(s.size ?? "")}</th><td>{num(s.won)}</td><td>{num(s.lost)}</td><td>{num(s.drawn)}</td></tr>)}
					<tr class="sum"><th scope="row">{t("all")}</th><td>{num(all.won)}</td><td>{num(all.lost)}</td><td>{num(all.drawn)}</td></tr>
				</tbody>
			</table>
			{all.open > 0 && <p class="dim">{t("you_open", { n: all.open })}</p>}
		</section>
	);
}

function Names() {
	const names = profile.value?.names ?? [];
	const say = (mine: string[], others: string[]) => void send("player.names", { mine, others }, true).then(load, (e) => toast(inWords(e), { bad: true }));
	return (
		<section class="card" aria-labelledby="you-names">
			<h2 id="you-names">{t("you_names")}</h2>
			<p class="dim">{t("you_names_text")}</p>
			<div class="row">
				{names.map((n) => <span key={n} class="chip">{n} <button class="plain icon-only" aria-label={t("remove", { name: n })} onClick={() => say([], [n])}><Icon name="close" size={14} /></button></span>)}
			</div>
			<form class="row" onSubmit={(e) => { e.preventDefault(); const f = e.currentTarget.elements.namedItem("name") as HTMLInputElement; if (f.value.trim()) say([f.value], []); f.value = ""; }}>
				<input name="name" maxLength={60} autocomplete="off" aria-label={t("you_name")} placeholder={t("you_name")} />
				<button class="button quiet">{t("you_name_add")}</button>
			</form>
		</section>
	);
}

const PAGE = 50;
const wanted = signal("");
const kept = signal<KeptGames | null>(null);
const newest = signal<KeptGame[]>([]);
let asked = 0;

async function find(from = 0): Promise<void> {
	const n = ++asked;
	try {
		const k = await send<KeptGames>("games.find", { text: wanted.value, from, most: PAGE }, true);
		if (n !== asked) return; // somebody has typed on
		if (from === 0 && !wanted.value) newest.value = k.games;
		kept.value = from > 0 && kept.value ? { ...k, games: [...kept.value.games, ...k.games] } : k;
	} catch (e) {
		toast(inWords(e), { bad: true });
	}
}

function Row({ g }: { g: KeptGame }) {
	const [w, h] = g.size;
	const outcome = g.won === "yes" ? "won" : g.won === "no" ? "lost" : g.won === "drawn" ? "drawn" : "";
	return (
		<li class="kept-row">
			<a href={"/play/" + g.game}>
				<span class={"outcome " + outcome}>{outcome ? t(outcome as "won") : g.moves > 0 && t("you_unfinished")}</span>
				<span class="kept-who"><span class={"disc small " + g.colour} role="img" aria-label={t(g.colour === "b" ? "black" : "white")} /> {t("against", { who: opponent(g.seat) })}</span>
				<span class="dim">{w}×{h} · {t("moves_n", { n: g.moves })}{g.result ? " · " + resultText(g.result) : ""} <Uncounted why={g.counts} /></span>
				<span class="dim date">{new Date(g.began * 1000).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" })}</span>
			</a>
			<button class="plain icon-only" aria-label={t("save_sgf")} onClick={() => void save(`/api/games/${g.game}.sgf`)}><Icon name="save" size={18} /></button>
			<button class="plain icon-only" aria-label={t("delete")} onClick={() => remove("game:" + g.game, t("you_deleted"), () => send("game.delete", { game: g.game, rev: g.rev }, true).then(() => find()))}><Icon name="bin" size={18} /></button>
		</li>
	);
}

function Games() {
	const k = kept.value;
	const list = (k?.games ?? []).filter((g) => !isDeleted("game:" + g.game));
	return (
		<section class="card kept" aria-labelledby="you-games">
			<div class="row title-row">
				<h2 id="you-games">{t("you_games")} {k && <span class="dim">{num(k.total - k.games.filter((g) => isDeleted("game:" + g.game)).length)}</span>}</h2>
				<input type="search" value={wanted.value} placeholder={t("you_search")} aria-label={t("you_search")} onInput={(e) => { wanted.value = e.currentTarget.value; void find(); }} />
				<button class="button quiet" disabled={!k?.all} onClick={() => void save("/api/games.zip")}><Icon name="save" /> {t("you_export")}</button>
			</div>
			{k && k.all === 0 && <p class="dim">{t("you_no_games")}</p>}
			{k && k.all > 0 && k.total === 0 && <p class="dim">{t("you_no_match")}</p>}
			<ul class="kept-list">{list.map((g) => <Row key={g.game} g={g} />)}</ul>
			{k && k.games.length < k.total && <button class="button quiet" onClick={() => void find(k.games.length)}>{t("you_more", { n: k.total - k.games.length })}</button>}
			<UnreadFiles files={k?.unread} />
		</section>
	);
}

async function load(): Promise<void> {
	try {
		you.value = await send<Known>("watch", { what: "you" }, true);
		if (welcome.value) welcome.value = { ...welcome.value, fits: you.value.ranks.map((r) => r.fit) };
		if (!boards.value.includes(board.value)) board.value = latest(you.value.ranks)?.fit.size ?? boards.value[0] ?? "";
	} catch (e) {
		toast(inWords(e), { bad: true });
	}
}

export function You(_: { id: string }) {
	useEffect(() => {
		void load();
		void find();
		return watch<Profile>("profile", (p) => (profile.value = p));
	}, []);
	const k = you.value;
	if (!k) return <main class="empty" aria-busy="true" />;
	const r = k.ranks.find((x) => x.fit.size === board.value);
	const l = k.losses.find((x) => x.size === board.value);
	const day = profile.value?.day;
	return (
		<main class="you">
			<div class="row title-row">
				<h1>{t("profile")}</h1>
				{boards.value.length > 1 && <div class="tabs" role="tablist">{boards.value.map((b) => <button key={b} role="tab" aria-selected={b === board.value} class={b === board.value ? "on" : ""} onClick={() => (board.value = b)}>{size(b)}</button>)}</div>}
			</div>
			{profile.value?.warn && <p class="note warn"><Icon name="warn" /> {warned(profile.value)}</p>}
			<div class="you-grid">
				{r ? <RankOn r={r} /> : <NoRank />}
				{l ? <Lost l={l} /> : <section class="card"><h2>{t("you_lost_none")}</h2><p class="dim">{t("you_lost_none_text")}</p><a class="button quiet" href="/review">{t("review")}</a></section>}
				<Results />
				{day && <section class="card" aria-labelledby="you-streak"><h2 id="you-streak">{t("problems_title")}</h2><Streak d={day} /><a class="button quiet" href="/problems">{t("problems")}</a></section>}
				<Names />
			</div>
			<Games />
		</main>
	);
}
