import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Imported, Network, NetworkJob, NetworkList } from "../gen/api";
import { duration, networkName, num, t, told } from "../i18n";
import { Icon } from "../icons";
import { toast } from "../live";
import { inWords, send, token, watch, welcome } from "../net";
import { go } from "../router";
import { ask as fromServer, inTab } from "../server";
import { isDeleted, remove } from "../undo";

const list = signal<NetworkList | null>(null);
const none = signal(false); // this server keeps no networks
const using = signal(""); // being loaded
const busy = signal(false);

const mb = (n: number): string => t("size_mb", { n: num(n / 1e6, n < 1e7 ? 1 : 0) });

async function ask(what: string, d: object): Promise<boolean> {
	try {
		await send(what, d, true);
		return true;
	} catch (e) {
		toast(inWords(e), { bad: true, ms: 10000 });
		return false;
	}
}

async function use(name: string, play = false): Promise<void> {
	using.value = name;
	try {
		const now = await send<Network[]>("network.use", { name }, true);
		if (welcome.value) welcome.value = { ...welcome.value, networks: now };
		if (play) go("/new");
		toast(t("network_in_use", { name: networkName(name) }));
	} catch (e) {
		toast(t("network_failed", { name, why: inWords(e) }), { bad: true, ms: 12000 });
	} finally {
		using.value = "";
	}
}

/** A file from this machine, or from the one with the browser. */
export async function upload(f: File | undefined): Promise<void> {
	if (!f) return;
	busy.value = true;
	try {
		const r = await fromServer("/api/networks/" + encodeURIComponent(f.name), { method: "PUT", body: f, headers: { Authorization: "Bearer " + token() } });
		const a = r.ok ? ((await r.json()) as Imported) : { name: f.name, error: r.statusText };
		if (a.error) toast(t("network_not_kept", { name: f.name, why: a.say ? told(a.say) : a.error }), { bad: true, ms: 15000 });
		else toast(t("network_kept", { name: f.name }), { action: t("network_use"), run: () => void use(f.name), ms: 10000 });
	} catch {
		toast(t("network_not_kept", { name: f.name, why: t("say_lost") }), { bad: true, ms: 15000 });
	} finally {
		busy.value = false;
	}
}

const SITE = "https://katagotraining.org/networks/";

/** The speed of a network on this machine. */
function speed(n?: Network): string {
	if (!n?.speed) return "";
	const round = (x: number) => num(x < 10 ? Number(x.toFixed(1)) : Math.round(x));
	return t("network_speed", { evals: round(n.speed.evals), size: n.speed.size.replace("x", "×"), seen: num(Math.max(1, Math.round(2 * n.speed.evals))) });
}

const runs = (j: NetworkJob): boolean => ["asking", "fetching", "checking", "trying"].includes(j.state);

/** A network of KataGo's that has come. */
function Ready({ j }: { j: NetworkJob }) {
	const n = list.value!.networks.find((x) => x.name === j.name);
	return (
		<li class="network-job card" data-state="ready">
			<strong><Icon name="check" size={18} /> {t("network_ready", { name: j.name })}</strong>
			<span class="dim">{[mb(j.total ?? 0), speed(n)].join(" · ")}</span>
			{!n?.inUse && <span class="row"><button class="button primary" disabled={!!using.value} onClick={() => void use(j.name, true)}>{t(using.value === j.name ? "network_loading" : "network_play")}</button></span>}
		</li>
	);
}

function Job({ j }: { j: NetworkJob }) {
	if (j.state === "ready") return <Ready j={j} />;
	const left = j.speed && j.total ? (j.total - j.done) / j.speed : 0;
	return (
		<li class="network-job card" data-state={j.state}>
			<strong>{j.state === "asking" || j.name === j.latest ? "katagotraining.org" : j.name}</strong>
			{runs(j) && <progress max={j.total || 1} value={j.state === "fetching" ? (j.total ? j.done : undefined) : undefined} aria-label={t("progress")} />}
			<span class={j.error ? "bad-text" : "dim"} role="status">
				{j.error ? (j.say ? told(j.say) : j.error)
					: j.state === "fetching" ? [j.total ? t("of", { n: mb(j.done), of: mb(j.total) }) : mb(j.done), j.speed ? t("size_speed", { n: num(j.speed / 1e6, 1) }) : "", left > 1 ? t("left", { time: duration(left) }) : ""].filter(Boolean).join(" · ")
					: t(`network_${j.state}` as "network_checking", { n: mb(j.done) })}
			</span>
			<span class="row">
				{j.error && j.latest && <span>{t("network_by_hand")} <a href={j.url || SITE} target="_blank" rel="noopener noreferrer">{j.url || SITE}</a></span>}
				{runs(j) && <button class="button quiet small" onClick={() => void ask("network.stop", { name: j.name })}>{t("stop")}</button>}
				{!runs(j) && (j.url || j.latest) && <button class="button small" onClick={() => void ask("network.fetch", { url: j.url, sha256: j.sha256, latest: j.latest })}>{t(j.done ? "network_resume" : "network_retry")}</button>}
				{!runs(j) && <button class="button quiet small" onClick={() => remove("job:" + j.name, t("network_removed", { name: j.name }), () => send("network.forget", { name: j.name }, true))}>{t("network_forget")}</button>}
			</span>
		</li>
	);
}

/** KataGo's own networks: nothing is asked of its site before a press. */
function Latest({ jobs }: { jobs: NetworkJob[] }) {
	return (
		<section class="card" aria-labelledby="net-latest">
			<h2 id="net-latest">{t("network_latest")}</h2>
			<p class="dim">{t("network_latest_text")}</p>
			<div class="row">
				{(["strongest", "newest"] as const).map((which) => (
					<button key={which} class={"button " + (which === "strongest" && !jobs.length ? "primary" : "quiet")} disabled={jobs.some((j) => j.latest === which && runs(j))} onClick={() => void ask("network.fetch", { latest: which })}><Icon name="save" /> {t(`network_${which}`)}</button>
				))}
			</div>
			{jobs.length > 0 && <ul class="network-list">{jobs.map((j) => <Job key={j.name} j={j} />)}</ul>}
		</section>
	);
}

function Add() {
	return (
		<section class="card" aria-labelledby="net-add">
			<h2 id="net-add">{t(inTab ? "network_add_file" : "network_add")}</h2>
			<p class="dim">{t("network_add_text")}</p>
			<label class={"button" + (busy.value ? " busy" : "")}><Icon name="open" /> {t(busy.value ? "network_sending" : "choose_file")}<input type="file" accept=".gz,.onnx" class="sr" disabled={busy.value} onChange={(e) => { void upload(e.currentTarget.files?.[0]); e.currentTarget.value = ""; }} /></label>
			{!inTab && <form onSubmit={(e) => {
				e.preventDefault();
				const form = e.currentTarget;
				const [url, sha256] = ["url", "sha256"].map((n) => (form.elements.namedItem(n) as HTMLInputElement).value);
				void ask("network.fetch", { url, sha256 }).then((ok) => ok && form.reset());
			}}>
				<label>{t("network_url")} <input name="url" type="url" required pattern="https://.*" placeholder="https://" autocomplete="off" spellcheck={false} /></label>
				<label>{t("network_sha")} <input name="sha256" required pattern="\s*[0-9a-fA-F]{64}\s*" autocomplete="off" spellcheck={false} title={t("network_sha_hint")} /></label>
				<button class="button quiet"><Icon name="save" /> {t("network_fetch")}</button>
			</form>}
		</section>
	);
}

export function Networks(_: { id: string }) {
	useEffect(() => watch<NetworkList>("networks", (l) => (list.value = l), () => (none.value = true)), []);
	if (none.value) return <main class="empty"><h1>{t("networks")}</h1><p>{t("network_no_folder")}</p></main>;
	const l = list.value;
	if (!l) return <main class="empty" aria-busy="true" />;
	const all = l.networks.filter((n) => !isDeleted("net:" + n.name));
	const jobs = l.jobs.filter((j) => !isDeleted("job:" + j.name));
	return (
		<main class="settings networks">
			<h1>{t("networks")}</h1>
			<p class="dim">{t("networks_text")}</p>
			<ul class="network-list">
				{all.map((n) => (
					<li key={n.name} class={"card" + (n.inUse ? " on" : "")}>
						<span><strong>{networkName(n.name)}</strong><span class="dim">{[n.bytes ? mb(n.bytes) : "", speed(n)].filter(Boolean).join(" · ")}</span></span>
						{n.inUse ? <span class="chip on"><Icon name="check" size={14} /> {t("network_now")}</span> : <button class="button small" disabled={!!using.value} onClick={() => void use(n.name)}>{t(using.value === n.name ? "network_loading" : "network_use")}</button>}
						{n.removable && !n.inUse && <button class="plain icon-only" aria-label={t("remove", { name: n.name })} onClick={() => remove("net:" + n.name, t("network_removed", { name: n.name }), () => send("network.remove", { name: n.name }, true))}><Icon name="bin" size={18} /></button>}
					</li>
				))}
			</ul>
			{jobs.some((j) => !j.latest) && <ul class="network-list">{jobs.filter((j) => !j.latest).map((j) => <Job key={j.name} j={j} />)}</ul>}
			<Latest jobs={jobs.filter((j) => j.latest)} />
			<Add />
			{!inTab && <p class="dim">{t("network_folder", { folder: l.folder })}</p>}
		</main>
	);
}
