// Deletes that can be undone. A deleted item is out of sight at once; ten seconds later the
// server is told. Until then nothing has happened: a page that is closed deletes nothing.
import { effect, signal } from "@preact/signals";
import { t } from "./i18n";
import { say, toast } from "./live";
import { inWords } from "./net";
import { route } from "./router";

const LASTS = 10_000; // ms

interface Deleted {
	key: string; // of the deleted item: kind:ID
	text: string;
	act: () => Promise<unknown>;
	back?: () => void; // upon undo
	sent?: boolean;
}
export const deleted = signal<Deleted[]>([]); // the newest last
/** The note that is pointed at, or has the focus: it stays. */
export const held = signal("");

export const isDeleted = (key: string): boolean => deleted.value.some((d) => d.key === key);

const drop = (key: string): void => void (deleted.value = deleted.value.filter((d) => d.key !== key));

/** Deletes something: act tells the server, in ten seconds. */
export function remove(key: string, text: string, act: () => Promise<unknown>, back?: () => void): void {
	const d = { key, text, act, back };
	drop(key);
	deleted.value = [...deleted.value, d];
	say(text);
	const expire = (ms: number): void => void setTimeout(() => { if (deleted.peek().includes(d)) held.peek() === key ? expire(1000) : void settle(key); }, ms);
	expire(LASTS);
}

/** Deletes for good an item that was deleted. */
export async function settle(key: string): Promise<void> {
	const d = deleted.peek().find((x) => x.key === key && !x.sent);
	if (!d) return;
	deleted.value = deleted.value.map((x) => (x === d ? { ...d, sent: true } : x));
	await d.act().catch((e) => toast(inWords(e), { bad: true, ms: 10000 }));
	drop(key);
}

/** Brings back the item deleted last, or the named one; false if there is none. */
export function undo(key?: string): boolean {
	const d = deleted.peek().findLast((x) => !x.sent && (!key || x.key === key));
	if (!d) return false;
	drop(d.key);
	say(t("undone"));
	d.back?.();
	return true;
}

// An item that is opened again is not deleted.
effect(() => {
	const id = route.value.split("/")[2];
	if (id) for (const place of ["doc:", "game:", "review:"]) undo(place + id);
});
