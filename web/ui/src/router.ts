import { signal } from "@preact/signals";

export const route = signal(location.pathname);
/** The screens that there are, by the first part of their path. */
export const screens = new Set<string>();
export const query = () => new URLSearchParams(location.search);

export function go(path: string, replace = false): void {
	if (replace) history.replaceState(null, "", path);
	else history.pushState(null, "", path);
	route.value = location.pathname;
	if (replace) return;
	window.scrollTo(0, 0);
	// A person at the keyboard begins with the screen, not once more with the rail.
	requestAnimationFrame(() => {
		const focus = document.activeElement;
		if (!focus || focus === document.body || focus.closest(".rail")) document.getElementById("view")?.focus({ preventScroll: true });
	});
}

window.addEventListener("popstate", () => (route.value = location.pathname));

/** Makes links inside the page change the route without a load. */
export function follow(e: MouseEvent): void {
	const a = (e.target as Element).closest?.("a[href^='/']");
	if (!a || e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || a.hasAttribute("download") || a.getAttribute("target")) return;
	e.preventDefault();
	go(a.getAttribute("href")!);
}
