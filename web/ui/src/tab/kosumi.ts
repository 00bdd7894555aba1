// The engine for other pages and for node: GTP and KataGo's analysis protocol with the worker.
// npm/kosumi.d.mts describes the public part.
import type * as API from "../../npm/kosumi.mjs";
import type { ToPage, ToWorker } from "./parts";

declare const WORKER: string; // set by web/ui/site.mjs: the script, beside this one

interface Thread {
	postMessage(m: ToWorker, transfer: MessagePort[]): void;
	terminate(): void;
}

/** Starts the worker; heard gets its messages, failed why it cannot run or has ended. */
async function thread(folder: URL, heard: (m: ToPage) => void, failed: (why: string) => void): Promise<Thread> {
	const script = new URL(WORKER, folder);
	if (typeof Worker !== "undefined") {
		const worker = new Worker(script);
		worker.onmessage = (e) => heard(e.data);
		worker.onerror = (e) => failed(e.message || `${script} cannot be loaded`);
		return worker;
	}
	const [threads, { fileURLToPath }] = await Promise.all(["node:worker_threads", "node:url"].map((m) => import(m)));
	const worker = new threads.Worker("globalThis.require = require; require(require('node:worker_threads').workerData)", { eval: true, workerData: fileURLToPath(script) });
	worker.on("message", heard);
	worker.on("error", (e: Error) => failed(e.message));
	return worker;
}

export class Kosumi implements API.Kosumi {
	private lines = new Set<Line>();
	private constructor(private worker: Thread) {}

	static async open(options: API.Options = {}): Promise<Kosumi> {
		let kosumi: Kosumi | undefined;
		let settle = { done: () => {}, fail: (_: Error) => {} };
		const ready = new Promise<void>((done, fail) => (settle = { done, fail }));
		const failed = (why: string) => {
			settle.fail(new Error(why));
			kosumi?.end(why);
		};
		const worker = await thread(new URL(options.folder ?? ".", import.meta.url), (m) => {
			if (m.t === "ready") settle.done();
			else if (m.t === "loading") options.progress?.(m.done, m.total);
			else if (m.t === "failed") failed(m.why);
		}, failed);
		kosumi = new Kosumi(worker);
		worker.postMessage({ t: "start", workers: options.workers, network: options.network, name: options.networkName, repeatable: options.repeatable }, []);
		try {
			await ready;
		} catch (e) {
			worker.terminate();
			throw e;
		}
		return kosumi;
	}

	gtp(settings: API.Settings = {}): API.GTP {
		return new GTP(this.line("gtp", settings));
	}

	analysis(settings: API.Settings = {}): API.Analysis {
		return new Analysis(this.line("analysis", settings));
	}

	close(): void {
		this.end("the engine was closed");
		this.worker.terminate();
	}

	private end(why: string): void {
		for (const l of this.lines) l.end(why);
	}

	/** A conversation as plain lines; cli.mjs passes them on. */
	line(protocol: string, settings: API.Settings): Line {
		const { port1, port2 } = new MessageChannel();
		const line = new Line(port1, () => this.lines.delete(line));
		this.lines.add(line);
		this.worker.postMessage({ t: "speak", protocol, settings: Object.entries(settings).map(([name, value]) => [name, String(value)]) }, [port2]);
		return line;
	}
}

/** Sends and hears lines over a port. */
class Line {
	heard: (line: string) => void = () => {};
	ended: (why: string) => void = () => {};
	why = ""; // the reason, once it has ended
	private rest = "";

	constructor(private port: MessagePort, private gone: () => void) {
		port.onmessage = ({ data }) => {
			if (typeof data !== "string") {
				if (data) this.end(data.error ?? "the engine has ended the conversation"); // 0 says that it begins
				return;
			}
			const lines = (this.rest + data).split("\n");
			this.rest = lines.pop()!;
			for (const l of lines) this.heard(l);
		};
	}

	send(text: string): void {
		this.port.postMessage(text);
	}

	close(): void {
		this.port.postMessage(0);
		this.end("the conversation was closed");
	}

	end(why: string): void {
		if (this.why) return;
		this.why = why;
		this.port.close();
		this.gone();
		this.ended(why);
	}
}

interface Waiting<T> { done(result: T): void; fail(e: Error): void }

class GTP implements API.GTP {
	private waiting: (Waiting<string> & { heard?: API.Heard; lines: string[] })[] = [];

	constructor(private line: Line) {
		line.heard = (text) => {
			const first = this.waiting[0];
			if (text !== "") {
				first?.heard?.(text);
				if (!first?.heard || !text.startsWith("info ")) first?.lines.push(text); // not kept: an analysis may go on for hours
				return;
			}
			if (!first?.lines.length) return;
			this.waiting.shift();
			const reply = first.lines.join("\n");
			const words = reply.replace(/^[=?]\d*[ \n]?/, "");
			if (reply[0] === "?") first.fail(new Error(words));
			else first.done(words);
		};
		line.ended = (why) => { for (const w of this.waiting.splice(0)) w.fail(new Error(why)); };
	}

	command(text: string, heard?: API.Heard): Promise<string> {
		return new Promise((done, fail) => {
			const line = text.replace(/#.*/, "").trim();
			if (this.line.why || !line || /[\r\n]/.test(line)) throw new Error(this.line.why || `${JSON.stringify(text)} is not one command`);
			this.waiting.push({ done, fail, heard, lines: [] });
			this.line.send(line);
		});
	}

	close(): void {
		this.line.close();
	}
}

class Analysis implements API.Analysis {
	private waiting = new Map<string, Waiting<API.Response[]> & { heard?: (r: API.Response) => void; results: API.Response[]; turns: number }>();
	private asked = 0;

	constructor(private line: Line) {
		line.heard = (text) => {
			const r: API.Response = JSON.parse(text);
			const w = this.waiting.get(r.id);
			if (!w) return;
			w.heard?.(r);
			if ("error" in r) w.fail(new Error(r.field ? `${r.field}: ${r.error}` : r.error));
			else if (r.isDuringSearch || "warning" in r || w.results.push(r) < w.turns) return;
			else w.done(w.results);
			this.waiting.delete(r.id);
		};
		line.ended = (why) => {
			for (const w of this.waiting.values()) w.fail(new Error(why));
			this.waiting.clear();
		};
	}

	query(q: API.Query, heard?: (r: API.Response) => void): Promise<API.Response[]> {
		return new Promise((done, fail) => {
			const id = String(q.id ?? `kosumi ${++this.asked}`);
			if (this.line.why || this.waiting.has(id)) throw new Error(this.line.why || `a query with the id ${id} waits already`);
			const turns = Array.isArray(q.analyzeTurns) ? new Set(q.analyzeTurns).size : 1;
			this.waiting.set(id, { done, fail, heard, results: [], turns });
			this.line.send(JSON.stringify({ ...q, id }));
		});
	}

	close(): void {
		this.line.close();
	}
}
