// The parts that a browser's tab loads, and the messages between its worker and the page.

/** A file, with its size and sum. */
export interface Part { name: string; bytes: number; sha256: string }

/** The parts of the program; program and kernel are packed by gzip. */
export interface Parts { program: Part; kernel: Part; kernelWorker: Part; network: Part }

/** Phones are slow, grow hot, and run from a battery. */
export const phone = () => /Mobi|Android/.test(globalThis.navigator?.userAgent ?? "");

/**
 * How many threads run the network: one core is left for the search and the page, and half of a phone's;
 * half as many with each time that the browser has ended the page, as it does for want of memory.
 */
export function threads(cores: number, crashes: number): number {
	return Math.max(1, Math.floor(Math.min(8, phone() ? cores / 2 : cores - 1) / 2 ** crashes));
}

/** The start of the program for clients that speak a protocol; it keeps no files. */
export interface Start {
	t: "start";
	workers?: number; // threads that run the network
	network?: Uint8Array; // in place of the one beside the program
	name?: string; // of its file
	repeatable?: boolean; // equal questions get equal answers
}

/** Messages to the worker. The first one says what it is for. */
export type ToWorker =
	| { t: "attend" } // with the port of a page
	| { t: "request"; id: number; method: string; path: string; headers: string[]; body: Uint8Array }
	| { t: "crashes"; n: number } // how often the browser has ended the page
	| { t: "pause"; on: boolean } // while nobody looks at a phone
	| Start
	| { t: "speak"; protocol: string; settings: [name: string, value: string][] }; // with the port of a client

export type ToPage =
	| { t: "ready" } // after "start": clients may speak
	| { t: "loading"; done: number; total: number } // bytes
	| { t: "taken" } // another tab has the files
	| { t: "owned" } // this one has them, and waits for "crashes"
	| { t: "forgetful" } // the browser keeps no files for the page
	| { t: "failed"; why: string }
	| { t: "answer"; id: number; status: number; headers: string[]; body: Uint8Array };
