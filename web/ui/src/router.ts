import { signal } from "@preact/signals";
import { inTab } from "./server";

// A folder of files may stand anywhere and knows one address: there the path is behind the #.
const here = () => (inTab ? new URL(location.hash.startsWith("#/") ? location.hash.slice(1) : "/", location.origin) : location);
/** A path as a link has it. */
export const written = (path: string) => (inTab ? "#" + path : path);

export const route = signal(here().pathname);
/** The screens that there are, by the first part of their path. */
export const screens = new Set<string>();
export const query = () => new URLSearchParams(here().search);

/** Gives the present place another address. */
export const note = (path: string) => history.replaceState(null, "", written(path));

export function go(path: string, replace = false): void {
	if (replace) note(path);
	else history.pushState(null, "", written(path));
	route.value = here().pathname;
	if (replace) return;
	window.scrollTo(0, 0);
	// A person at the keyboard continues in the screen, not again in the rail.
	requestAnimationFrame(() => {
		const focus = document.activeElement;
		if (!focus || focus === document.body || focus.closest(".rail")) document.getElementById("view")?.focus({ preventScroll: true });
	});
}

window.addEventListener("popstate", () => {
	if (!inTab || !location.hash || location.hash.startsWith("#/")) route.value = here().pathname; // else it is a link to a place on the page
});

/** Makes links inside the page change the route without a load. */
export function follow(e: MouseEvent): void {
	if (inTab && (e.target as Element).closest?.("a.skip")) {
		e.preventDefault();
		document.getElementById("view")?.focus();
		return;
	}
	const a = (e.target as Element).closest?.("a[href^='/'],a[href^='#/']");
	if (!a || e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || a.hasAttribute("download") || a.getAttribute("target")) return;
	e.preventDefault();
	go(a.getAttribute("href")!.replace("#", ""));
}
