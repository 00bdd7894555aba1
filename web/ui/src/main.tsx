import { signal } from "@preact/signals";
import { render, type FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { dropped, openFiles, openText } from "./files";
import type { Engine } from "./gen/api";
import { language, preferred, setLanguage, t, unsavedText } from "./i18n";
import { Icon, type IconName } from "./icons";
import { helpOpen, perform, rulesOpen, typing } from "./keys";
import { Live, say, toast } from "./live";
import { connect, giveToken, lostSince, send, status, unsaved, updated, watch, welcome } from "./net";
import { follow, route } from "./router";
import { settings } from "./settings";
import { game } from "./views/game";
import { Home } from "./views/Home";
import { PlayView } from "./views/Play";

type Lazy = { [id: string]: FunctionComponent<{ id: string }> };
const loaded = signal<Lazy>({});
const loaders: Record<string, () => Promise<FunctionComponent<{ id: string }>>> = {
	analyse: async () => (await import("./views/Analyse")).Analyse,
	review: async () => (await import("./views/Review")).Review,
	drills: async () => (await import("./views/Drills")).Drills,
	training: async () => (await import("./views/Training")).Training,
	settings: async () => (await import("./views/Settings")).Settings,
	learn: async () => (await import("./views/Learn")).Learn,
	problems: async () => (await import("./views/Problems")).Problems,
	you: async () => (await import("./views/You")).You,
	networks: async () => (await import("./views/Networks")).Networks,
};

function Later({ name, id }: { name: string; id: string }) {
	useEffect(() => {
		if (!loaded.value[name]) void loaders[name]().then((c) => (loaded.value = { ...loaded.value, [name]: c }));
	}, [name]);
	const View = loaded.value[name];
	return View ? <View id={id} /> : <main aria-busy="true" class="empty" />;
}

const engine = signal<Engine | null>(null);
const dragging = signal(false);

const PLACES: { path: string; icon: IconName; key: "play" | "analyse" | "review" | "drills" | "training" }[] = [
	{ path: "/", icon: "play", key: "play" },
	{ path: "/analyse", icon: "analyse", key: "analyse" },
	{ path: "/review", icon: "review", key: "review" },
	{ path: "/drills", icon: "drills", key: "drills" },
	{ path: "/training", icon: "training", key: "training" },
];

function here(path: string): boolean {
	if (path === "/") return route.value === "/" || route.value.startsWith("/play");
	return route.value.startsWith(path);
}

function Rail() {
	const e = engine.value ?? welcome.value?.engine;
	const state = status.value !== "open" ? "lost" : e?.state === "failed" ? "bad" : e?.state === "loading" ? "busy" : "idle";
	const said = status.value !== "open" ? t("connection_lost") : e ? [e.name, e.provider, e.precision].filter(Boolean).join(" · ") : "";
	return (
		<nav class="rail" aria-label={t("sections")}>
			{PLACES.filter((p) => p.key !== "training" || welcome.value?.features?.includes("training")).map((p) => (
				<a key={p.path} href={p.path} class={here(p.path) ? "on" : ""} aria-current={here(p.path) ? "page" : undefined}>
					<Icon name={p.icon} size={22} />
					<span>{t(p.key)}</span>
				</a>
			))}
			<span class="gap" />
			<span class={"state " + state} role="img" aria-label={said} title={said} />
			<a href="/settings" class={here("/settings") ? "on" : ""}><Icon name="settings" size={22} /><span>{t("settings")}</span></a>
			<button type="button" onClick={() => (helpOpen.value = true)}><Icon name="help" size={22} /><span>{t("keys")}</span></button>
		</nav>
	);
}

function Strips() {
	const e = engine.value ?? welcome.value?.engine;
	const away = status.value === "lost" && lostSince.value > 0;
	const waits = unsaved.value ?? (route.value.startsWith("/play/") ? game.value?.unsaved : undefined);
	useEffect(() => { if (waits) say(unsavedText(waits), true); }, [!!waits]);
	return (
		<>
			{away && <Away />}
			{waits && <div class="strip-top bad unsaved"><Icon name="warn" /> {unsavedText(waits)}</div>}
			{updated.value && <div class="strip-top">{t("updated")} <button class="button quiet small" onClick={() => location.reload()}>{t("reload")}</button></div>}
			{status.value === "open" && e?.state === "loading" && <div class="strip-top">{t("loading_network", { name: e.name })}</div>}
			{status.value === "open" && e?.state === "failed" && <div class="strip-top bad"><Icon name="warn" /> {t("network_failed", { name: e.name, why: e.error ?? "" })}
				<button class="button quiet" onClick={() => void send("network.use", { name: welcome.value?.networks.find((n) => n.weak)?.name ?? "" })}>{t("use_built_in")}</button></div>}
			{status.value === "open" && e?.slow && <div class="strip-top warn"><Icon name="warn" /> {t("slow_engine")}</div>}
		</>
	);
}

const awayFor = signal(0);
function Away() {
	useEffect(() => {
		const look = () => (awayFor.value = Date.now() - lostSince.value);
		look();
		const tick = setInterval(look, 500);
		return () => { clearInterval(tick); if (status.value === "open") say(t("back_again")); };
	}, []);
	if (awayFor.value < 1000) return null;
	return <div class="strip-top warn"><Icon name="warn" /> {t(awayFor.value > 20000 ? "still_running" : "reconnecting")}</div>;
}

function Denied() {
	const field = useRef<HTMLInputElement>(null);
	return (
		<main class="denied card">
			<h1>{t("denied_title")}</h1>
			<p>{t("denied_text")}</p>
			<form onSubmit={(e) => { e.preventDefault(); if (field.current?.value) giveToken(field.current.value); }}>
				<label>{t("denied_key")} <input ref={field} type="text" autocomplete="off" spellcheck={false} /></label>
				<button class="button primary">{t("denied_open")}</button>
			</form>
		</main>
	);
}

function Dialog({ open, onClose, label, children }: { open: boolean; onClose: () => void; label: string; children: preact.ComponentChildren }) {
	const ref = useRef<HTMLDialogElement>(null);
	const told = useRef(false); // the close event comes later: it must not end what was opened meanwhile
	useEffect(() => {
		if (open && !ref.current?.open) ref.current?.showModal();
		if (!open && ref.current?.open) {
			told.current = true;
			ref.current.close();
		}
	}, [open]);
	return (
		<dialog ref={ref} aria-label={label} onClose={() => (told.current ? (told.current = false) : onClose())} onClick={(e) => e.target === ref.current && ref.current?.close()}>
			{open && children}
		</dialog>
	);
}

const KEYS: [string, Parameters<typeof t>[0]][] = [
	["← →, j k", "key_walk"], ["PgUp PgDn", "key_ten"], ["Home End", "key_ends"], ["↑ ↓", "key_branch"], ["space", "key_analysis"], ["shift+space", "key_goon"], ["1 2 3 4 5", "key_overlays"],
	[",", "key_best"], ["p u h v", "key_game"], ["n, shift+N", "key_mistake"], ["e", "key_setup"], ["m", "key_numbers"], ["f", "key_flip"], ["c", "key_speak"], ["/", "key_type"], ["ctrl+V", "key_paste"], ["ctrl+S", "key_save"],
	["g r o l", "key_grid"], ["?", "key_help"],
];

function Help() {
	return (
		<Dialog open={helpOpen.value} onClose={() => (helpOpen.value = false)} label={t("keys")}>
			<div class="dialog-body">
				<h2>{t("keys")}</h2>
				<table class="keys"><tbody>{KEYS.map(([k, text]) => <tr key={k}><th scope="row"><kbd>{k}</kbd></th><td>{t(text)}</td></tr>)}</tbody></table>
				<div class="row">
					<form method="dialog"><button class="button primary">{t("close")}</button></form>
					<button type="button" class="button quiet" onClick={() => { helpOpen.value = false; rulesOpen.value = true; }}><Icon name="learn" /> {t("rules_of_go")}</button>
				</div>
			</div>
		</Dialog>
	);
}

const rules = signal<FunctionComponent | null>(null);
function RulesOfGo() {
	useEffect(() => { if (rulesOpen.value && !rules.value) void import("./views/Rules").then((m) => (rules.value = m.Rules)); }, [rulesOpen.value]);
	const View = rules.value;
	return <Dialog open={rulesOpen.value && !!View} onClose={() => (rulesOpen.value = false)} label={t("rules_of_go")}>{View && <View />}</Dialog>;
}

function Typing() {
	const field = useRef<HTMLInputElement>(null);
	return (
		<Dialog open={typing.value} onClose={() => (typing.value = false)} label={t("type_move")}>
			<form class="dialog-body" onSubmit={(e) => {
				e.preventDefault();
				const text = field.current?.value ?? "";
				if (text === "help") say(t("type_help"));
				else if (!perform(text)) { toast(t("type_unknown", { text }), { bad: true, ms: 4000 }); return; }
				typing.value = false;
			}}>
				<label>{t("type_move")} <input ref={field} autofocus autocomplete="off" spellcheck={false} placeholder="d4" /></label>
				<p class="dim">{t("type_help")}</p>
			</form>
		</Dialog>
	);
}

function View() {
	const [, place, id = ""] = route.value.split("/");
	if (status.value === "denied") return <Denied />;
	if (!welcome.value) return <main class="empty" aria-busy="true" />;
	if (place === "play" && id) return <PlayView id={id} />;
	if (loaders[place]) return <Later name={place} id={id} />;
	return <Home />;
}

function App() {
	useEffect(() => watch<Engine>("engine", (e) => (engine.value = e)), []);
	useEffect(() => {
		void setLanguage(settings.value.language || preferred());
	}, [settings.value.language]);
	const [, place, id] = route.value.split("/");
	const screen = PLACES.find((p) => p.key === place)?.key ?? (["settings", "learn", "problems", "you", "networks"] as const).find((k) => k === place);
	useEffect(() => { if (place !== "play") document.title = (screen ? t(screen === "you" ? "you_title" : screen) + " · " : "") + "Kosumi"; }, [place, screen, language.value]);
	return (
		<div class={"app" + (place === "play" && id ? " in-game" : "")} onClick={follow}>
			<a class="skip" href="#view">{t("skip")}</a>
			<Rail />
			<div class="view" id="view" tabIndex={-1}>
				<Strips />
				<View />
			</div>
			{dragging.value && <div class="drop-target">{t("drop_here")}</div>}
			<Help />
			<RulesOfGo />
			<Typing />
			<Live />
		</div>
	);
}

document.addEventListener("dragover", (e) => {
	if (!e.dataTransfer?.types.includes("Files")) return;
	e.preventDefault();
	dragging.value = true;
});
document.addEventListener("dragleave", (e) => {
	if (!e.relatedTarget) dragging.value = false;
});
document.addEventListener("drop", (e) => {
	dragging.value = false;
	if (!e.dataTransfer?.types.includes("Files")) return;
	e.preventDefault();
	void dropped(e.dataTransfer).then((files) => openFiles(files), (why) => toast(t("file_refused", { name: t("pasted"), why: String(why) }), { bad: true }));
});
document.addEventListener("paste", (e) => {
	if ((e.target as Element).closest?.("input,textarea")) return;
	const text = e.clipboardData?.getData("text");
	if (text) void openText(text);
});

await setLanguage(settings.value.language || preferred());
connect();
render(<App />, document.getElementById("app")!);
