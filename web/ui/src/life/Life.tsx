import { useEffect } from "preact/hooks";
import { Choice } from "../controls";
import type { LifeCard, LifeStep } from "../gen/api";
import { language, refusal, t } from "../i18n";
import { Icon } from "../icons";
import { watch } from "../net";
import type { Colour } from "../rules";
import { against, ask, busy, card, cards, chosen, close, first, kind, mean, movesText, state, status, step, stop, strike, take, takeBack, threats, title, verdict, whom } from "./question";

const LONGER = 300; // seconds

const who = (c: string) => t(c === "b" ? "black" : "white");

function Card({ c }: { c: LifeCard }) {
	const on = first.value === c.first;
	const open = c.verdict === "unknown";
	return (
		<div class={"life-card" + (on ? " on" : "")} data-first={c.first} data-verdict={c.verdict} data-proved={String(c.proved)}>
			<button type="button" class="plain" aria-pressed={on} onClick={() => { first.value = c.first as Colour; step.value = null; }}>
				<span class={"disc small " + c.first} /> {t("life_first", { who: who(c.first) })}
			</button>
			<strong class={"life-verdict " + c.verdict}>{open && busy.value ? t("life_searching") : verdict(c.verdict)}</strong>
			{c.proved ? <span class="good-text"><Icon name="check" size={16} /> {t("life_proved")}</span> : !open && <span class="dim">{t("life_unproved")}</span>}
			{c.alive !== undefined && <span>{t("life_network", { percent: Math.round(Number(c.alive) * 100) })}</span>}
			{movesText(c) && <span>{movesText(c)}</span>}
			{threats(c) && <span>{threats(c)}{c.ko ? ` (${kind(c.ko)}${c.line?.length ? ": " + c.line.join(" ") : ""})` : ""}</span>}
			{c.plays && <button type="button" class="button quiet small" onClick={() => void against(c.first as Colour, [])}>{t("life_try")}</button>}
		</div>
	);
}

function Line({ s }: { s: LifeStep }) {
	return (
		<div class="life-line">
			<p>{status(s)}</p>
			{s.line.length > 0 && <p class="dim">{s.line.map((m) => (m === "pass" ? t("pass_said") : m)).join(" ")}</p>}
			<div class="row">
				<button type="button" class="button quiet small" disabled={s.moves.length === 0} onClick={takeBack}>{t("undo")}</button>
				<button type="button" class="button quiet small" disabled={s.moves.length === 0} onClick={() => void against(s.first as Colour, [])}>{t("life_again")}</button>
				<button type="button" class="button quiet small" disabled={!!s.end} onClick={() => void against(s.first as Colour, [...s.moves, "pass"])}>{t("pass")}</button>
				<button type="button" class="button quiet small" onClick={() => close(false)}>{t("life_leave")}</button>
			</div>
		</div>
	);
}

// The assumptions of an answer; each can be struck out.
function Assumed({ list }: { list: string[] }) {
	if (list.length === 0) return null;
	return (
		<p class="life-assumed">
			<span class="dim">{t("life_assumed")}</span>{" "}
			{list.map((v) => <button key={v} type="button" class="chip" title={t("life_strike", { stone: v })} aria-label={t("life_strike", { stone: v })} onClick={() => strike(v)}>{v} <Icon name="close" size={12} /></button>)}
		</p>
	);
}

/** A question about the stones that were chosen on the board. at tells positions apart: another one ends it. */
export function Life({ at }: { at: string }) {
	useEffect(() => watch("life", take), []);
	useEffect(() => () => void close(), [at]);
	const s = state.value;
	if (chosen.value.length === 0) return null;
	const unproved = cards.value.some((c) => !c.proved);
	return (
		<section class="panel-card life" aria-label={t("life_title")} data-busy={String(busy.value)}>
			<div class="life-head">
				<h2>{title()}</h2>
				<button type="button" class="plain icon-only" aria-label={t("close")} onClick={() => close()}><Icon name="close" size={18} /></button>
			</div>
			{chosen.value.length > 1 && <Choice label={t("life_title")} value={whom.value} options={[["every", t("life_every")], ["some", t("life_some")]]} onChange={mean} />}
			{!s && (
				<>
					<button type="button" class="button primary" title="i" onClick={() => void ask()}>{t("life_title")}</button>
					<p class="dim">{t("life_more")}</p>
				</>
			)}
			{s?.error && <p class="bad-text">{language.value === "en" ? s.error.text : refusal(s.error.code, s.error.text)}</p>}
			{s && cards.value.length > 0 && <div class="life-cards">{cards.value.map((c) => <Card key={c.first} c={c} />)}</div>}
			{s && step.value ? <Line s={step.value} /> : !!card.value?.zone.length && <p class="dim">{t("life_legend")}</p>}
			{s && busy.value && <p class="row"><span class="dim thinking-line">{t("life_searching")}</span> <button type="button" class="button quiet small" onClick={stop}>{t("stop")}</button></p>}
			{s && !busy.value && !s.error && unproved && !step.value && <button type="button" class="button quiet small" onClick={() => void ask(LONGER)}>{t("life_longer")}</button>}
			{s && !step.value && <Assumed list={s.assumed} />}
		</section>
	);
}
