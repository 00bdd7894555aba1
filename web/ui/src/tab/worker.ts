// The worker that runs the program in a browser's tab: it owns the files, loads the parts and
// lets pages in.
import "wasm_exec";
import { Disk } from "./disk";
import type { Part, Parts, ToPage } from "./parts";

declare const PARTS: Parts; // set by web/build: files beside this script
declare const Go: new () => { run(instance: WebAssembly.Instance): Promise<void>; importObject: WebAssembly.Imports; exit: (code: number) => void };

type Answer = (status: number, headers: string[], body: Uint8Array) => void;
interface Program {
	attend(port: MessagePort): void;
	request(method: string, path: string, headers: string[], body: Uint8Array, answer: Answer): void;
}

const here = new URL(".", self.location.href);
const place = "kosumi " + new URL("..", here).pathname; // names the files and the lock of this page
const tell = (m: ToPage) => self.postMessage(m);
const failed = (why: string) => tell({ t: "failed", why });

/** Waits until no other tab has the files. */
function own(): Promise<void> {
	return new Promise((mine) => {
		const forever = () => { mine(); return new Promise<void>(() => undefined); };
		if (navigator.locks) {
			void navigator.locks.request(place, { ifAvailable: true }, (lock) => {
				if (lock) return forever();
				tell({ t: "taken" });
				void navigator.locks.request(place, forever);
				return undefined;
			});
			return;
		}
		// Without https there are no locks: tabs ask each other, and of two that begin at once the lower number wins.
		const others = new BroadcastChannel(place);
		const number = Math.random();
		let state = "asks";
		setTimeout(() => {
			if (state === "lost") return;
			state = "has";
			mine();
		}, 400);
		others.onmessage = (e) => {
			if (e.data === "mine" && state === "asks") {
				state = "lost";
				tell({ t: "taken" });
			} else if (e.data !== "mine" && (state === "has" || (state === "asks" && number < e.data))) others.postMessage("mine");
		};
		others.postMessage(number);
	});
}

let came = 0;
const total = [PARTS.program, PARTS.kernel, PARTS.network].reduce((sum, p) => sum + p.bytes, 0);

/** The bytes of a part, checked: what is damaged in a cache is fetched once more. */
async function fetched(part: Part): Promise<Uint8Array<ArrayBuffer>> {
	const before = came;
	for (const cache of ["default", "reload"] as const) {
		const r = await fetch(new URL(part.name, here), { cache }).catch(() => null); // there may be no network
		if (!r?.ok || !r.body) continue;
		const data = new Uint8Array(part.bytes);
		let n = 0;
		for (const reader = r.body.getReader(); ; ) {
			const { done, value } = await reader.read();
			if (done) break;
			if (n + value.length <= data.length) data.set(value, n);
			n += value.length;
			came += value.length;
			tell({ t: "loading", done: came, total });
		}
		if (n === part.bytes && (await sound(data, part))) return data;
		came = before;
	}
	throw new Error(`${part.name} is damaged or missing, and could not be fetched again`);
}

async function sound(data: Uint8Array<ArrayBuffer>, part: Part): Promise<boolean> {
	if (!crypto.subtle) return true; // what is packed has a sum of its own
	const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
	return [...sum].map((b) => b.toString(16).padStart(2, "0")).join("") === part.sha256;
}

async function unpacked(part: Part): Promise<Response> {
	const packed = new Blob([await fetched(part)]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(packed, { headers: { "Content-Type": "application/wasm" } });
}

async function start(): Promise<Program> {
	if (!globalThis.DecompressionStream || !WebAssembly.compileStreaming) throw new Error("this browser is too old: Chrome and Edge 91, Firefox 113 and Safari 16.4 will do");
	await own();
	tell({ t: "loading", done: 0, total });
	const [disk, program, kernel, network] = await Promise.all([
		Disk.open(place, (line) => console.log(line)),
		unpacked(PARTS.program).then((r) => WebAssembly.compileStreaming(r)), unpacked(PARTS.kernel).then((r) => r.arrayBuffer()), fetched(PARTS.network),
	]);
	const go = new Go();
	return new Promise((ready, fail) => {
		Object.assign(globalThis, {
			fs: disk.fs(), path: Disk.path, process: Disk.process,
			kosumi: { network, kernel, kernelWorker: new URL(PARTS.kernelWorker.name, here).href, ready, failed: (why: string) => fail(new Error(why)) },
		});
		WebAssembly.instantiate(program, go.importObject)
			.then((i) => go.run(i))
			.then(() => { throw new Error("the program has ended"); })
			.catch((e) => { fail(e); failed(String(e)); });
	});
}

const program = start();
program.catch((e) => failed(e instanceof Error ? e.message : String(e)));

self.onmessage = async (e: MessageEvent) => {
	const m = e.data;
	const p = await program;
	if (m.t === "attend") p.attend(e.ports[0]);
	else p.request(m.method, m.path, m.headers, m.body, (status, headers, body) => self.postMessage({ t: "answer", id: m.id, status, headers, body } satisfies ToPage));
};
