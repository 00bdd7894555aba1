// Backups: one file with all that a player would miss, and its return to the page.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { refusedFile, save as saveFrom } from "./files";
import type { Imported, Restored } from "./gen/api";
import type { Key } from "./gen/keys";
import { language, t } from "./i18n";
import { Icon } from "./icons";
import { toast } from "./live";
import { token } from "./net";
import { ask } from "./server";
import { remember, settings, takeSettings } from "./settings";

const MOST = 256 << 20; // bytes
const KINDS = ["games", "reviews", "docs", "problems", "answers"] as const;
/** Whether there is a backup, or nobody wants one. */
export const kept = remember<{ at: number; restored?: boolean }>("kosumi.backup", { at: 0 });

/** Saves a backup. */
export async function save(): Promise<void> {
	if (await saveFrom("/api/backup", undefined, { method: "POST", body: JSON.stringify(settings.value) })) kept.put({ at: Date.now() });
}

async function sent(f: File, query: string): Promise<Restored> {
	const r = f.size > MOST ? null : await ask("/api/restore" + query, { method: "POST", body: f, headers: { Authorization: "Bearer " + token() } }).catch(() => undefined);
	if (r?.ok) return (await r.json()) as Restored;
	const say = r === null ? { key: "backup_large", with: { n: String(MOST >> 20) } } : { key: "lost" };
	return { error: r?.statusText || "not read", say } as Restored;
}

/** Reads a ZIP: asks about a backup, and answers what became of game records in another. */
export async function open(f: File, to: string): Promise<Imported[]> {
	const a = await sent(f, "?to=" + to);
	if (a.error) return [{ name: f.name, error: a.error, say: a.say }];
	if (a.records) return a.records;
	const host = document.body.appendChild(document.createElement("div"));
	render(<Ask f={f} a={a} shut={() => { render(null, host); host.remove(); }} />, host);
	return [];
}

function Ask({ f, a, shut }: { f: File; a: Restored; shut: () => void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	const [busy, setBusy] = useState(false);
	useEffect(() => dialog.current?.showModal(), []);
	const n = (all: unknown, k: string) => (all as Record<string, number>)[k] ?? 0;
	const fresh = [...KINDS.filter((k) => n(a.fresh, k)).map((k) => t(`backup_${k}` as Key, { n: n(a.fresh, k) })), ...(n(a.fresh, "rest") ? [t("backup_rest")] : [])];
	const known = KINDS.reduce((sum, k) => sum + n(a.all, k) - n(a.fresh, k), 0);
	const date = new Date(a.made * 1000).toLocaleDateString(language.value, { dateStyle: "long" });
	const restore = async () => {
		setBusy(true);
		const b = await sent(f, "?do=1");
		if (b.error) {
			toast(refusedFile({ name: f.name, error: b.error, say: b.say }), { bad: true, ms: 12000 });
			return shut();
		}
		if (!a.other && a.settings) takeSettings(a.settings);
		kept.put({ at: Date.now(), restored: true });
		location.reload(); // the page is older than its data now
	};
	return (
		<dialog ref={dialog} aria-label={t("backup_load")} onClose={shut}>
			<div class="dialog-body">
				<h2>{t("restore_title", { date })}</h2>
				<p>{fresh.length ? t("restore_fresh", { what: fresh.join(", ") }) : t("restore_none", { date })} {fresh.length > 0 && known > 0 && t("restore_all", { n: known })}</p>
				{a.other && <p class="note warn"><Icon name="warn" /> {t("restore_foreign", { name: a.names?.length ? ` (${a.names.join(", ")})` : "" })}</p>}
				{a.damaged && <p class="note warn">{t("restore_damaged", { files: a.damaged.slice(0, 3).join(", ") + (a.damaged.length > 3 ? " …" : "") })}</p>}
				{!a.other && a.settings && fresh.length > 0 && <p class="dim">{t("restore_settings")}</p>}
				<form method="dialog" class="row">
					{fresh.length > 0 && <button type="button" class="button primary" disabled={busy} onClick={() => void restore()}>{t("backup_load")}</button>}
					<button class={"button " + (fresh.length ? "quiet" : "primary")} disabled={busy}>{t(fresh.length ? "not_now" : "close")}</button>
				</form>
			</div>
		</dialog>
	);
}
