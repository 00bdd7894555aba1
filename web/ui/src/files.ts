// Game records that are dropped, pasted or chosen.
import type { ID, Imported } from "./gen/api";
import { language, t, told } from "./i18n";
import { toast } from "./live";
import { fetched, inWords, Refused, saveFile, send, token } from "./net";
import { go, route } from "./router";
import { ask } from "./server";

/** Set by the page, which has a place for the networks among the files. */
export const networks = { add: (_: File[]): void => undefined };

const MOST = 20 << 20; // bytes of a record, and of a request
const MOST_FILES = 1000; // of a request
const MOST_SAID = 4; // files that are named when they are refused

/** Fetches a file of the server's, saves it and says so; true: it is saved. */
export async function save(path: string, called?: string, how?: RequestInit): Promise<boolean> {
	try {
		const f = await fetched(path, called, how);
		saveFile(f);
		toast(t("file_saved", { name: f.name }));
		return true;
	} catch (e) {
		toast(e instanceof Refused ? inWords(e) : t("say_lost"), { bad: true });
		return false;
	}
}

/** Reads game records, to analyse or to review them, and opens the first, for analysis after a move; what is refused is said file by file. Backups are restored, once that was agreed to. */
export async function openFiles(files: FileList | File[] | null, to: "doc" | "review" = route.value.startsWith("/analyse") ? "doc" : "review", after?: number): Promise<void> {
	const network = (f: File) => /\.((bin|txt)\.gz|onnx)$/i.test(f.name);
	const list = [...(files ?? [])].filter((f) => !network(f));
	if (list.length < (files?.length ?? 0)) networks.add([...files!].filter(network));
	if (list.length === 0) return;
	const answers: Imported[] = [];
	for (let batch: File[] = [], bytes = 0, i = 0; i <= list.length; i++) {
		const f = list[i];
		if (batch.length && (!f || bytes + f.size > MOST || batch.length === MOST_FILES)) {
			answers.push(...(await sent(batch, to)));
			[batch, bytes] = [[], 0];
		}
		if (!f) break;
		if (await isZip(f)) answers.push(...(await (await import("./backup")).open(f, to)));
		else if (f.size > MOST) answers.push({ name: f.name, error: f.name, say: { key: "sgf_large" } });
		else {
			batch.push(f);
			bytes += f.size;
		}
	}
	opened(answers, to, after);
}

const isZip = async (f: File): Promise<boolean> => /\.zip$/i.test(f.name) || new TextDecoder().decode(await f.slice(0, 4).arrayBuffer()) === "PK\x03\x04";

async function sent(files: File[], to: string): Promise<Imported[]> {
	const form = new FormData();
	for (const f of files) form.append("file", f, f.name);
	const r = await ask("/api/import" + (to === "review" ? "?to=review" : ""), { method: "POST", body: form, headers: { Authorization: "Bearer " + token() } }).catch(() => null);
	return r?.ok ? ((await r.json()) as Imported[]) : [{ name: files[0].name, error: r ? r.statusText : t("say_lost"), say: r ? undefined : { key: "lost" } }];
}

/** The reason why a file was refused, in one sentence that names it. */
export function refusedFile(a: Imported): string {
	const { name } = a;
	if (a.say?.key === "sgf_none") return t("file_none", { name });
	if (a.say?.key === "sgf_large") return t("file_large", { name, n: MOST >> 20 });
	return t("file_refused", { name, why: a.say ? told(a.say) : language.value === "en" ? a.error! : t("refused_record") });
}

function opened(answers: Imported[], to: "doc" | "review", after?: number): void {
	const taken = answers.filter((a) => a.id);
	const [one, problems] = [taken[0], taken.find((a) => a.kind === "problem")];
	if (problems) go("/drills/" + problems.id);
	else if (taken.length > 1 && to === "review") go("/review");
	else if (one) go((one.kind === "review" ? "/review/" : "/analyse/") + one.id + (after === undefined ? "" : "?at=" + after));
	const notes = taken.flatMap((a) => (a.says ?? []).map(told));
	if (notes.length) toast(notes.join(" "), { ms: 12000 });
	const refused = answers.filter((a) => a.error).map(refusedFile);
	const more = refused.length - MOST_SAID;
	const known = taken.filter((a) => a.known);
	if (refused.length) toast(refused.slice(0, MOST_SAID).join("\n") + (more > 0 ? "\n" + t("files_refused_more", { n: more }) : ""), { bad: true, ms: 12000 });
	else if (known.length && !notes.length && after === undefined) toast(known.length > 1 ? t("files_known", { n: known.length }) : t("file_known", { name: known[0].name || t("pasted") }), { ms: 8000 });
}

/** The files that were dropped, those in folders as well: of a folder, only its game records. */
export async function dropped(data: DataTransfer): Promise<File[]> {
	const plain = [...data.files]; // a drop is readable only until its event ends
	const entries = [...data.items].map((i) => i.webkitGetAsEntry?.()).filter((e): e is FileSystemEntry => !!e);
	if (!entries.some((e) => e.isDirectory)) return plain;
	const found = await Promise.all(entries.map((e) => within(e, false)));
	const files = found.flat();
	if (files.length === 0) toast(t("folder_empty"), { bad: true });
	return files;
}

async function within(e: FileSystemEntry, inFolder: boolean): Promise<File[]> {
	if (e.isFile) {
		if (inFolder && !/\.(sgf|zip)$/i.test(e.name)) return [];
		return [await new Promise<File>((done, fail) => (e as FileSystemFileEntry).file(done, fail))];
	}
	const reader = (e as FileSystemDirectoryEntry).createReader();
	const files: File[] = [];
	for (;;) {
		const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail)); // a hundred at a time
		if (some.length === 0) return files;
		for (const x of some) files.push(...(await within(x, true)));
	}
}

/** Opens pasted text as a game record. */
export async function openText(text: string): Promise<void> {
	if (!text.includes("(;")) {
		toast(t("paste_refused"), { bad: true });
		return;
	}
	try {
		const body = new File([text], t("pasted"));
		if (text.length > 40000) return openFiles([body]);
		const { id, known } = await send<ID>("doc.new", { size: [9, 9], sgf: text });
		opened([{ name: t("pasted"), id, known }], "doc");
	} catch (e) {
		toast(t("file_refused", { name: t("pasted"), why: inWords(e) }), { bad: true });
	}
}
