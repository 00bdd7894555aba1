// The connection to the server: commands with answers, things that are watched,
// frames that only count while they are new.
import { signal } from "@preact/signals";
import type { Error as Refusal, Frame, Welcome } from "./gen/api";
import { language, refusal, told } from "./i18n";
import { ask, inTab, line } from "./server";

type Status = "connecting" | "open" | "lost" | "denied";
export const status = signal<Status>("connecting");
export const lostSince = signal(0);
export const welcome = signal<Welcome | null>(null);
/** The server has another page than this one by now. */
export const updated = signal(false);

export class Refused extends Error {
	constructor(public said: Refusal) {
		super(said.text);
	}
}

const LOST: Refusal = { code: "busy", text: "the connection is lost", say: { key: "lost" }, retry: true };

/** An error in words. */
export function inWords(e: unknown): string {
	if (!(e instanceof Refused)) return String(e);
	const { say, cause, code, text } = e.said;
	return say ? told(say) : cause ? (code === "internal" ? refusal(code, told(cause)) : told(cause)) : language.value === "en" ? text : refusal(code, text);
}

interface Pending {
	message: string;
	again: boolean; // send it again after a reconnect
	unsaved?: Refusal; // the server could not save it: it is sent again until it can
	since: number;
	done: (d: unknown) => void;
	fail: (e: Refused) => void;
}

/** Why something is not saved yet; null: all is. */
export const unsaved = signal<Refusal | null>(null);

const client = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("-");
const pending = new Map<string, Pending>();
const watches = new Map<string, Set<(d: any) => void>>();
const listeners = new Map<string, Set<(d: any) => void>>();
let socket: ReturnType<typeof line> | null = null;
let counter = 0;
let attempt = 0;
let timer = 0;
let frame: { f: number; d: Frame } | null = null;
let onFrame: ((f: Frame) => void) | null = null;
let silent = 0; // when the last message came
let tried = 0; // when the last connection was begun

const STORE = "kosumi.token";
// If the browser blocks storage, the token is known as long as the page is open.
let kept: Pick<Storage, "getItem" | "setItem">;
try {
	kept = localStorage;
} catch {
	let known: string | null = null;
	kept = { getItem: () => known, setItem: (_, text) => void (known = text) };
}

function credentials(): { token?: string; key?: string } {
	const hash = new URLSearchParams(location.hash.slice(1));
	const [token, key] = [hash.get("k"), hash.get("o")];
	if (token) kept.setItem(STORE, token);
	if (token || key) history.replaceState(history.state, "", location.pathname + location.search);
	return key && !token ? { key, token: kept.getItem(STORE) ?? undefined } : { token: kept.getItem(STORE) ?? undefined };
}

export const token = () => kept.getItem(STORE) ?? "";

export function giveToken(text: string): void {
	const m = /#k=([\w-]+)/.exec(text);
	kept.setItem(STORE, m ? m[1] : text.trim());
	status.value = "connecting";
	connect();
}

export function connect(): void {
	clearTimeout(timer);
	const ws = line();
	socket = ws;
	tried = performance.now();
	const who = inTab ? {} : credentials();
	ws.onopen = () => ws.send(JSON.stringify({ t: "hello", id: "hello", d: { ...who, api: [1], client } }));
	ws.onmessage = (e: { data: string }) => {
		silent = performance.now();
		receive(JSON.parse(e.data));
	};
	ws.onclose = (e: { code: number }) => {
		if (socket === ws) lose(e.code);
	};
}

// The connection is gone, or no answer comes through it any more.
function lose(code: number): void {
	const ws = socket;
	socket = null;
	if (ws) ws.onclose = ws.onmessage = null;
	ws?.close();
	if (code === 4401) {
		status.value = "denied";
		return;
	}
	if (status.value === "open" || !lostSince.value) lostSince.value = Date.now();
	status.value = "lost";
	for (const [id, p] of pending) {
		if (p.again) continue;
		pending.delete(id);
		p.fail(new Refused(LOST));
	}
	lookUnsaved();
	timer = window.setTimeout(connect, attempt === 0 ? 0 : Math.min(5000, 250 * 2 ** (attempt - 1)) * (0.8 + 0.4 * Math.random()));
	attempt++;
}

function receive(m: { t: string; re?: string; f?: number; d?: any }): void {
	switch (m.t) {
		case "welcome": {
			const w = m.d as Welcome;
			if (w.token) kept.setItem(STORE, w.token);
			if (welcome.value && welcome.value.build !== w.build) updated.value = true;
			welcome.value = w;
			attempt = 0;
			lostSince.value = 0;
			status.value = "open";
			tellVisible();
			for (const p of pending.values()) {
				p.since = performance.now();
				socket?.send(p.message);
			}
			for (const what of watches.keys()) void snapshot(what);
			return;
		}
		case "ok":
		case "err": {
			const p = m.re ? pending.get(m.re) : undefined;
			if (!p) return;
			const said = m.d as Refusal | undefined;
			if (m.t === "err" && said?.code === "not_saved" && said.retry) {
				p.unsaved = said;
				lookUnsaved();
				pause = Math.min(4000, Math.max(250, 2 * pause));
				clearTimeout(retry);
				retry = window.setTimeout(retryOldest, pause);
				return;
			}
			pending.delete(m.re!);
			if (p.unsaved) {
				pause = 0;
				lookUnsaved();
				retryOldest();
			}
			if (m.t === "ok") p.done(m.d);
			else p.fail(new Refused(m.d as Refusal));
			return;
		}
		case "analysis.frame":
			if (!frame) requestAnimationFrame(paint);
			frame = { f: m.f!, d: m.d as Frame };
			return;
	}
	const topic = m.t.startsWith("review.") ? "review:" + m.d.card.review : m.d?.game ? "game:" + m.d.game : m.d?.doc ? "doc:" + m.d.doc : m.t.split(".")[0];
	for (const f of watches.get(topic) ?? []) f(m.d);
	for (const f of listeners.get(m.t) ?? []) f(m.d);
}

// A command that the server could not save has changed nothing. It is sent again, with growing
// pauses, and the next one only once the one before it is saved.
let pause = 0;
let retry = 0;

const oldestUnsaved = () => [...pending.values()].find((p) => p.unsaved);

function lookUnsaved(): void {
	unsaved.value = oldestUnsaved()?.unsaved ?? null;
}

function retryOldest(): void {
	const p = oldestUnsaved();
	if (!p || status.value !== "open") return;
	p.since = performance.now();
	socket?.send(p.message);
}

// One animation frame paints the newest; only then may the server send the next.
function paint(): void {
	const now = frame;
	frame = null;
	if (!now) return;
	onFrame?.(now.d);
	post("ack", { f: now.f });
}

export function frames(f: ((f: Frame) => void) | null): void {
	onFrame = f;
}

/** A command without an answer. */
export function post(t: string, d: unknown): void {
	if (socket?.readyState === WebSocket.OPEN && status.value === "open") socket.send(JSON.stringify({ t, d }));
}

/** A command and its answer. again: it waits for the connection to come back. */
export function send<T = unknown>(t: string, d: unknown, again = false): Promise<T> {
	return new Promise<T>((done, fail) => {
		const id = `c${++counter}`;
		const message = JSON.stringify({ t, id, d });
		if (status.value !== "open" && !again) {
			fail(new Refused(LOST));
			return;
		}
		const behind = again ? oldestUnsaved()?.unsaved : undefined; // commands that change something keep their order
		pending.set(id, { message, again, unsaved: behind, since: performance.now(), done: done as (d: unknown) => void, fail });
		if (status.value === "open" && !behind) socket?.send(message);
	});
}

/** Calls f with the state of something, now and whenever it changes. */
export function watch<T>(what: string, f: (d: T) => void, refused?: (e: Refused) => void): () => void {
	let all = watches.get(what);
	if (!all) watches.set(what, (all = new Set()));
	all.add(f);
	if (status.value === "open") void snapshot(what, refused);
	return () => {
		all.delete(f);
		if (all.size === 0) {
			watches.delete(what);
			post("unwatch", { what });
		}
	};
}

async function snapshot(what: string, refused?: (e: Refused) => void): Promise<void> {
	try {
		const d = await send("watch", { what });
		for (const f of watches.get(what) ?? []) f(d);
	} catch (e) {
		if (e instanceof Refused && !e.said.retry) refused?.(e); // else it is asked again once the connection is back
	}
}

function tellVisible(): void {
	post("visible", { visible: document.visibilityState === "visible" });
}

document.addEventListener("visibilitychange", () => {
	tellVisible();
	if (document.visibilityState === "visible" && status.value === "lost") connect();
});
window.addEventListener("online", () => status.value === "lost" && connect());

// A wire may be cut without a word. The server answers a ping at once, whatever it does: if an
// answer is awaited and nothing at all comes, the connection is gone.
const DEAF = 10000;
let pinged = 0;

async function look(): Promise<void> {
	const now = performance.now();
	if (status.value === "connecting" || status.value === "denied") return;
	if (status.value === "lost") {
		if (socket && now - tried > DEAF) lose(0);
		return;
	}
	const oldest = Math.min(Infinity, ...[...pending.values()].map((p) => p.since));
	if (now - silent > DEAF && now - oldest > DEAF) {
		lose(0);
		return;
	}
	if (now - pinged < (now - oldest > 2000 ? 2500 : 15000)) return;
	pinged = now;
	await send("ping", { t0: now }).catch(() => undefined);
}
setInterval(() => void look(), 2500);

/** Fetches a file of the server's with the token; without a name of its own it has the server's. */
export async function fetched(path: string, called?: string, how?: RequestInit): Promise<File> {
	const r = await ask(path, { ...how, headers: { Authorization: "Bearer " + token() } });
	if (!r.ok) throw new Refused({ code: how ? "internal" : "not_found", text: await r.text() });
	const name = called ?? /filename="([^"]+)"/.exec(r.headers.get("Content-Disposition") ?? "")?.[1] ?? "game.sgf";
	return new File([await r.blob()], name, { type: r.headers.get("Content-Type") ?? "" });
}

/** Saves a file where the browser keeps what is downloaded. */
export function saveFile(f: File): void {
	const a = document.createElement("a");
	a.href = URL.createObjectURL(f);
	a.download = f.name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

export async function textOf(path: string): Promise<string> {
	const r = await ask(path, { headers: { Authorization: "Bearer " + token() } });
	return r.text();
}
