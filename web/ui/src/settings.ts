import { effect, signal } from "@preact/signals";
import type { Coordinates } from "./board/metrics";

export interface Settings {
	language: string; // "" is the browser's
	theme: "system" | "light" | "dark";
	wood: "wood" | "slate" | "paper";
	coordinates: Coordinates;
	confirm: "size" | "always" | "never";
	sound: boolean;
	volume: number;
	numbers: boolean;
	motion: "system" | "off";
	contrast: boolean;
	text: number; // percent
	keys: boolean;
	spoken: "short" | "long";
	after: boolean; // a game is reviewed once it has ended
	teach: "" | "gentle" | "usual" | "strict"; // a word after moves that lose much
	sides: Record<string, string>; // the reader's side in reviews that are a file of their own, b, w or none; earlier versions kept all sides here
}

const defaults: Settings = {
	language: "", theme: "system", wood: "wood", coordinates: "a1", confirm: "size", sound: true, volume: 60,
	numbers: false, motion: "system", contrast: false, text: 100, keys: true, spoken: "short", after: true, teach: "",
	sides: load<Record<string, string>>("kosumi.sides", {}), // where earlier versions kept them
};

function load<T extends object>(name: string, base: T): T {
	try {
		return { ...base, ...(JSON.parse(localStorage.getItem(name) ?? "{}") as Partial<T>) };
	} catch {
		return base;
	}
}

// A file that was mailed may have no storage: then nothing is remembered.
function store(name: string, v: object): void {
	try {
		localStorage.setItem(name, JSON.stringify(v));
	} catch {
		return;
	}
}

export const settings = signal<Settings>(load("kosumi.settings", defaults));

export function set<K extends keyof Settings>(key: K, value: Settings[K]): void {
	settings.value = { ...settings.value, [key]: value };
}

/** Takes the settings of a backup: those that there are, of their types. */
export function takeSettings(from: unknown): void {
	const known = Object.entries((from ?? {}) as object).filter(([k, v]) => k in defaults && typeof v === typeof defaults[k as keyof Settings]);
	const next = { ...settings.value, ...(Object.fromEntries(known) as Partial<Settings>) };
	settings.value = { ...next, text: Math.min(200, Math.max(50, next.text)), sides: { ...settings.value.sides, ...next.sides } };
}

/** Whether a finger points: nothing is dropped or pasted there. */
export const touch = (): boolean => matchMedia("(pointer: coarse)").matches;

/** Whether the page is dark. */
export const darkness = signal(false);
const system = matchMedia("(prefers-color-scheme: dark)");
const look = () => (darkness.value = settings.peek().theme === "dark" || (settings.peek().theme === "system" && system.matches));
system.addEventListener("change", look);

effect(() => {
	const s = settings.value;
	look();
	store("kosumi.settings", s);
	const root = document.documentElement;
	root.dataset.theme = s.theme;
	root.dataset.wood = s.wood;
	root.dataset.motion = s.motion;
	root.dataset.contrast = s.contrast ? "more" : "";
	root.style.fontSize = s.text + "%";
});

export function remember<T extends object>(name: string, base: T): { get: () => T; put: (v: T) => void } {
	return { get: () => load(name, base), put: (v) => store(name, v) };
}
