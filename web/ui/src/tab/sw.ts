// Keeps the page for when there is no network: each version whole, in a cache of its own, and
// the next one only once all of it has come.
declare const VERSION: string; // set by web/ui/site.mjs
declare const FILES: string[]; // of this version, beside this script; "" is the page itself

const worker = self as unknown as ServiceWorkerGlobalScope;
const folder = new URL(".", worker.location.href);
const prefix = "kosumi " + folder.pathname + " ";
const named = new Set(FILES.map((f) => new URL(f, folder).href));

interface ServiceWorkerGlobalScope extends EventTarget {
	location: Location;
	clients: { claim(): Promise<void> };
	skipWaiting(): Promise<void>;
}
interface Extendable extends Event { waitUntil(p: Promise<unknown>): void }
interface Fetching extends Extendable { request: Request; respondWith(r: Promise<Response>): void }

worker.addEventListener("install", (e) => (e as Extendable).waitUntil(install()));
worker.addEventListener("activate", (e) => (e as Extendable).waitUntil(activate()));
worker.addEventListener("fetch", (e) => {
	const { request } = e as Fetching;
	const url = new URL(request.url);
	url.hash = url.search = "";
	const name = url.href === new URL("index.html", folder).href ? folder.href : url.href;
	if (request.method === "GET" && named.has(name)) (e as Fetching).respondWith(answer(request, name));
});
worker.addEventListener("message", (e) => { if ((e as MessageEvent).data === "now") void worker.skipWaiting(); });

// A file that another version has under the same name need not come again: the name holds its
// sum.
async function install(): Promise<void> {
	const cache = await caches.open(prefix + VERSION);
	for (const url of named) {
		if (await cache.match(url)) continue;
		const known = url.includes("/assets/") ? await caches.match(url) : undefined;
		const r = known ?? (await fetch(url, { cache: url.includes("/assets/") ? "default" : "reload" }));
		if (!r.ok) throw new Error(`${url}: ${r.status}`);
		await cache.put(url, r);
	}
}

async function activate(): Promise<void> {
	for (const name of await caches.keys()) {
		if (name.startsWith(prefix) && name !== prefix + VERSION) await caches.delete(name);
	}
	await worker.clients.claim();
}

async function answer(request: Request, url: string): Promise<Response> {
	const cache = await caches.open(prefix + VERSION);
	if (request.cache !== "reload") { // else the page has found it damaged
		const kept = await cache.match(url);
		if (kept) return kept;
	}
	const r = await fetch(url, { cache: "reload" });
	if (r.ok) await cache.put(url, r.clone());
	return r;
}
