// Keys of the screen that is shown. Letters count only while no field has the
// focus; in the board's grid the arrows belong to the board.
import { signal } from "@preact/signals";
import { settings } from "./settings";
import { undo } from "./undo";

type Map = Record<string, (e: KeyboardEvent) => void>;
let current: Map = {};
let typed: ((text: string) => boolean) | undefined;

export const typing = signal(false);
export const helpOpen = signal(false);
export const rulesOpen = signal(false);
export const moreOpen = signal(false);

/** Takes the keys for a screen; returns a function that gives them back. */
export function keys(map: Map, line?: (text: string) => boolean): () => void {
	current = map;
	typed = line;
	return () => {
		if (current === map) {
			current = {};
			typed = undefined;
		}
	};
}

let over: Map = {};

/** Takes some keys before the screen does; returns a function that gives them back. */
export function keysOver(map: Map): () => void {
	over = map;
	return () => { if (over === map) over = {}; };
}

export const perform = (text: string): boolean => typed?.(text) ?? false;

function name(e: KeyboardEvent): string {
	const key = e.key === " " ? "space" : e.key;
	return (e.ctrlKey || e.metaKey ? "ctrl+" : "") + (e.shiftKey && key.length > 1 ? "shift+" : "") + key;
}

window.addEventListener("keydown", (e) => {
	const el = e.target as HTMLElement;
	if (e.defaultPrevented || e.altKey || el.closest?.("input,textarea,select,[contenteditable]")) return;
	const key = name(e);
	if (!settings.value.keys && key.length === 1) return;
	if ((key === "space" || key === "Enter") && el.closest?.("button,a,summary,[role=gridcell]")) return;
	if (key.startsWith("Arrow") && el.closest?.("[role=radio],[role=gridcell],[role=tab]")) return;
	if (key === "?") helpOpen.value = true;
	else if (key === "/" && typed) typing.value = true;
	else if (over[key] ?? current[key]) (over[key] ?? current[key])(e);
	else if (key !== "ctrl+z" || !undo()) return;
	e.preventDefault();
});
