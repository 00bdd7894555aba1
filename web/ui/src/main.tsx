import { signal, type Signal } from "@preact/signals";
import { options, render, type FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { dropped, networks, openFiles, openText } from "./files";
import type { Engine, GameCard, Games } from "./gen/api";
import type { Key } from "./gen/keys";
import { language, networkName, num, setLanguage, t, told, unsavedText } from "./i18n";
import { Icon, type IconName } from "./icons";
import { helpOpen, moreOpen, perform, rulesOpen, typing } from "./keys";
import { wanted } from "./languages";
import { Live, say, toast } from "./live";
import { connect, giveToken, lostSince, send, status, unsaved, updated, watch, welcome } from "./net";
import { follow, go, route, screens, written } from "./router";
import { ended, endedSeen, inTab, later, missing, newer, reload, starting, takePlace, unkept } from "./server";
import { remember, settings } from "./settings";
import { clockText, game, now } from "./views/game";
import { Home, opponent } from "./views/Home";

type Lazy = { [id: string]: FunctionComponent<{ id: string }> };
const loaded = signal<Lazy>({});
const loaders: Record<string, () => Promise<FunctionComponent<{ id: string }>>> = {
	play: async () => (await import("./views/Play")).PlayView,
	new: async () => (await import("./views/GameForm")).GameForm,
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

for (const name of Object.keys(loaders)) screens.add(name);

networks.add = (files) => {
	go("/networks");
	later(import("./views/Networks"), async (m) => { for (const f of files) await m.upload(f); });
};

const take = (name: string) => (c: FunctionComponent<{ id: string }>) => void (loaded.value = { ...loaded.value, [name]: c });

function Later({ name, id }: { name: string; id: string }) {
	useEffect(() => {
		if (!loaded.value[name]) later(loaders[name](), take(name));
	}, [name]);
	const View = loaded.value[name];
	return View ? <View id={id} /> : missing.value ? <Stopped why={t("part_missing")} /> : <main aria-busy="true" class="empty" />;
}

const engine = signal<Engine | null>(null);
const dragging = signal(false);

interface Place { path: string; icon: IconName; text: Key; tab?: boolean; apart?: boolean }

// The screens in the rail. On a phone those with tab are at the thumb, the others behind More.
const PLACES: Place[] = [
	{ path: "/", icon: "home", text: "home", tab: true },
	{ path: "/learn", icon: "learn", text: "learn", tab: true },
	{ path: "/problems", icon: "drills", text: "problems", tab: true },
	{ path: "/review", icon: "review", text: "review", tab: true },
	{ path: "/analyse", icon: "analyse", text: "analyse" },
	{ path: "/you", icon: "user", text: "profile", apart: true },
	{ path: "/settings", icon: "settings", text: "settings", apart: true },
];

// Screens that belong to others.
const WITHIN: Record<string, string> = { "/drills": "/problems", "/networks": "/settings", "/training": "/settings" };

function here(path: string): boolean {
	if (path === "/") return route.value === "/" || route.value.startsWith("/play") || route.value === "/new";
	return route.value === path || route.value.startsWith(path + "/") || WITHIN["/" + route.value.split("/")[1]] === path;
}

// The places that this program has.
function places(): Place[] {
	return PLACES.filter((p) => p.path === "/" || screens.has(p.path.slice(1)));
}

const PlaceLink = ({ p, onClick }: { p: Place; onClick?: () => void }) => (
	<a href={p.path} class={(here(p.path) ? "on" : "") + (p.tab ? " tab" : "")} aria-current={here(p.path) ? "page" : undefined} onClick={onClick}>
		<Icon name={p.icon} size={22} />
		<span>{t(p.text)}</span>
	</a>
);

function Rail() {
	const all = places();
	return (
		<nav class="rail" aria-label={t("sections")}>
			{all.filter((p) => !p.apart).map((p) => <PlaceLink key={p.path} p={p} />)}
			<span class="gap" />
			{all.filter((p) => p.apart).map((p) => <PlaceLink key={p.path} p={p} />)}
			<button type="button" onClick={() => (helpOpen.value = true)}><Icon name="help" size={22} /><span>{t("keys")}</span></button>
			<button type="button" class="tab only-tab" aria-expanded={moreOpen.value} onClick={() => (moreOpen.value = true)}><Icon name="menu" size={22} /><span>{t("more")}</span></button>
		</nav>
	);
}

// On a phone: the screens that have no place at the thumb.
function MorePlaces() {
	const shut = () => (moreOpen.value = false);
	return (
		<Dialog open={moreOpen.value} onClose={shut} label={t("more")}>
			<nav class="more-sheet" aria-label={t("more")}>
				{places().filter((p) => route.value === "/" || !p.tab).map((p) => <PlaceLink key={p.path} p={p} onClick={shut} />)}
				<button type="button" onClick={() => { shut(); rulesOpen.value = true; }}><Icon name="learn" size={22} /><span>{t("rules_of_go")}</span></button>
				<button type="button" onClick={() => { shut(); helpOpen.value = true; }}><Icon name="help" size={22} /><span>{t("keys")}</span></button>
				<form method="dialog"><button class="button quiet">{t("close")}</button></form>
			</nav>
		</Dialog>
	);
}

const left = signal<{ cards: GameCard[]; at: number }>({ cards: [], at: 0 }); // games, watched from every screen but that of a game
const backup = remember<{ at: number; restored?: boolean }>("kosumi.backup", { at: 0 });
const offered = signal(inTab && !backup.get().at);

// The clock of a game that was left: while it runs, and, of the last game, once it has stopped.
function LeftClock() {
	const { cards, at } = left.value;
	const c = cards.find((g) => g.clock?.running) ?? cards.find((g) => g.clock && g.game === game.value?.game);
	const running = !!c?.clock?.running;
	useEffect(() => {
		if (!running) return;
		const tick = setInterval(() => (now.value = performance.now()), 250);
		return () => clearInterval(tick);
	}, [running]);
	if (!c?.clock || !c.timing) return null;
	const time = clockText(c.clock, { clock: c.timing }, at);
	return <div class={"strip-top left-clock" + (time.low ? " bad" : " warn")}><Icon name={running ? "warn" : "pause"} /> <span>{t(running ? "left_clock" : "left_stopped", { who: opponent(c.seat), time: time.text })}</span> <a class="button quiet small" href={"/play/" + c.game}>{t("back_to_game")}</a></div>;
}

// After so many games, a player who has them in this browser alone is asked once.
const OFFERED_AFTER = 3;
function OfferBackup() {
	if (!offered.value || left.value.cards.filter((g) => g.phase === "over").length < OFFERED_AFTER) return null;
	const done = (save: boolean) => { offered.value = false; later(import("./backup"), (b) => (save ? void b.save() : b.kept.put({ at: Date.now() }))); };
	return <div class="strip-top">{t("backup_offer")} <button class="button small" onClick={() => done(true)}>{t("backup_save")}</button> <button class="button quiet small" onClick={() => done(false)}>{t("not_now")}</button></div>;
}

function Strips() {
	const e = engine.value ?? welcome.value?.engine;
	const begins = starting();
	const failed = welcome.value && begins?.t === "failed" ? begins.why : "";
	const place = route.value.split("/")[1];
	const stopped = failed ? t("tab_failed", { why: failed }) : missing.value && (!loaders[place] || loaded.value[place]) ? t("part_missing") : "";
	const away = !stopped && status.value === "lost" && lostSince.value > 0;
	const waits = unsaved.value ?? (route.value.startsWith("/play/") ? game.value?.unsaved : undefined);
	useEffect(() => { if (waits) say(unsavedText(waits), true); }, [!!waits]);
	return (
		<>
			{away && <Away />}
			{!route.value.startsWith("/play/") && <><LeftClock /><OfferBackup /></>}
			{waits && <div class="strip-top bad unsaved"><Icon name="warn" /> {unsavedText(waits)}</div>}
			{(updated.value || newer()) && <div class="strip-top">{t("updated")} <button class="button quiet small" onClick={reload}>{t("reload")}</button></div>}
			{stopped && <div class="strip-top bad"><Icon name="warn" /> {stopped} <button class="button quiet small" onClick={() => location.reload()}>{t("reload")}</button></div>}
			{welcome.value && unkept() && <div class="strip-top warn"><Icon name="warn" /> {t("tab_forgetful")} <button class="button quiet small" onClick={() => location.reload()}>{t("reload")}</button></div>}
			{welcome.value && ended() && <div class="strip-top warn"><Icon name="warn" /> {t(ended()![0] < ended()![1] ? "tab_ended_fewer" : "tab_ended", { n: ended()![0], of: ended()![1] })} <button class="button quiet small" onClick={endedSeen}>{t("close")}</button></div>}
			{status.value === "open" && e?.state === "loading" && <div class="strip-top">{t("loading_network", { name: networkName(e.name) })}</div>}
			{status.value === "open" && e?.state === "failed" && <div class="strip-top bad"><Icon name="warn" /> {t("network_failed", { name: e.name, why: e.say ? told(e.say) : (e.error ?? "") })}
				<button class="button quiet" onClick={() => void send("network.use", { name: welcome.value?.networks.find((n) => n.builtIn)?.name ?? "" })}>{t("use_built_in")}</button></div>}
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
	const told = useRef(false); // its close event comes later, and must not end a dialog opened meanwhile
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

// The text of a dialog is loaded when it is opened.
function Read({ open, label, load }: { open: Signal<boolean>; label: Key; load: () => Promise<FunctionComponent> }) {
	const [view, setView] = useState<FunctionComponent | null>(null);
	useEffect(() => { if (open.value && !view) later(load(), (v) => setView(() => v)); }, [open.value]);
	const View = view;
	return <Dialog open={open.value && !!View} onClose={() => (open.value = false)} label={t(label)}>{View && <View />}</Dialog>;
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

const Stopped = ({ why }: { why: string }) => (
	<main class="empty"><h1>Kosumi</h1><p role="alert">{why}</p><button class="button primary" onClick={() => location.reload()}>{t("reload")}</button></main>
);

// The page before the server answers.
function Starting() {
	const s = starting();
	if (s?.t === "taken") return <main class="empty"><h1>Kosumi</h1><p role="status">{t("tab_taken")}</p><button class="button primary" onClick={takePlace}>{t("tab_here")}</button></main>;
	if (s?.t === "failed") return <Stopped why={t("tab_failed", { why: s.why })} />;
	if (s?.t !== "loading") return <main class="empty" aria-busy="true" />;
	const mb = (n: number) => num(n / 1e6, 1);
	return (
		<main class="empty" aria-busy="true">
			<h1>Kosumi</h1>
			<progress max={s.total} value={s.done} aria-label={t("progress")} />
			<p class="dim">{s.done < s.total ? t("tab_loading", { done: mb(s.done), of: mb(s.total) }) : t("tab_starting")}</p>
		</main>
	);
}

function View() {
	const [, place, id = ""] = route.value.split("/");
	if (status.value === "denied") return <Denied />;
	if (!welcome.value) return <Starting />;
	if (loaders[place] && (id || place !== "play")) return <Later name={place} id={id} />;
	return <Home />;
}

function App() {
	useEffect(() => watch<Engine>("engine", (e) => (engine.value = e)), []);
	useEffect(() => { // the page was loaded anew for a backup
		if (!welcome.value || !backup.get().restored) return;
		backup.put({ at: backup.get().at });
		toast(t("restored"));
	}, [!!welcome.value]);
	const playing = route.value.startsWith("/play/");
	useEffect(() => (playing ? undefined : watch<Games>("games", (g) => (left.value = { cards: g.games, at: performance.now() }))), [playing]);
	useEffect(() => {
		const id = wanted(settings.value.language);
		void setLanguage(id).then(() => { if (id === wanted(settings.peek().language) && id !== language.peek()) missing.value = true; });
	}, [settings.value.language]);
	const [, place, id] = route.value.split("/");
	const screen = place && (PLACES.find((p) => p.path === (WITHIN["/" + place] ?? "/" + place))?.text as Key);
	useEffect(() => { if (place !== "play") document.title = (screen ? t(screen) + " · " : "") + "Kosumi"; }, [place, screen, language.value]);
	return (
		<div class={"app" + (place === "play" && id ? " in-game" : "") + (route.value === "/" ? " at-home" : "")} onClick={follow}>
			<a class="skip" href="#view">{t("skip")}</a>
			<Rail />
			<div class="view" id="view" tabIndex={-1}>
				<Strips />
				<View />
			</div>
			{dragging.value && <div class="drop-target">{t("drop_here")}</div>}
			<Read open={helpOpen} label="keys" load={async () => (await import("./views/Help")).Help} />
			<Read open={rulesOpen} label="rules_of_go" load={async () => (await import("./views/Rules")).Rules} />
			<MorePlaces />
			<Typing />
			<Live />
		</div>
	);
}

if (inTab) {
	// Links lead to the page's one address, also if they are copied or opened in another tab.
	const before = options.vnode;
	options.vnode = (v) => {
		const p = v.props as { href?: unknown };
		if (v.type === "a" && typeof p.href === "string" && p.href.startsWith("/")) p.href = written(p.href);
		before?.(v);
	};
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

await setLanguage(wanted(settings.value.language));
connect();
const app = document.getElementById("app")!;
app.replaceChildren();
render(<App />, app);
void loaders.play().then(take("play"), () => undefined); // a game opens without a wait, also when the connection is gone by then
