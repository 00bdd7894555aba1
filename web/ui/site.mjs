// Builds the page as a folder of files that needs no server of its own: any host of files
// serves it, under any path. Also page and engine as a package of npm.
//
//	node web/ui/site.mjs VERSION
//
// reads page.wasm, wasm_exec.js, kernel.wasm and kernel-worker.js in bin/page, and writes
// bin/site and bin/npm.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundle, failed, fingerprint, licence, pack, page, read, root, sha256, write, writeSources } from "./build.mjs";

const programs = "bin/page";

/**
 * policy is what the page may do where no server says so: load files of its own folder, and
 * make no markup or script from text.
 */
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

/** script bundles one script of web/ui/src/tab. */
async function script(name, format, values, options) {
	const { files } = await bundle([`tab/${name}.ts`], values, { format, ...options });
	return files[`${name}.js`];
}

/** engineFiles returns the files that the worker of a tab is made of, and the name of its script. */
async function engineFiles() {
	const files = {}, parts = {};
	const add = (part, file, data) => {
		const sum = sha256(data);
		const name = file.replace(".", `-${sum.slice(0, 8)}.`);
		parts[part] = { name, bytes: data.length, sha256: sum };
		files[`assets/${name}`] = data;
	};
	add("program", "page.bin", pack(read(`${programs}/page.wasm`))); // not .gz: a host that knows it might unpack it
	add("kernel", "kernel.bin", pack(read(`${programs}/kernel.wasm`)));
	add("kernelWorker", "kernel-worker.js", read(`${programs}/kernel-worker.js`));
	add("network", "network.bin", read("models/kosumi.bin.gz"));
	const worker = await script("worker", "iife", { PARTS: JSON.stringify(parts) }, { alias: { wasm_exec: join(root, programs, "wasm_exec.js") } });
	const workerName = `assets/worker-${sha256(worker).slice(0, 8)}.js`;
	files[workerName] = worker;
	return { files, workerName };
}

/** goLicences returns those of Go, of the modules of the program, and of the networks that its own was made from. */
function goLicences() {
	const go = (...args) => execFileSync(process.env.GO || "go", args, { cwd: root, env: { ...process.env, GOOS: "js", GOARCH: "wasm", CGO_ENABLED: "0" } }).toString().trim();
	const dirs = { Go: go("env", "GOROOT") };
	for (const line of go("list", "-deps", "-f", '{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}', "./cmd/page").split("\n")) {
		const [module, dir] = line.split("\t");
		if (dir) dirs[module] = dir;
	}
	const [, notice] = read("models/kosumi.bin.gz.md").toString().split("\n## Licence of KataGo's networks\n");
	return Object.keys(dirs).sort().map(m => licence(m, dirs[m])).join("") + `\nThe network inside is KataGo's g170-b6c96, taught further by KataGo's transformer:\n\n${notice.trim()}\n`;
}

/** serviceWorker returns the script that keeps the files for when there is no network. */
function serviceWorker(files) {
	const names = Object.keys(files).sort();
	return script("sw", "iife", {
		VERSION: JSON.stringify(fingerprint(files)),
		FILES: JSON.stringify(names.map(name => name.replace(/index\.html$/, ""))),
	});
}

/** site returns the page and the engine as files by name. */
async function site({ files: engine, workerName }, licences) {
	const files = { ...engine, ...await page({ IN_TAB: "true", WORKER: JSON.stringify(workerName) }) };
	files["assets/licences.txt"] += licences;
	const manifest = JSON.parse(files["manifest.webmanifest"]);
	for (const pixels of [180, 192, 512]) { // icon.svg, for home screens that take no other form; they cut the corners
		const src = `icon-${pixels}.png`;
		files[src] = read(`web/ui/src/${src}`);
		manifest.icons.push({ src, sizes: `${pixels}x${pixels}`, type: "image/png" });
	}
	files["manifest.webmanifest"] = JSON.stringify(manifest);
	files["index.html"] = files["index.html"].replaceAll('="/', '="./')
		.replace('<link rel="manifest"', '<link rel="apple-touch-icon" href="./icon-180.png">\n$&')
		.replace('<meta charset="utf-8">', `$&\n<meta http-equiv="Content-Security-Policy" content="${policy}">`);
	files["sw.js"] = await serviceWorker(files);
	return files;
}

/** npm returns the package of page and engine as files by name. */
async function npm(page, { workerName }, version) {
	const files = { ...page, LICENSE: read("LICENSE") };
	files["kosumi.mjs"] = await script("kosumi", "esm", { WORKER: JSON.stringify(workerName) });
	for (const name of ["cli.mjs", "kosumi.d.mts", "README.md", "example.html"]) files[name] = read(`web/ui/npm/${name}`);
	files["package.json"] = JSON.stringify({
		name: "kosumi", version: version === "dev" ? "0.0.0-dev" : version, license: "MIT",
		description: "The game of Go: a board in the browser, and an engine for web pages and node with GTP and KataGo's analysis protocol",
		bin: { kosumi: "cli.mjs" },
		keywords: ["go", "baduk", "weiqi", "gtp", "katago", "wasm"], engines: { node: ">=20" },
		exports: { ".": { types: "./kosumi.d.mts", default: "./kosumi.mjs" }, "./*": "./*" },
	}, null, "  ");
	return files;
}

/** writeFolder replaces a folder that holds the file mark, or makes one. */
function writeFolder(out, mark, files) {
	const dir = join(root, out);
	if (existsSync(dir) && readdirSync(dir).length > 0 && !existsSync(join(dir, mark))) throw new Error(`${out} holds something else: remove it`);
	rmSync(dir, { recursive: true, force: true });
	let total = 0;
	for (const [name, data] of Object.entries(files)) {
		write(`${out}/${name}`, data);
		total += data.length;
	}
	console.log(`${Object.keys(files).length} files, ${(total / 1e6).toFixed(2)} MB, in ${out}`);
}

async function main(version = "dev") {
	writeSources();
	const engine = await engineFiles();
	const licences = goLicences();
	const page = await site(engine, licences);
	writeFolder("bin/site", "sw.js", page);
	writeFolder("bin/npm", "kosumi.mjs", await npm(page, engine, version));
}

await main(process.argv[2]).catch(failed);
