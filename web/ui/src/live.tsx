// Texts for screen readers, and short notes at the edge of the page.
import { effect, signal } from "@preact/signals";
import { Icon } from "./icons";
import { t } from "./i18n";
import { route } from "./router";
import { deleted, held as kept, undo } from "./undo";

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

interface Note {
	action?: string;
	run?: () => void; // upon the action
	bad?: boolean;
}
interface Toast extends Note {
	id: number;
	text: string;
}
const toasts = signal<Toast[]>([]);
let ids = 0;
let held = 0; // the note that is pointed at, or has the focus

// A note belongs to the screen that it was made on.
effect(() => {
	void route.value;
	toasts.value = [];
});

/** A short note, with something to do about it if need be; it takes the place of the one before. It stays while it is pointed at. */
export function toast(text: string, o: Note & { ms?: number } = {}): void {
	const id = ++ids;
	toasts.value = [{ id, text, ...o }];
	say(text, o.bad);
	expire(id, o.ms ?? 6000);
}

const expire = (id: number, ms: number): void => void setTimeout(() => (held === id ? expire(id, 1000) : dismiss(id)), ms);

const dismiss = (id: number): void => { if (toasts.peek()[0]?.id === id) toasts.value = []; };

function act(x: Toast): void {
	toasts.value = [];
	x.run?.();
}

export function Live() {
	return (
		<>
			<div class="sr" aria-live="polite" id="polite">{polite.value}</div>
			<div class="sr" aria-live="assertive" id="assertive">{urgent.value}</div>
			<div class="toasts">
				{deleted.value.filter((d) => !d.sent).slice(-3).map((d) => (
					<div key={d.key} class="toast" onPointerEnter={() => (kept.value = d.key)} onPointerLeave={() => (kept.value = "")} onFocusIn={() => (kept.value = d.key)} onFocusOut={() => (kept.value = "")}>
						<span>{d.text}</span>
						<button class="plain" title="ctrl+Z" onClick={() => undo(d.key)}>{t("undo_delete")}</button>
					</div>
				))}
				{toasts.value.map((x) => (
					<div key={x.id} class={"toast" + (x.bad ? " bad" : "")} onPointerEnter={() => (held = x.id)} onPointerLeave={() => (held = 0)} onFocusIn={() => (held = x.id)} onFocusOut={() => (held = 0)}>
						{x.bad && <Icon name="warn" />}
						<span>{x.text}</span>
						{x.action && (
							<button class="plain" onClick={() => act(x)}>{x.action}</button>
						)}
						<button class="plain icon-only" aria-label={t("close")} onClick={() => dismiss(x.id)}><Icon name="close" size={16} /></button>
					</div>
				))}
			</div>
		</>
	);
}
