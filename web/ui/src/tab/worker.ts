// The worker that runs the program in a browser's tab: it loads the parts, owns the files and
// lets pages in. For others it keeps no files and speaks GTP and KataGo's analysis protocol,
// also in node.
import "wasm_exec";
import { Disk } from "./disk";
import { threads, type Part, type Parts, type Start, type ToPage, type ToWorker } from "./parts";

declare const PARTS: Parts; // set by web/ui/site.mjs: files beside this script
declare const Go: new () => { run(instance: WebAssembly.Instance): Promise<void>; importObject: WebAssembly.Imports; exit: (code: number) => void };

type Answer = (status: number, headers: string[], body: Uint8Array) => void;
interface Program {
	attend(port: MessagePort): void;
	request(method: string, path: string, headers: string[], body: Uint8Array, answer: Answer): void;
	pause(on: boolean): void;
	speak(protocol: string, settings: [string, string][], port: MessagePort): void;
}

const node = typeof self === "undefined" ? (globalThis as any).require : null; // kosumi.ts sets it there
const port = node ? node("node:worker_threads").parentPort : self;
const here: URL = node ? node("node:url").pathToFileURL(node("node:worker_threads").workerData) : new URL(self.location.href);
const place = "kosumi " + new URL("..", here).pathname; // names the files and the lock of this page
const tell = (m: ToPage) => port.postMessage(m);
// A worker that has ended leaves the files to other tabs.
const failed = (why: string) => { tell({ t: "failed", why }); if (!node) self.close(); };

/** Waits until no other tab has the files. */
function own(): Promise<void> {
	if (!navigator.locks) return agree();
	return new Promise<void>((mine, fail) => {
		const forever = () => { mine(); return new Promise<void>(() => undefined); };
		navigator.locks.request(place, { ifAvailable: true }, (lock) => {
			if (lock) return forever();
			tell({ t: "taken" });
			navigator.locks.request(place, forever).catch(fail);
			return undefined;
		}).catch(fail);
	}).catch(agree); // the browser refuses locks
}

// Without locks, as without https, tabs ask each other: the tab that has the files answers, and
// among several that want them the one with the lowest number.
async function agree(): Promise<void> {
	const others = new BroadcastChannel(place);
	const number = Math.random();
	let has = false;
	let lost = false;
	others.onmessage = (e) => {
		if (e.data === "mine") lost = true;
		else if (has || number < e.data) others.postMessage("mine");
	};
	do {
		if (lost) tell({ t: "taken" });
		lost = false;
		others.postMessage(number);
		await new Promise((later) => setTimeout(later, 400));
	} while (lost);
	has = true;
}

let came = 0;
const total = [PARTS.program, PARTS.kernel, PARTS.network].reduce((sum, p) => sum + p.bytes, 0);

/** The bytes of a part, checked: a damaged copy in a cache is fetched once more. */
async function fetched(part: Part): Promise<Uint8Array<ArrayBuffer>> {
	if (node) return node("node:fs").readFileSync(new URL(part.name, here));
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
	if (!crypto.subtle) return true; // packed parts have a sum of their own inside
	const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
	return [...sum].map((b) => b.toString(16).padStart(2, "0")).join("") === part.sha256;
}

async function unpacked(part: Part): Promise<Response> {
	const packed = new Blob([await fetched(part)]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(packed, { headers: { "Content-Type": "application/wasm" } });
}

/** Starts the program: with files for a page, else as a client wants it. */
async function start(client: Start | null): Promise<Program> {
	if (!globalThis.DecompressionStream || !WebAssembly.compileStreaming) throw new Error("this browser is too old: Chrome and Edge 91, Firefox 113 and Safari 16.4 will do");
	if (!client) {
		await own().catch(() => undefined); // a browser that refuses even to ask may keep nothing either
		tell({ t: "owned" });
		await counted;
	}
	tell({ t: "loading", done: 0, total });
	const [disk, program, kernel, network] = await Promise.all([
		client ? null : Disk.open(place, (line) => console.log(line), () => tell({ t: "forgetful" })),
		unpacked(PARTS.program).then((r) => WebAssembly.compileStreaming(r)), unpacked(PARTS.kernel).then((r) => r.arrayBuffer()), client?.network ? new Uint8Array() : fetched(PARTS.network),
	]);
	const go = new Go();
	const script = new URL(PARTS.kernelWorker.name, here);
	return new Promise((ready, fail) => {
		if (disk) Object.assign(globalThis, { fs: disk.fs(), path: Disk.path, process: Disk.process });
		Object.assign(globalThis, {
			kosumi: {
				network, kernel, kernelWorker: node ? node("node:url").fileURLToPath(script) : script.href, workers: client?.workers || threads(cores(), crashes), files: !!disk,
				given: client?.network, name: client?.name ?? "", repeatable: !!client?.repeatable, ready, failed: (why: string) => fail(new Error(why)),
			},
		});
		WebAssembly.instantiate(program, go.importObject)
			.then((i) => go.run(i))
			.then(() => { throw new Error("the program has ended"); })
			.catch((e) => { fail(e); failed(String(e)); });
	});
}

const cores = (): number => globalThis.navigator?.hardwareConcurrency ?? (node ? node("node:os").availableParallelism() : 2);

let program: Promise<Program> | null = null;
let crashes = 0;
let count = () => {};
const counted = new Promise<void>((done) => (count = done));

port.onmessage = async (e: MessageEvent<ToWorker>) => {
	const m = e.data;
	if (m.t === "crashes") {
		crashes = m.n;
		return count();
	}
	if (!program) {
		program = start(m.t === "start" ? m : null);
		program.then(() => { if (m.t === "start") tell({ t: "ready" }); }, (e) => failed(e instanceof Error ? e.message : String(e)));
	}
	const p = await program.catch(() => null); // the failure has been told
	if (!p) return;
	if (m.t === "attend") p.attend(e.ports[0]);
	else if (m.t === "request") p.request(m.method, m.path, m.headers, m.body, (status, headers, body) => tell({ t: "answer", id: m.id, status, headers, body }));
	else if (m.t === "pause") p.pause(m.on);
	else if (m.t === "speak") p.speak(m.protocol, m.settings, e.ports[0]);
};
