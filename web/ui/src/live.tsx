// What is said aloud, and short notes at the edge of the page.
import { effect, signal } from "@preact/signals";
import { Icon } from "./icons";
import { t } from "./i18n";
import { route } from "./router";

const polite = signal("");
const urgent = signal("");
export const log = signal<string[]>([]);
let flip = false;

/** Says something to screen readers; the same text twice is read twice. */
export function say(text: string, now = false): void {
	if (!text) return;
	flip = !flip;
	(now ? urgent : polite).value = text + (flip ? "\u00a0" : "");
	log.value = [...log.value.slice(-49), text];
}

interface Toast {
	id: number;
	text: string;
	action?: string;
	run?: () => void;
	bad?: boolean;
}
const toasts = signal<Toast[]>([]);
let ids = 0;

// A note belongs to the screen that it was made on.
effect(() => {
	void route.value;
	toasts.value = [];
});

/** A short note, with something to do about it if need be; it takes the place of the one before. */
export function toast(text: string, o: { action?: string; run?: () => void; bad?: boolean; ms?: number } = {}): void {
	const id = ++ids;
	toasts.value = [{ id, text, ...o }];
	say(text, o.bad);
	setTimeout(() => dismiss(id), o.ms ?? 6000);
}

const dismiss = (id: number) => (toasts.value = toasts.value.filter((x) => x.id !== id));

export function Live() {
	return (
		<>
			<div class="sr" aria-live="polite" id="polite">{polite.value}</div>
			<div class="sr" aria-live="assertive" id="assertive">{urgent.value}</div>
			<div class="toasts">
				{toasts.value.map((x) => (
					<div key={x.id} class={"toast" + (x.bad ? " bad" : "")}>
						{x.bad && <Icon name="warn" />}
						<span>{x.text}</span>
						{x.action && (
							<button class="plain" onClick={() => { x.run?.(); dismiss(x.id); }}>{x.action}</button>
						)}
						<button class="plain icon-only" aria-label={t("close")} onClick={() => dismiss(x.id)}><Icon name="close" size={16} /></button>
					</div>
				))}
			</div>
		</>
	);
}
