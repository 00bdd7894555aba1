// Game records that are dropped, pasted or chosen.
import type { ID, Imported } from "./gen/api";
import { language, t, told } from "./i18n";
import { toast } from "./live";
import { inWords, send, token } from "./net";
import { go, route } from "./router";
import { ask } from "./server";

const MOST = 20 << 20;
const MOST_SAID = 4; // files that are named when they are refused

/** Reads game records, to analyse or to review them, and opens the first, for analysis after a move; what is refused is said file by file. */
export async function openFiles(files: FileList | File[] | null, to: "doc" | "review" = route.value.startsWith("/analyse") ? "doc" : "review", after = 0): Promise<void> {
	const list = [...(files ?? [])];
	if (list.length === 0) return;
	if (list.reduce((sum, f) => sum + f.size, 0) > MOST) {
		toast(t("files_too_large"), { bad: true });
		return;
	}
	const form = new FormData();
	for (const f of list) form.append("file", f, f.name);
	const r = await ask("/api/import" + (to === "review" ? "?to=review" : ""), { method: "POST", body: form, headers: { Authorization: "Bearer " + token() } }).catch(() => null);
	if (!r?.ok) {
		toast(t("file_refused", { name: list[0].name, why: r ? r.statusText : t("connection_lost") }), { bad: true });
		return;
	}
	const answers = (await r.json()) as Imported[];
	const taken = answers.filter((a) => a.id);
	const [one, problems] = [taken[0], taken.find((a) => a.kind === "problem")];
	if (problems) go("/drills/" + problems.id);
	else if (taken.length > 1 && to === "review") go("/review");
	else if (one) go((one.kind === "review" ? "/review/" : "/analyse/") + one.id + (after > 0 ? "?at=" + after : ""));
	const notes = taken.flatMap((a) => (a.says ?? []).map(told));
	if (notes.length) toast(notes.join(" "), { ms: 12000 });
	const refused = answers.filter((a) => a.error).map((a) => t("file_refused", { name: a.name, why: a.say ? told(a.say) : language.value === "en" ? a.error! : t("refused_record") }));
	const more = refused.length - MOST_SAID;
	if (refused.length) toast(refused.slice(0, MOST_SAID).join("\n") + (more > 0 ? "\n" + t("files_refused_more", { n: more }) : ""), { bad: true, ms: 12000 });
}

/** The files that were dropped, those in folders as well: of a folder, only its game records. */
export async function dropped(data: DataTransfer): Promise<File[]> {
	const plain = [...data.files]; // a drop is readable only until its event ends
	const entries = [...data.items].map((i) => i.webkitGetAsEntry?.()).filter((e): e is FileSystemEntry => !!e);
	if (!entries.some((e) => e.isDirectory)) return plain;
	const found = await Promise.all(entries.map((e) => within(e, false)));
	const files = found.flat();
	if (files.length > MOST_FILES) {
		toast(t("files_too_large"), { bad: true });
		return [];
	}
	if (files.length === 0) toast(t("folder_empty"), { bad: true });
	return files;
}

const MOST_FILES = 1000; // that the server takes at once

async function within(e: FileSystemEntry, inFolder: boolean): Promise<File[]> {
	if (e.isFile) {
		if (inFolder && !/\.sgf$/i.test(e.name)) return [];
		return [await new Promise<File>((done, fail) => (e as FileSystemFileEntry).file(done, fail))];
	}
	const reader = (e as FileSystemDirectoryEntry).createReader();
	const files: File[] = [];
	for (;;) {
		const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail)); // a hundred at a time
		if (some.length === 0 || files.length > MOST_FILES) return files;
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
		const { id } = await send<ID>("doc.new", { size: [9, 9], sgf: text });
		go("/analyse/" + id);
	} catch (e) {
		toast(t("file_refused", { name: t("pasted"), why: inWords(e) }), { bad: true });
	}
}
