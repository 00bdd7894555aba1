// The page's end of a server that runs in a worker of its own tab.
import { signal } from "@preact/signals";
import { phone, threads, type ToPage, type ToWorker } from "./parts";

declare const WORKER: string; // set by web/ui/site.mjs: the script, beside the page

/** The state between the page and its server; null: connected, or not begun. */
export const start = /* @__PURE__ */ signal<Exclude<ToPage, { t: "answer" | "ready" | "forgetful" | "owned" }> | null>(null);

/** The browser keeps nothing of this visit. */
export const forgetful = /* @__PURE__ */ signal(false);

/** The browser ended the page last time: how many threads there are now, of how many. */
export const crashed = /* @__PURE__ */ signal<[now: number, of: number] | null>(null);

const HERE = new URL(".", location.href).pathname;
const MOST_CRASHES = 5; // more make no difference
const SETTLES = 1000; // ms until this tab sees the last writes of the tab before it
let waited = false;
const LONG = 20 * 60_000; // ms after which one crash is forgotten
let crashes = -1; // how often the browser has ended the page; below 0: another tab has the files
let began = 0;
/** Notes whether the page runs: if the note is there at the start, the page was ended. */
function runs(on: boolean): void {
	if (crashes >= 0 && start.value?.t !== "failed") localStorage.setItem("kosumi.runs " + HERE, `${on ? 1 : 0} ${crashes}`);
}

function owned(): void {
	try {
		const [was, before] = (localStorage.getItem("kosumi.runs " + HERE) ?? "0 0").split(" ").map(Number);
		const ended = was === 1 && !(document as { wasDiscarded?: boolean }).wasDiscarded;
		crashes = Math.min(MOST_CRASHES, (before || 0) + (ended ? 1 : 0));
		if (ended) crashed.value = [threads(navigator.hardwareConcurrency ?? 2, crashes), threads(navigator.hardwareConcurrency ?? 2, 0)];
		runs(true);
	} catch {
		crashes = 0; // this browser stores nothing
	}
	began = performance.now();
	worker!.postMessage({ t: "crashes", n: crashes } satisfies ToWorker);
	if (phone()) document.addEventListener("visibilitychange", () => runs(document.visibilityState === "visible")); // phones end hidden pages
}

// A worker that has ended leaves the files to other tabs.
function leave(): void {
	if (performance.now() - began > LONG) crashes = Math.max(Math.min(0, crashes), crashes - 1);
	runs(false);
	worker!.terminate();
}

const tabs = /* @__PURE__ */ typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("kosumi tabs " + HERE);
/** Has the other tabs give the files to this one. */
export const useHere = (): void => tabs?.postMessage("mine");

let worker: Worker | null = null;
let asked = 0;
const waiting = /* @__PURE__ */ new Map<number, (r: Response) => void>();

// The page takes the addresses of scripts from this policy alone.
let policy: { createScriptURL(url: string): string } | undefined;
function trusted(url: string): string {
	policy ??= (globalThis as any).trustedTypes?.createPolicy("kosumi", { createScriptURL: (u: string) => u });
	return policy?.createScriptURL(url) ?? url;
}

function server(): Worker {
	if (worker) return worker;
	worker = new Worker(trusted(WORKER));
	worker.onmessage = (e: MessageEvent<ToPage>) => {
		const m = e.data;
		if (m.t === "ready") return; // a page is not told this
		if (m.t === "forgetful") {
			forgetful.value = true;
			return;
		}
		if (m.t === "owned") return void setTimeout(owned, waited ? SETTLES : 0);
		if (m.t !== "answer") {
			if (start.value?.t !== "failed") start.value = m;
			if (m.t === "taken") {
				waited = true;
				void offline();
			}
			return;
		}
		const headers = new Headers();
		for (let i = 0; i < m.headers.length; i += 2) headers.append(m.headers[i], m.headers[i + 1]);
		waiting.get(m.id)?.(new Response(m.body as Uint8Array<ArrayBuffer>, { status: m.status, headers }));
		waiting.delete(m.id);
	};
	if (phone()) document.addEventListener("visibilitychange", () => worker!.postMessage({ t: "pause", on: document.visibilityState === "hidden" } satisfies ToWorker));
	// A page that is left may come back: until then its files are for other tabs.
	addEventListener("pagehide", leave);
	if (tabs) tabs.onmessage = () => {
		leave();
		location.reload(); // and waits behind the tab that asked
	};
	addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
	worker.onerror = (e) => (start.value = { t: "failed", why: e.message || "the worker has ended" });
	return worker;
}

/** A newer version of the page has come and waits. */
export const waits = /* @__PURE__ */ signal(false);
let kept: ServiceWorkerRegistration | null = null;

// Keeps the page for when there is no network, where the browser can: not in a private window.
async function offline(): Promise<void> {
	if (kept || !navigator.serviceWorker) return;
	kept = await navigator.serviceWorker.register(trusted("sw.js")).catch(() => null);
	if (!kept) return;
	let old = navigator.serviceWorker.controller;
	navigator.serviceWorker.addEventListener("controllerchange", () => {
		if (old && (taking || start.value)) location.reload(); // a tab that waits would get parts of both versions
		else if (old) waits.value = true; // another tab asked for it
		old = navigator.serviceWorker.controller;
	});
	const look = () => (waits.value ||= !!kept!.waiting && !!navigator.serviceWorker.controller);
	const follow = () => { const next = kept!.installing; if (next) next.onstatechange = look; };
	kept.onupdatefound = follow;
	follow(); // an update that came while the page was loaded
	look();
	document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") void kept!.update().catch(() => undefined); }); // there may be no network
}

let taking = false;
/** Shows the newer version, in all tabs. */
export function takeNewer(): void {
	taking = true;
	if (kept?.waiting) kept.waiting.postMessage("now");
	else location.reload();
}

/** Stands in for the WebSocket to a server. */
export class Line {
	readyState = 0;
	onopen: (() => void) | null = null;
	onmessage: ((e: { data: string }) => void) | null = null;
	onclose: ((e: { code: number }) => void) | null = null;
	private port: MessagePort;

	constructor() {
		const { port1, port2 } = new MessageChannel();
		this.port = port1;
		this.port.onmessage = (e: MessageEvent<string | number>) => {
			if (typeof e.data === "string") this.onmessage?.({ data: e.data });
			else if (e.data === 0) {
				this.readyState = 1;
				start.value = null;
				void offline(); // after the parts have come: nothing is fetched twice
				this.onopen?.();
			} else this.end(e.data);
		};
		server().postMessage({ t: "attend" }, [port2]);
	}

	send(message: string): void {
		if (message.includes('"t":"game.new"') || message.includes('"t":"doc.new"')) void navigator.storage?.persist?.().catch(() => undefined); // from now on there is something to keep
		this.port.postMessage(message);
	}

	close(): void {
		this.port.postMessage(0);
		this.end(1000);
	}

	private end(code: number): void {
		if (this.readyState === 3) return;
		this.readyState = 3;
		this.port.onmessage = null;
		this.onclose?.({ code });
	}
}

/** Answers as fetch does. */
export async function request(path: string, init?: RequestInit): Promise<Response> {
	const r = new Request(new URL(path, location.href), init);
	const body = new Uint8Array(await r.arrayBuffer());
	const id = ++asked;
	return new Promise((done) => {
		waiting.set(id, done);
		server().postMessage({ t: "request", id, method: r.method, path, headers: [...r.headers].flat(), body }, [body.buffer]);
	});
}
