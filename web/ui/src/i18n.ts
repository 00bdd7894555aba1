import { signal } from "@preact/signals";
import english from "./gen/en.json";
import type { Key } from "./gen/keys";

export const LANGUAGES: [string, string][] = [
	["en", "English"],
];

// The other languages, each loaded when it is chosen.
const loaders: Record<string, () => Promise<{ default: Record<string, string> }>> = {};

export const language = signal("en");
let texts: Record<string, string> = english;
let plural = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

/** The language that the browser asks for, of those that there are. */
export function preferred(): string {
	for (const l of navigator.languages) {
		const known = LANGUAGES.find(([id]) => id === l.split("-")[0]);
		if (known) return known[0];
	}
	return "en";
}

export async function setLanguage(id: string): Promise<void> {
	const load = loaders[id];
	// What a translation lacks stays English.
	texts = load ? { ...english, ...(await load()).default } : english;
	if (!load) id = "en";
	plural = new Intl.PluralRules(id);
	numbers = new Intl.NumberFormat(id);
	document.documentElement.lang = id;
	language.value = id;
}

type Args = Record<string, string | number>;

/** A text of the page; {name} stands for an argument, n chooses the plural. */
export function t(key: Key, args?: Args): string {
	void language.value;
	let text = texts[key];
	if (text === undefined && typeof args?.n === "number") text = texts[`${key}_${plural.select(args.n)}`] ?? texts[`${key}_other`];
	if (text === undefined) return key;
	return args ? text.replace(/\{(\w+)\}/g, (_, name: string) => (typeof args[name] === "number" ? num(args[name]) : String(args[name] ?? ""))) : text;
}

export const num = (n: number, digits = 1): string => (Number.isInteger(n) ? numbers.format(n) : n.toFixed(digits));

/** A number of points with a true minus. */
export const signed = (n: number, digits = 1): string => (n > 0 ? "+" : n < 0 ? "−" : "") + Math.abs(n).toFixed(digits);

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
