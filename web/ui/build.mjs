// Builds the page of engine web into web/ui/dist, and the page in one file into
// internal/handout/dist, from where Go programs embed them. Packages come from package-lock.json:
// make page installs them and runs this.
//
//	node web/ui/build.mjs           build both
//	node web/ui/build.mjs types     write src/gen only, for the type checker
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const read = path => readFileSync(join(root, path));
export const sha256 = data => createHash("sha256").update(data).digest("hex");
export const pack = data => gzipSync(data, { level: 9 });
const gen = "web/ui/src/gen";

/** failed reports an error that ends the build. */
export function failed(err) {
	console.error(`the page cannot be built: ${err.message}`);
	process.exit(1);
}

export function write(path, data) {
	const file = join(root, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, data);
}

/** fingerprint hashes files, an object of contents by name. */
export function fingerprint(files) {
	return sha256(Object.keys(files).sort().map(name => `${name} ${sha256(files[name])}\n`).join("")).slice(0, 12);
}

/** tsType returns the TypeScript type of a JSON Schema. */
function tsType(s) {
	if (s.$ref) return basename(s.$ref);
	switch (s.type) {
		case "integer": return "number";
		case "array": return s.maxItems ? `[${Array(s.maxItems).fill(tsType(s.items)).join(", ")}]` : tsType(s.items) + "[]";
		case "object": return `Record<string, ${tsType(s.additionalProperties)}>`;
		case "string": case "number": case "boolean": return s.type;
	}
	return "unknown";
}

/** writeTypes turns the schema of the messages into interfaces of TypeScript. */
function writeTypes() {
	let text = "// Made by web/ui/build.mjs from web/api/schema.json, which explains the messages.\n";
	for (const [name, def] of Object.entries(JSON.parse(read("web/api/schema.json")).$defs)) {
		if (!def.properties) continue; // Command and Event: the page names messages by their parts
		const fields = Object.entries(def.properties).map(([key, s]) => `\t${key}${def.required.includes(key) ? "" : "?"}: ${tsType(s)};\n`);
		text += `export interface ${name} {\n${fields.join("")}}\n`;
	}
	write(`${gen}/api.ts`, text);
}

/** texts reads a language: lines of key = "text", comments and empty lines, all of it TOML. */
function texts(path) {
	const all = {};
	for (const line of read(path).toString().split("\n")) {
		if (line === "" || line.startsWith("#")) continue;
		const m = /^(\w+) = (".*")$/.exec(line);
		if (!m || m[1] in all) throw new Error(`${path}: not a new key and its text in quotation marks: ${line}`);
		all[m[1]] = JSON.parse(m[2]);
	}
	return all;
}

/**
 * writeLanguages turns web/i18n/*.toml into JSON: English into an object, the others into
 * lists of texts in the order of its keys, "" for a missing one. The keys become a type.
 */
function writeLanguages() {
	const english = texts("web/i18n/en.toml");
	const keys = Object.keys(english).sort();
	for (const file of readdirSync(join(root, "web/i18n")).filter(f => f.endsWith(".toml"))) {
		const name = basename(file, ".toml");
		const all = texts(`web/i18n/${file}`);
		const out = name === "en" ? Object.fromEntries(keys.map(k => [k, all[k]])) : keys.map(k => all[k] ?? "");
		write(`${gen}/${name}.json`, JSON.stringify(out, null, "\t"));
	}
	const plain = [...new Set(keys.map(k => k.replace(/_(one|other)$/, "")))];
	write(`${gen}/keys.ts`, `// Made by web/ui/build.mjs from web/i18n/en.toml.\nexport type Key =\n${plain.map(k => `\t| "${k}"`).join("\n")};\n`);
}

/**
 * bundle runs esbuild on files of web/ui/src. values replaces names in the sources by
 * expressions. It returns the contents by base name, and esbuild's metafile.
 */
export async function bundle(entries, values, options = {}) {
	const { build } = await import("esbuild").catch(() => { throw new Error("esbuild is not installed: run npm ci in web/ui"); });
	const { outputFiles, metafile } = await build({
		absWorkingDir: root, entryPoints: entries.map(e => `web/ui/src/${e}`), define: { IN_FILE: "false", ...values }, bundle: true, minify: true, write: false, metafile: true,
		target: "es2022", jsx: "automatic", jsxImportSource: "preact", legalComments: "none", charset: "utf8", logLevel: "warning", outdir: "out", ...options,
	});
	return { files: Object.fromEntries(outputFiles.map(f => [basename(f.path), f.contents])), meta: metafile };
}

/** licence returns the licence in the folder of a package. */
export function licence(name, dir) {
	const file = readdirSync(dir).sort().find(f => /^LICEN[CS]E/.test(f));
	if (!file) throw new Error(`package ${name} has no licence file`);
	return `${name}\n\n${readFileSync(join(dir, file)).toString().trim()}\n\n`;
}

/** licences returns those of the npm packages in a bundle. */
function licences(meta) {
	const packages = Object.keys(meta.inputs).map(path => /node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1]).filter(Boolean);
	return [...new Set(packages)].sort().map(p => licence(p, join(root, "web/ui/node_modules", p))).join("");
}

/** firstScripts names the scripts of the first screen: a browser that knows them fetches all at once. */
function firstScripts(meta) {
	const found = new Set();
	const add = path => {
		if (found.has(path)) return;
		found.add(path);
		meta.outputs[path].imports.filter(i => i.kind === "import-statement").forEach(i => add(i.path));
	};
	for (const [path, out] of Object.entries(meta.outputs)) {
		if (["web/ui/src/start.ts", "web/ui/src/main.tsx"].includes(out.entryPoint)) add(path);
	}
	return [...found].sort().map(path => basename(path));
}

/** values of a page that has a server. */
const served = { IN_TAB: "false", WORKER: '""' };

/** page returns the files of the page by name. */
export async function page(values = served) {
	const made = await bundle(["start.ts", "style.css"], values, { entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]", splitting: true, format: "esm" });
	const files = {};
	for (const [name, data] of Object.entries(made.files)) files[`assets/${name}`] = data;
	const named = start => Object.keys(made.files).find(name => name.startsWith(start));
	const script = named("start-");
	const preload = firstScripts(made.meta).filter(name => name !== script).map(name => `\n<link rel="modulepreload" href="/assets/${name}">`);
	const parts = { script: `/assets/${script}`, style: `/assets/${named("style-")}`, preload: preload.join("") };
	files["assets/licences.txt"] = licences(made.meta);
	files["index.html"] = read("web/ui/src/index.html").toString().replace(/\{\{(\w+)\}\}/g, (_, part) => parts[part]);
	for (const name of ["icon.svg", "manifest.webmanifest"]) files[name] = read(`web/ui/src/${name}`);
	return files;
}

/** writePage replaces web/ui/dist: each file compressed, except the first one. */
function writePage(files) {
	const dist = "web/ui/dist";
	rmSync(join(root, dist, "assets"), { recursive: true, force: true });
	let total = 0;
	for (const [name, data] of Object.entries(files)) {
		const packed = pack(data);
		total += packed.length;
		if (name === "index.html") write(`${dist}/${name}`, data);
		else write(`${dist}/${name}.gz`, packed);
	}
	console.log(`the page: ${Object.keys(files).length} files, ${(total / 1000).toFixed(0)} kB compressed`);
	write(`${dist}/build.txt`, fingerprint(files) + "\n"); // last: make takes it for the sign of a whole build
}

/** bundleHandout bundles the page in one file, with the texts that kept leaves of each language. */
async function bundleHandout(kept) {
	const languages = {
		name: "languages",
		setup(b) {
			b.onResolve({ filter: /^gen\// }, ({ path }) => ({ path: path.slice("gen/".length), namespace: "gen" }));
			b.onLoad({ filter: /./, namespace: "gen" }, ({ path }) => ({ contents: JSON.stringify(kept(JSON.parse(read(`${gen}/${path}`)))), loader: "json" }));
		},
	};
	const { files, meta } = await bundle(["handout.tsx", "handout.css"], { ...served, IN_FILE: "true" }, { format: "iife", plugins: [languages] });
	return { ...files, "licences.txt": licences(meta) };
}

/** writeHandout writes the page in one file, with those texts that its code names. */
async function writeHandout() {
	const code = Buffer.from((await bundleHandout(() => ({})))["handout.js"]).toString();
	const keys = Object.keys(JSON.parse(read(`${gen}/en.json`)));
	// Code puts some keys together: `phase_${...}` and "why_" + ….
	const beginnings = [...code.matchAll(/`([a-z_]+_)\$\{|"([a-z]+_)"/g)].map(m => m[1] ?? m[2]);
	const named = key => !key.startsWith("say_") && // no server refuses anything there
		(beginnings.some(b => key.startsWith(b)) || code.includes(`"${key.replace(/_(one|other)$/, "")}"`));
	const files = await bundleHandout(all => Array.isArray(all) ? all.filter((_, i) => named(keys[i])) : Object.fromEntries(Object.entries(all).filter(([key]) => named(key))));
	let total = 0;
	for (const [name, data] of Object.entries(files)) {
		total += data.length;
		write(`internal/handout/dist/${name}.gz`, pack(data));
	}
	console.log(`the page in one file: ${(total / 1000).toFixed(0)} kB`);
}

/** writeSources writes src/gen. */
export function writeSources() {
	writeTypes();
	writeLanguages();
}

async function main() {
	writeSources();
	if (process.argv[2] === "types") return;
	const files = await page();
	await writeHandout();
	writePage(files);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main().catch(failed);
