import { useEffect } from "preact/hooks";
import { Choice, Field, NumberField, Switch } from "../controls";
import { num, rank, rulesName, t } from "../i18n";
import { toast } from "../live";
import { inWords, welcome } from "../net";
import { screens } from "../router";
import { askFits, askLevels, begin, busy, change, changeBoard, fitOn, fitText, levelOf, levelsOn, maxHandicap, nextOn, opponent, sizeOf, startText, wish } from "./newgame";
import { TeachChoice } from "./Teach";

function Against() {
	const w = wish.value;
	const [bw, bh] = sizeOf(w);
	useEffect(() => void askLevels(bw, bh).catch((e) => toast(inWords(e), { bad: true })), [bw, bh, welcome.value]);
	const levels = levelsOn(bw, bh);
	if (!levels) return <Field label={t("against_label")}><span class="dim">{t("asking")}</span></Field>;
	const level = levelOf(w, levels);
	const at = level ? levels.findIndex((l) => l.id === level) : levels.length;
	const auto = w.auto && levels.length > 0;
	const fit = fitOn(bw, bh);
	const next = nextOn(bw, bh);
	const board = `${bw}×${bh}`;
	return (
		<Field label={t("against_label")}>
			{levels.length > 0 && <Choice label={t("against_label")} value={auto ? 1 : 0} options={[[1, t("fits")], [0, t("chosen_level")]]} onChange={(v) => change(v === 1 ? { auto: true } : { auto: false, level: w.level ?? level })} />}
			{auto && <span class="dim">{fit ? fitText(fit) + (next ? " " + t("next_opponent", { rank: rank(next) }) : "") : startText(bw, bh)}</span>}
			{levels.length > 0 && !auto && (
				<>
					<div class="slider">
						<input type="range" min={0} max={levels.length} value={at} aria-label={t("against_label")} aria-valuetext={opponent({ level })}
							onInput={(e) => change({ auto: false, level: levels[Number(e.currentTarget.value)]?.id ?? "" })} />
						<output>{opponent({ level })}</output>
					</div>
					<span class="dim levels-here">{t("levels_here", { low: rank(levels[0].id), high: rank(levels[levels.length - 1].id), board })}{at === 0 && " " + t("levels_weakest")}{levels[at]?.measured === false && " " + t("levels_estimate", { rank: rank(levels[at].id), board })}</span>
				</>
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

function Handicap() {
	const w = wish.value;
	const [bw, bh] = sizeOf(w);
	if (maxHandicap(bw, bh, w.free) < 2) return null;
	return (
		<Field label={t("handicap")} hint={w.free && w.handicap > 1 ? t("handicap_free_hint") : undefined}>
			<div class="row">
				<div class="stepper">
					<button type="button" aria-label={t("handicap_fewer")} onClick={() => change({ handicap: w.handicap <= 2 ? 0 : w.handicap - 1 })}>−</button>
					<output>{num(w.handicap)}</output>
					<button type="button" aria-label={t("handicap_more")} onClick={() => change({ handicap: Math.min(maxHandicap(bw, bh, w.free), Math.max(2, w.handicap + 1)) })}>+</button>
				</div>
				{w.handicap < 2 && <span class="dim">{t("handicap_hint")}</span>}
				{w.handicap > 1 && <Switch label={t("handicap_free")} value={w.free} onChange={(free) => change({ free })} />}
			</div>
		</Field>
	);
}

// The clocks, and what they are called.
const CLOCK_NAMES: [string, () => string][] = [
	["none", () => t("clock_none")],
	["abs5", () => t("clock_absolute", { n: 5 })],
	["abs20", () => t("clock_absolute", { n: 20 })],
	["byoFast", () => t("clock_byoyomi", { main: 1, periods: 3, period: 10 })],
	["byo", () => t("clock_byoyomi", { main: 10, periods: 3, period: 30 })],
	["canadian", () => t("clock_canadian", { main: 10, stones: 15, period: 5 })],
	["fischer", () => t("clock_fischer", { main: 3, bonus: 5 })],
];

function More() {
	const w = wish.value;
	const rules = welcome.value?.rules ?? [];
	const usual = w.handicap > 1 ? 0.5 : (rules.find((r) => r.id === w.rules)?.komi ?? 7.5);
	return (
		<details class="more" open={w.more} onToggle={(e) => change({ more: (e.currentTarget as HTMLDetailsElement).open })}>
			<summary>{t("more_choices")} <span class="chosen">{[rulesName(w.rules), `${t("komi")} ${w.komi || usual}`, CLOCK_NAMES.find(([id]) => id === w.clock)?.[1]()].join(" · ")}</span></summary>
			<Field label={t("rules")}>
				<select value={w.rules} aria-label={t("rules")} onChange={(e) => change({ rules: e.currentTarget.value })}>
					{rules.map((r) => <option key={r.id} value={r.id}>{rulesName(r.id)}</option>)}
				</select>
			</Field>
			<Field label={t("komi")}>
				<span class="dim">{t("komi_hint")}</span>
				<NumberField label={t("komi")} step={0.5} value={w.komi} placeholder={String(usual)} onNumber={(n) => change({ komi: n === undefined ? "" : String(n) })} />
			</Field>
			<Field label={t("clock")}>
				<select value={w.clock} aria-label={t("clock")} onChange={(e) => change({ clock: e.currentTarget.value })}>
					{CLOCK_NAMES.map(([id, name]) => <option key={id} value={id}>{name()}</option>)}
				</select>
			</Field>
			<Field label={t("pace")}>
				<Switch label={t("pace_human")} value={w.pace} onChange={(pace) => change({ pace })} />
			</Field>
		</details>
	);
}

export function GameForm(_: { id: string }) {
	const w = wish.value;
	const [bw, bh] = sizeOf(w);
	useEffect(() => void askFits(), []);
	const builtIn = welcome.value?.networks?.find((n) => n.inUse)?.builtIn;
	const hint = builtIn && Math.max(bw, bh) > 19 ? (
		<>{t("network_weak", { board: `${bw}×${bh}` })} {screens.has("networks") && <a href="/networks">{t("networks")}</a>}</>
	) : undefined;
	return (
		<main class="narrow">
			<form class="card new" onSubmit={(e) => { e.preventDefault(); void begin(); }} aria-labelledby="new">
				<h1 id="new">{t("new_game")}</h1>
				<Field label={t("size")} hint={hint}>
					<Choice label={t("size")} value={w.other ? 0 : w.size} options={[[9, "9×9"], [13, "13×13"], [19, "19×19"], [0, t("other")]]}
						onChange={(v) => changeBoard(v ? { size: v, other: false } : { other: true })} />
					{w.other && (
						<div class="row">
							<NumberField label={t("columns")} min={2} max={25} value={w.w} onNumber={(n = w.w) => changeBoard({ w: n })} />
							×
							<NumberField label={t("rows")} min={2} max={25} value={w.h} onNumber={(n = w.h) => changeBoard({ h: n })} />
						</div>
					)}
				</Field>
				<Against />
				<Field label={t("you")}>
					<Choice label={t("you")} value={w.colour} options={[["b", t("black")], ["w", t("white")], ["random", t("random")]]} onChange={(colour) => change({ colour })} />
				</Field>
				<Handicap />
				<TeachChoice auto={w.auto} />
				<More />
				<div class="stick"><button class="button primary big" disabled={busy.value}>{t("play")}</button></div>
			</form>
		</main>
	);
}
