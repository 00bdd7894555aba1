// A worker that runs the kernels for package kernel: a message brings the module first, and
// then bytes to write into its memory, functions to call there, and what to read. The buffer
// that the bytes came in goes back with those that were read.
"use strict";

const port = typeof self === "undefined" ? require("node:worker_threads").parentPort : self;
let kernels;

// copy calls move for each pair of address and length, with that memory and the next bytes of the
// buffer.
function copy(pairs, buffer, move) {
	for (let i = 0, at = 0; i < pairs.length; at += pairs[i + 1], i += 2)
		move(new Uint8Array(kernels.memory.buffer, pairs[i], pairs[i + 1]), new Uint8Array(buffer, at, pairs[i + 1]));
}

port.onmessage = ({ data: { id, module, buffer, writes = [], calls = [], reads = [] } }) => {
	const answer = { id, buffer };
	try {
		if (module) {
			kernels = new WebAssembly.Instance(module).exports;
			kernels._initialize();
		}
		copy(writes, buffer, (memory, bytes) => memory.set(bytes));
		answer.results = calls.map(([name, ...values]) => kernels[name](...values));
		copy(reads, buffer, (memory, bytes) => bytes.set(memory));
	} catch (e) {
		answer.error = String(e);
	}
	port.postMessage(answer, buffer ? [buffer] : []);
};
