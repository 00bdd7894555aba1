import { signal } from "@preact/signals";
import type { Claim, Error as Refusal, Problem, Profile, Say, Verdict } from "./gen/api";
import english from "gen/en.json";
import type { Key } from "./gen/keys";
import { load } from "./languages";

// The names of languages in <html lang>, which also chooses the glyphs.
const TAGS: Record<string, string> = { zh: "zh-Hans" };

export const language = signal("en");
let texts: Record<string, string> = english;
let plural = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

let newest = ""; // the language asked for last

export async function setLanguage(id: string): Promise<void> {
	newest = id;
	const list = await load(id);
	if (newest !== id) return;
	// Texts that a translation lacks stay English.
	texts = list ? Object.fromEntries(Object.entries(english).map(([key, text], i) => [key, list[i] || text])) : english;
	if (!list) id = "en";
	plural = new Intl.PluralRules(id);
	numbers = new Intl.NumberFormat(id);
	document.documentElement.lang = TAGS[id] ?? id;
	language.value = id;
}

type Args = Record<string, string | number>;

/** A text of the page; {name} stands for an argument, n chooses the plural. */
export function t(key: Key, args?: Args): string {
	void language.value;
	let text = texts[key];
	if (text === undefined && typeof args?.n === "number") text = texts[`${key}_${plural.select(args.n)}`] ?? texts[`${key}_other`];
	if (text === undefined) return key;
	if (args) text = text.replace(/\{(\w+)\}/g, (_, name: string) => (typeof args[name] === "number" ? num(args[name]) : String(args[name] ?? "")));
	if (args && language.value === "ko") text = text.replace(/([가-힣\d])(?:([을은이])\(([를는가])\)|(와)\((과)\)|\((으|이)\)([로면]))/g, particle);
	return args && language.value === "en" ? text.replace(/(?<![\d.,])1 (point|stone|move|game)s\b/g, "1 $1") : text;
}

// The form of a Korean particle after a syllable or a digit: "D3을(를)" is "D3을", "D4을(를)" "D4를".
function particle(_: string, last: string, closed: string, open: string, wa: string, gwa: string, glide: string, rest: string): string {
	const end = last < "가" ? [21, 8, 0, 16, 0, 0, 1, 8, 8, 0][Number(last)] : (last.charCodeAt(0) - 0xac00) % 28; // the final consonant; 8: ㄹ
	if (rest) return last + (end && (glide === "이" || end !== 8) ? glide : "") + rest;
	return last + (end ? (closed ?? gwa) : (open ?? wa));
}

export const num = (n: number, digits = 1): string => (Number.isInteger(n) ? numbers.format(n) : n.toFixed(digits));

/** The side that leads, and by how many points: "B+3.5"; "Even" where that rounds to nothing. Leads are Black's. */
export const leadShort = (lead: number): string => (even(lead) ? t("lead_even") : (lead > 0 ? "B+" : "W+") + Math.abs(lead).toFixed(1));

/** leadShort with the side in words. */
export const leadText = (lead: number): string => (even(lead) ? t("lead_even") : t("leads", { who: t(lead > 0 ? "black" : "white"), points: Math.abs(lead).toFixed(1) }));

const even = (lead: number): boolean => Number(lead.toFixed(1)) === 0;

/** A number of points with a true minus; nothing has no sign. */
export function signed(n: number, digits = 1): string {
	const size = Math.abs(n).toFixed(digits);
	return (Number(size) === 0 ? "" : n > 0 ? "+" : "−") + size;
}

export function short(n: number): string {
	if (n < 1000) return String(n);
	if (n < 10000) return (n / 1000).toFixed(1) + "k";
	return n < 1e6 ? Math.round(n / 1000) + "k" : (n / 1e6).toFixed(1) + "M";
}

/** A rank by the custom of the language: 12k, 12级, 12級, 12급. */
export function rank(id: string): string {
	const m = /^(\d+)([kd])$/.exec(id);
	if (!m) return id;
	if (m[2] === "d" && m[1] === "1" && language.value === "ja") return "初段";
	return t(m[2] === "k" ? "rank_k" : "rank_d", { rank: m[1] });
}

/** The name of a network; that of the one in the program is not all a name. */
export const networkName = (name = ""): string => name.replace("(built in)", t("built_in"));

/** The name of a rule set. */
export function rulesName(id: string): string {
	const key = "rule_" + id.replace(/-/g, "_");
	return key in english ? t(key as Key) : id;
}

/** A span of time in words: seconds, minutes, hours or days. */
export function duration(seconds: number): string {
	if (seconds < 59.5) return t("time_s", { n: Math.max(1, Math.round(seconds)) });
	if (seconds < 5400) return t("time_min", { n: Math.round(seconds / 60) });
	return seconds < 129600 ? t("time_h", { n: Math.round(seconds / 3600) }) : t("time_d", { n: Math.round(seconds / 86400) });
}

/** Why a move of a side was a mistake: its claims, a sentence each. Older reviews have only an English reason. */
export function why(m: { claims?: Claim[]; reason?: string; better?: string; loss: number; m: string; c?: string }): string {
	if (m.claims?.length) return m.claims.map((c) => claimed(c, m.m, m.c === "w")).join(" ");
	if (language.value === "en" && m.reason) return m.reason;
	return t("why_any", { better: m.better ?? "", points: m.loss.toFixed(1) });
}

/** A claim about a move that a side played, as a sentence. */
export function claimed(c: Claim, played: string, white: boolean): string {
	const of = c.of ?? c;
	const key = c.of ? `${c.kind}_${of.kind}` : c.kind + (c.only ? "_only" : c.proved ? "_proved" : c.later ? "_later" : "");
	return t(`claim_${key}` as Key, {
		us: t(white ? "white" : "black"), them: t(white ? "black" : "white"), played, move: c.move ?? "", stones: t("claim_stones", { n: of.stones?.length ?? 0 }), at: of.stones?.[0] ?? "", other: of.others?.[0] ?? "",
		region: c.region ? t(`claim_region_${c.region}` as Key) : "",
	});
}

/** A sentence of the server's, with its arguments. */
export const told = (s: Say): string => t(`say_${s.key}` as Key, { ...(s.with as Args), ...(s.cause && { why: told(s.cause) }), board: (s.with as Record<string, string>)?.board?.replace("x", "×") ?? "" });

/** The fate of the player's damaged files, in sentences. */
export const warned = (p: Profile): string => (p.says?.length ? p.says.map(told).join(" ") : (p.warn ?? ""));

/** A refusal by its code, with the server's own sentence where only that tells what happened. */
export function refusal(code: string, why: string): string {
	const key = "refused_" + code;
	return t((key in english ? key : "refused_internal") as Key, { why });
}

/** Why something is not saved yet. */
export const unsavedText = (said: Refusal): string => t("not_saved_yet", { why: said.cause ? told(said.cause) : said.text.replace(/^this is not saved: /, "") });

/** The task of a problem: to save or kill a group, or to find a better move than the one that lost points; later on, to answer the other side's last move. */
export function problemText(p: Problem): string {
	const who = t(p.toMove === "b" ? "black" : "white");
	if (p.after) return t("life_go_on", { who: t(p.toMove === "b" ? "white" : "black"), move: p.last ?? "" });
	if (p.task) return t(p.task === "kill" ? "life_task_kill" : "life_task_live", { who });
	return p.set ? t("drill_plain", { who }) : t("drill_question", { who, points: p.loss.toFixed(1) });
}

/** The origin of a problem. */
export function problemFrom(p: Problem): string {
	const who = rank(p.against ?? "");
	const game = p.game.replace(/\.sgf$/i, "");
	if (p.level) return t("life_level", { n: p.n, level: p.level });
	if (p.set) return t("drill_own", { game, n: p.n });
	if (p.against && p.yours) return t("drill_yours", { who, n: p.n });
	return p.against && p.player ? t("drill_against", { name: p.player, who, n: p.n }) : t("drill_from", { game, n: p.n });
}

/** The worth of an answer: of life and death only whether it works, of a mistake also the points that it loses. */
export function verdictText(v: Verdict, p?: Problem): string {
	if (p?.task || p?.set) return t(v.accepted ? "life_right" : "life_wrong");
	if (v.accepted) return v.loss < 0.05 ? t("yes_best") : t("yes_loses", { points: v.loss.toFixed(1) });
	return t(v.played ? "no_played" : "no_loses", { points: v.loss.toFixed(1) });
}

/** A result as the player of a colour sees it. */
export function yourResult(re: string, colour: string): string {
	const m = /^([BW])\+(.*)$/.exec(re);
	if (!m) return resultText(re);
	const won = (m[1] === "B") === (colour === "b");
	if (m[2] === "R") return t(won ? "won_resign" : "lost_resign");
	if (m[2] === "T") return t(won ? "won_time" : "lost_time");
	return t(won ? "won_points" : "lost_points", { points: m[2] });
}

/** A result in words. */
export function resultText(re: string): string {
	if (re === "0") return t("result_draw");
	const m = /^([BW])\+(.*)$/.exec(re);
	if (!m) return t("result_void");
	const who = t(m[1] === "B" ? "black" : "white");
	if (m[2] === "R") return t("result_resign", { who });
	if (m[2] === "T") return t("result_time", { who });
	return t("result_points", { who, points: m[2] });
}
