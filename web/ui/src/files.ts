// Game records that are dropped, pasted or chosen.
import type { ID, Imported } from "./gen/api";
import { t } from "./i18n";
import { toast } from "./live";
import { Refused, send, token } from "./net";
import { go, route } from "./router";

const MOST = 20 << 20;

/** Reads game records, to analyse or to review them, and opens the first; what is refused is said file by file. */
export async function openFiles(files: FileList | File[] | null, to: "doc" | "review" = route.value.startsWith("/analyse") ? "doc" : "review"): Promise<void> {
	const list = [...(files ?? [])];
	if (list.length === 0) return;
	if (list.reduce((sum, f) => sum + f.size, 0) > MOST) {
		toast(t("files_too_large"), { bad: true });
		return;
	}
	const form = new FormData();
	for (const f of list) form.append("file", f, f.name);
	const r = await fetch("/api/import" + (to === "review" ? "?to=review" : ""), { method: "POST", body: form, headers: { Authorization: "Bearer " + token() } }).catch(() => null);
	if (!r?.ok) {
		toast(t("file_refused", { name: list[0].name, why: r ? r.statusText : t("connection_lost") }), { bad: true });
		return;
	}
	const answers = (await r.json()) as Imported[];
	for (const a of answers) if (a.error) toast(t("file_refused", { name: a.name, why: a.error }), { bad: true, ms: 12000 });
	const taken = answers.filter((a) => a.id);
	if (taken.length > 1 && to === "review") go("/review");
	else if (taken.length > 0) go((to === "review" ? "/review/" : "/analyse/") + taken[0].id);
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
		toast(t("file_refused", { name: t("pasted"), why: e instanceof Refused ? e.said.text : String(e) }), { bad: true });
	}
}
