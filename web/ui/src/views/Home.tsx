import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Choice, Field, NumberField, Switch, UnreadFiles } from "../controls";
import type { Clock, Fit, GameCard, Games, ID, NewGame, Unread } from "../gen/api";
import { num, rank, resultText, rulesName, t } from "../i18n";
import { Icon } from "../icons";
import { openFiles } from "../files";
import { toast } from "../live";
import { inWords, send, watch, welcome } from "../net";
import { go } from "../router";
import { rulesOpen } from "../keys";
import { point } from "../rules";
import { remember, settings } from "../settings";
import { Mini } from "./Mini";

interface Wish {
	size: number;
	other: boolean;
	w: number;
	h: number;
	auto: boolean; // the level that fits
	level?: string; // "" is full strength; not yet chosen: undefined
	visits: number;
	seconds: number;
	limit: "seconds" | "visits";
	colour: "b" | "w" | "random";
	handicap: number;
	free: boolean;
	rules: string;
	komi: string;
	clock: string;
	pace: boolean;
	more: boolean;
}

const store = remember<Wish>("kosumi.newgame", {
	size: 9, other: false, w: 9, h: 9, auto: true, visits: 400, seconds: 2, limit: "seconds", colour: "b", handicap: 0, free: false,
	rules: navigator.languages[0]?.startsWith("ja") || navigator.languages[0]?.startsWith("ko") ? "japanese" : "chinese", komi: "", clock: "none", pace: true, more: false,
});
const wish = signal<Wish>(store.get());
const games = signal<GameCard[] | null>(null);
const unread = signal<Unread[]>([]);
const busy = signal(false);

const change = (v: Partial<Wish>) => {
	wish.value = { ...wish.value, ...v };
	store.put(wish.value);
};

const CLOCKS: Record<string, Clock> = {
	none: { kind: "none", main: 0 },
	abs5: { kind: "absolute", main: 300 },
	abs20: { kind: "absolute", main: 1200 },
	byo: { kind: "byoyomi", main: 600, period: 30, periods: 3 },
	byoFast: { kind: "byoyomi", main: 60, period: 10, periods: 3 },
	canadian: { kind: "canadian", main: 600, period: 300, periods: 15 },
	fischer: { kind: "fischer", main: 180, bonus: 5 },
};

function sizeOf(w: Wish): [number, number] {
	return w.other ? [w.w, w.h] : [w.size, w.size];
}

/** The level that is wished, "" where the network does not offer it. */
function levelOf(w: Wish): string {
	return welcome.value?.levels?.find((l) => l.id === w.level)?.id ?? "";
}

const isAuto = (w: Wish): boolean => w.auto && (welcome.value?.levels?.length ?? 0) > 0;

/** The level to begin the choice with: what fits the player, else one that beginners can beat. */
function nearest(fit?: Fit): string {
	const levels = welcome.value?.levels ?? [];
	const strength = (id: string) => (id.endsWith("d") ? parseInt(id) : 1 - parseInt(id));
	const wanted = strength(fit?.mid ?? "15k");
	return [...levels].sort((a, b) => Math.abs(strength(a.id) - wanted) - Math.abs(strength(b.id) - wanted))[0]?.id ?? "";
}

/** What is known of the player's level. */
export const fitText = (f: Fit): string => t("fits_you", { rank: rank(f.mid), low: rank(f.low), high: rank(f.high), size: f.size.replace("x", "×"), n: f.games });

function maxHandicap(w: number, h: number, free: boolean): number {
	if (free) return Math.min(9, Math.floor((w * h) / 4));
	if (w % 2 && h % 2 && Math.min(w, h) >= 9) return 9;
	return Math.min(w, h) >= 7 ? 4 : 0;
}

/** Begins a game as the form says. */
export async function begin(): Promise<void> {
	if (busy.value) return;
	busy.value = true;
	const w = wish.value;
	const size = sizeOf(w);
	const level = isAuto(w) ? "auto" : levelOf(w);
	const full = !level;
	const game: NewGame = {
		size: size as unknown as NewGame["size"], rules: w.rules, colour: w.colour, clock: CLOCKS[w.clock] ?? CLOCKS.none,
		handicap: Math.min(w.handicap, maxHandicap(size[0], size[1], w.free)), free: w.free, teach: settings.value.teach || undefined,
		seat: { level: level || undefined, visits: full && w.limit === "visits" ? w.visits : undefined, seconds: full && w.limit === "seconds" && w.clock === "none" ? w.seconds : undefined, pace: w.pace ? "human" : undefined },
	};
	if (w.komi.trim() !== "" && Number.isFinite(Number(w.komi))) game.komi = Number(w.komi);
	try {
		const { id } = await send<ID>("game.new", game, true);
		go("/play/" + id);
	} catch (e) {
		toast(inWords(e), { bad: true });
	} finally {
		busy.value = false;
	}
}

export function opponent(seat: { level?: string; visits?: number; seconds?: number }): string {
	return seat.level ? rank(seat.level) : t("full_strength");
}

function Going() {
	const open = games.value?.filter((g) => g.phase !== "over") ?? [];
	const g = open[0];
	if (!g) return null;
	const size = g.size as unknown as [number, number];
	return (
		<section class="card going" aria-labelledby="going">
			<h2 id="going">{t("go_on")}</h2>
			<div class="going-row">
				<Mini w={size[0]} h={size[1]} stones={g.stones} last={g.last ? point(g.last, size[0], size[1]) : -1} size={112} />
				<div>
					<div>{t("card_move", { size: `${size[0]}×${size[1]}`, n: g.move })}</div>
					<div class="dim">{t("against", { who: opponent(g.seat) })}{g.yours ? " · " + t("your_turn") : ""}</div>
					<a class="button" href={"/play/" + g.game}>{t("continue")}</a>
				</div>
			</div>
			{open.length > 1 && (
				<details>
					<summary>{t("more_games", { n: open.length - 1 })}</summary>
					<ul class="list">
						{open.slice(1, 12).map((o) => (
							<li key={o.game}><a href={"/play/" + o.game}>{t("card_move", { size: `${(o.size as unknown as number[]).join("×")}`, n: o.move })} · {opponent(o.seat)}</a></li>
						))}
					</ul>
				</details>
			)}
		</section>
	);
}

// Somebody's first visit.
function Welcome() {
	if (!games.value || games.value.length + unread.value.length > 0) return null;
	return (
		<section class="card" aria-labelledby="new-here">
			<h2 id="new-here">{t("new_title")}</h2>
			<p class="dim">{t("new_text")}</p>
			<button type="button" class="button quiet" onClick={() => (rulesOpen.value = true)}><Icon name="learn" /> {t("rules_of_go")}</button>
		</section>
	);
}

function Past() {
	const past = games.value?.filter((g) => g.phase === "over").slice(0, 8) ?? [];
	if (past.length === 0) return null;
	return (
		<section class="card" aria-labelledby="past">
			<h2 id="past">{t("past_games")}</h2>
			<ul class="past">
				{past.map((g) => {
					const size = g.size as unknown as [number, number];
					return (
						<li key={g.game}>
							<a href={"/play/" + g.game}>
								<Mini w={size[0]} h={size[1]} stones={g.stones} size={64} />
								<span>{resultText(g.result ?? "")}<br /><span class="dim">{opponent(g.seat)}</span></span>
							</a>
						</li>
					);
				})}
			</ul>
		</section>
	);
}

function Against() {
	const w = wish.value;
	const levels = welcome.value?.levels ?? [];
	const level = levelOf(w);
	const at = level ? levels.findIndex((l) => l.id === level) : levels.length;
	const auto = isAuto(w);
	const [bw, bh] = sizeOf(w);
	const fit = ((welcome.value?.fits ?? []) as Fit[]).find((f) => f.size === `${bw}x${bh}`);
	return (
		<Field label={t("against_label")}>
			{levels.length > 0 && <Choice label={t("against_label")} value={auto ? 1 : 0} options={[[1, t("fits")], [0, t("chosen_level")]]} onChange={(v) => change(v === 1 ? { auto: true } : { auto: false, level: w.level ?? nearest(fit) })} />}
			{auto && <span class="dim">{fit ? fitText(fit) : t("fits_unknown")}</span>}
			{levels.length > 0 && !auto && (
				<div class="slider">
					<input type="range" min={0} max={levels.length} value={at} aria-label={t("against_label")} aria-valuetext={opponent({ level })}
						onInput={(e) => change({ auto: false, level: levels[Number(e.currentTarget.value)]?.id ?? "" })} />
					<output>{opponent({ level })}</output>
				</div>
			)}
			{levels.length === 0 && <div class="strength">{t("full_strength")}</div>}
			{!auto && !level && w.clock === "none" && (
				<div class="row">
					<Choice label={t("limit_label")} value={w.limit} options={[["seconds", t("limit_seconds")], ["visits", t("limit_visits")]]} onChange={(limit) => change({ limit })} />
					{w.limit === "seconds" ? (
						<NumberField label={t("limit_seconds")} min={0.1} max={600} step={0.1} value={w.seconds} onNumber={(n = 2) => change({ seconds: n })} />
					) : (
						<NumberField label={t("limit_visits")} min={1} max={1000000} value={w.visits} onNumber={(n = 400) => change({ visits: n })} />
					)}
				</div>
			)}
		</Field>
	);
}

function More() {
	const w = wish.value;
	const [bw, bh] = sizeOf(w);
	const rules = welcome.value?.rules ?? [];
	const usual = w.handicap > 1 ? 0.5 : (rules.find((r) => r.id === w.rules)?.komi ?? 7.5);
	return (
		<details class="more" open={w.more} onToggle={(e) => change({ more: (e.currentTarget as HTMLDetailsElement).open })}>
			<summary>{t("more_choices")}</summary>
			<Field label={t("rules")}>
				<select value={w.rules} aria-label={t("rules")} onChange={(e) => change({ rules: e.currentTarget.value })}>
					{rules.map((r) => <option key={r.id} value={r.id}>{rulesName(r.id)}</option>)}
				</select>
			</Field>
			<Field label={t("komi")}>
				<NumberField label={t("komi")} step={0.5} value={w.komi} placeholder={String(usual)} onNumber={(n) => change({ komi: n === undefined ? "" : String(n) })} />
			</Field>
			<Field label={t("handicap")} hint={w.free && w.handicap > 1 ? t("handicap_free_hint") : undefined}>
				<div class="row">
					<div class="stepper">
						<button type="button" aria-label={t("less")} onClick={() => change({ handicap: w.handicap <= 2 ? 0 : w.handicap - 1 })}>−</button>
						<output>{num(w.handicap)}</output>
						<button type="button" aria-label={t("more")} onClick={() => change({ handicap: Math.min(maxHandicap(bw, bh, w.free), Math.max(2, w.handicap + 1)) })}>+</button>
					</div>
					<Switch label={t("handicap_free")} value={w.free} onChange={(free) => change({ free })} />
				</div>
			</Field>
			<Field label={t("clock")}>
				<select value={w.clock} aria-label={t("clock")} onChange={(e) => change({ clock: e.currentTarget.value })}>
					<option value="none">{t("clock_none")}</option>
					<option value="abs5">{t("clock_absolute", { n: 5 })}</option>
					<option value="abs20">{t("clock_absolute", { n: 20 })}</option>
					<option value="byoFast">{t("clock_byoyomi", { main: "1:00", periods: 3, period: 10 })}</option>
					<option value="byo">{t("clock_byoyomi", { main: "10:00", periods: 3, period: 30 })}</option>
					<option value="canadian">{t("clock_canadian", { main: "10:00", stones: 15, period: "5:00" })}</option>
					<option value="fischer">{t("clock_fischer", { main: "3:00", bonus: 5 })}</option>
				</select>
			</Field>
			<Field label={t("pace")}>
				<Switch label={t("pace_human")} value={w.pace} onChange={(pace) => change({ pace })} />
			</Field>
		</details>
	);
}

export function Home() {
	useEffect(() => watch<Games>("games", (g) => { games.value = g.games; unread.value = g.unread ?? []; }), []);
	const w = wish.value;
	const [bw, bh] = sizeOf(w);
	const weak = welcome.value?.networks?.find((n) => n.inUse)?.weak;
	return (
		<main class="home">
			<div class="home-side">
				<Going />
				<Welcome />
				<section class="card drop" aria-labelledby="drop">
					<h2 id="drop">{t("drop_title")}</h2>
					<p class="dim">{t("drop_text")}</p>
					<label class="button quiet">
						<Icon name="open" /> {t("choose_file")}
						<input type="file" accept=".sgf,application/x-go-sgf" multiple class="sr" onChange={(e) => { void openFiles(e.currentTarget.files); e.currentTarget.value = ""; }} />
					</label>
				</section>
				<Past />
				<UnreadFiles files={unread.value} />
			</div>
			<form class="card new" onSubmit={(e) => { e.preventDefault(); void begin(); }} aria-labelledby="new">
				<h1 id="new">{t("play_title")}</h1>
				<Field label={t("size")} hint={weak && `${bw}x${bh}` !== weak ? t("network_weak", { size: weak }) : undefined}>
					<Choice label={t("size")} value={w.other ? 0 : w.size} options={[[9, "9×9"], [13, "13×13"], [19, "19×19"], [0, t("other")]]}
						onChange={(v) => change(v ? { size: v, other: false } : { other: true })} />
					{w.other && (
						<div class="row">
							<NumberField label={t("columns")} min={2} max={25} value={w.w} onNumber={(n = w.w) => change({ w: n })} />
							×
							<NumberField label={t("rows")} min={2} max={25} value={w.h} onNumber={(n = w.h) => change({ h: n })} />
						</div>
					)}
				</Field>
				<Against />
				<Field label={t("you")}>
					<Choice label={t("you")} value={w.colour} options={[["b", t("black")], ["w", t("white")], ["random", t("random")]]} onChange={(colour) => change({ colour })} />
				</Field>
				<More />
				<button class="button primary big" disabled={busy.value}>{t("play")}</button>
			</form>
		</main>
	);
}
