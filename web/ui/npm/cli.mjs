#!/usr/bin/env node
// kosumi at the command line: the page in the browser, or GTP for a GUI.
import { spawn } from "node:child_process";
import { createReadStream, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Kosumi } from "./kosumi.mjs";

const usage = `kosumi web [--port N] [--no-open]   opens a board in the browser; so does kosumi alone
kosumi gtp [--NAME VALUE]...        speaks GTP, for a GUI; settings are the program's: --boardsize 19 --visits 100 --level 10k`;
const folder = new URL(".", import.meta.url);
const types = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", svg: "image/svg+xml", png: "image/png", webmanifest: "application/manifest+json", txt: "text/plain; charset=utf-8" };

function fail(why, code = 1) {
	console.error(`kosumi: ${why}`);
	process.exitCode = code;
}

/** Options by name: --name value, --name=value, or --name alone, which is "true". */
function options(args) {
	const all = {};
	while (args.length) {
		const m = /^--?([a-z][\w-]*)(?:=(.*))?$/i.exec(args.shift());
		if (!m) return null;
		all[m[1]] = m[2] ?? (args.length && !args[0].startsWith("--") ? args.shift() : "true");
	}
	return all;
}

/** Serves the page to this machine, always on the same port: the browser keeps games by address. */
function web({ port = "4570", "no-open": quiet, ...others }) {
	if (Object.keys(others).length) return fail(`usage:\n${usage}`, 2);
	const names = [...readdirSync(folder), ...readdirSync(new URL("assets/", folder)).map((name) => `assets/${name}`)];
	const server = createServer((request, response) => {
		const name = request.url.replace(/[?#].*/, "").slice(1) || "index.html";
		if (!names.includes(name)) return response.writeHead(404).end();
		response.writeHead(200, { "Content-Type": types[name.split(".").pop()] ?? "application/octet-stream" });
		createReadStream(new URL(name, folder)).pipe(response);
	});
	const address = () => `http://127.0.0.1:${server.address()?.port ?? port}/`;
	server.on("error", (e) => fail(e.code === "EADDRINUSE" ? `port ${port} is taken: is the page open already, at ${address()}? Else choose another: --port N` : e.message));
	server.listen({ host: "127.0.0.1", port }, () => {
		console.log(`${address()}  (^C ends it)`);
		const [program, ...args] = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] }[process.platform] ?? ["xdg-open"];
		if (!quiet) spawn(program, [...args, address()], { stdio: "ignore", detached: true }).on("error", () => undefined).unref();
	});
}

/** Passes GTP on between standard input and output and the engine. */
async function gtp(settings) {
	const kosumi = await Kosumi.open();
	const line = kosumi.line("gtp", settings);
	const input = createInterface({ input: process.stdin });
	let waiting = 0, over = false, ended = false;
	const end = () => {
		if (ended) return;
		ended = true;
		input.close();
		kosumi.close();
	};
	line.heard = (text) => {
		process.stdout.write(`${text}\n`);
		if (text === "" && --waiting === 0 && over) end();
	};
	line.ended = (why) => {
		if (!ended && waiting) fail(why);
		end();
	};
	input.on("line", (text) => {
		if (over) return;
		const [, command] = /^\s*\d*\s*([^\s#]*)/.exec(text);
		if (command) waiting++;
		line.send(text);
		if (command === "quit") input.close();
	}).on("close", () => {
		over = true;
		if (!waiting) end();
	});
}

const args = process.argv.slice(2);
const command = args.length && !args[0].startsWith("-") ? args.shift() : "web";
const given = options(args);
if (given?.help ?? given?.h ?? command === "help") console.log(usage);
else if (!given || !{ web, gtp }[command]) fail(`usage:\n${usage}`, 2);
else await { web, gtp }[command](given)?.catch?.((e) => fail(e.message));
