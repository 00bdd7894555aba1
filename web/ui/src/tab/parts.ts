// What a browser's tab loads, and what its worker says to the page.

/** A file, with what it is compared with. */
export interface Part { name: string; bytes: number; sha256: string }

/** The parts of the program; program and kernel are packed by gzip. */
export interface Parts { program: Part; kernel: Part; kernelWorker: Part; network: Part }

export type ToPage =
	| { t: "loading"; done: number; total: number } // bytes
	| { t: "taken" } // another tab has the files
	| { t: "failed"; why: string }
	| { t: "answer"; id: number; status: number; headers: string[]; body: Uint8Array };
