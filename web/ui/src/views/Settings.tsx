import { useEffect } from "preact/hooks";
import { save } from "../backup";
import { Board } from "../board/Board";
import { Choice, Field, FileButton, Switch } from "../controls";
import type { ReviewProgress, Reviews } from "../gen/api";
import { networkName, t } from "../i18n";
import { Icon } from "../icons";
import { LANGUAGES } from "../languages";
import { textOf, watch, welcome } from "../net";
import { inTab } from "../server";
import { set, settings } from "../settings";
import { signal } from "@preact/signals";
import { TeachChoice } from "./Teach";

const licences = signal("");
const reviewsFolder = signal("");
const PREVIEW = "........." + ".wb..w..." + "..wbb.w.." + "...w.b..."; // a corner of a game, to see what is chosen

export function Settings(_: { id: string }) {
	const s = settings.value;
	const w = welcome.value;
	useEffect(() => watch<Reviews | ReviewProgress>("reviews", (r) => { if ("folder" in r) reviewsFolder.value = r.folder; }), []);
	return (
		<main class="settings">
			<h1>{t("settings")}</h1>
			<section class="card" aria-labelledby="s-board">
				<h2 id="s-board">{t("size")}</h2>
				<div class="board-preview" inert><Board w={9} h={4} stones={PREVIEW} last={22} coordinates={s.coordinates} label={t("set_wood")} /></div>
				<Field label={t("set_wood")}><Choice label={t("set_wood")} value={s.wood} options={[["wood", t("wood_wood")], ["slate", t("wood_slate")], ["paper", t("wood_paper")]]} onChange={(v) => set("wood", v)} /></Field>
				<Field label={t("coordinates")}><Choice label={t("coordinates")} value={s.coordinates} options={[["a1", "A1"], ["11", "1-1"], ["kanji", "4 四"], ["none", t("none")]]} onChange={(v) => set("coordinates", v)} /></Field>
				<Field label={t("set_confirm")} hint={s.confirm === "size" && <span class="dim">{t("confirm_hint")}</span>}><Choice label={t("set_confirm")} value={s.confirm} options={[["size", t("confirm_size")], ["always", t("always")], ["never", t("never")]]} onChange={(v) => set("confirm", v)} /></Field>
				<div class="stack">
					<Switch label={t("set_numbers")} value={s.numbers} onChange={(v) => set("numbers", v)} />
					<TeachChoice />
					<Switch label={t("set_after")} value={s.after} onChange={(v) => set("after", v)} />
				</div>
				<div class="row">
					<Switch label={t("sound")} value={s.sound} onChange={(v) => set("sound", v)} />
					<input type="range" min="0" max="100" value={s.volume} aria-label={t("volume")} onInput={(e) => set("volume", Number(e.currentTarget.value))} />
				</div>
			</section>
			<section class="card" aria-labelledby="s-look">
				<h2 id="s-look">{t("set_look")}</h2>
				<Field label={t("set_theme")}><Choice label={t("set_theme")} value={s.theme} options={[["system", t("theme_system")], ["light", t("theme_light")], ["dark", t("theme_dark")]]} onChange={(v) => set("theme", v)} /></Field>
				<Field label={t("set_text")}><Choice label={t("set_text")} value={s.text} options={[[90, "90 %"], [100, "100 %"], [115, "115 %"], [135, "135 %"]]} onChange={(v) => set("text", v)} /></Field>
				<div class="stack">
					<Switch label={t("set_contrast")} value={s.contrast} onChange={(v) => set("contrast", v)} />
					<Switch label={t("set_motion")} value={s.motion === "off"} onChange={(v) => set("motion", v ? "off" : "system")} />
				</div>
			</section>
			<section class="card" aria-labelledby="s-lang">
				<h2 id="s-lang">{t("set_language")}</h2>
				<Field label={t("set_language")}>
					<select value={s.language} aria-label={t("set_language")} onChange={(e) => set("language", e.currentTarget.value)}>
						<option value="">{t("theme_system")}</option>
						{LANGUAGES.map(([id, name]) => <option key={id} value={id} lang={id === "zh" ? "zh-Hans" : id}>{name}</option>)}
					</select>
				</Field>
				<Switch label={t("set_keys")} value={s.keys} onChange={(v) => set("keys", v)} />
			</section>
			<section class="card" aria-labelledby="s-data">
				<h2 id="s-data">{t("backup")}</h2>
				<p>{t("backup_text")}</p>
				<div class="row">
					<button class="button" onClick={() => void save()}><Icon name="save" /> {t("backup_save")}</button>
					<FileButton text={t("backup_load")} accept=".zip" />
				</div>
			</section>
			<section class="card" aria-labelledby="s-engine">
				<h2 id="s-engine">{t("set_engine")}</h2>
				<p class="dim">{t("networks_text")}</p>
				<p class="row">
					{w?.features?.includes("networks") && <a class="button quiet" href="/networks"><Icon name="cpu" /> {t("networks")}</a>}
					{w?.features?.includes("training") && <a class="button quiet" href="/training"><Icon name="training" /> {t("training")}</a>}
				</p>
			</section>
			<section class="card" aria-labelledby="s-about">
				<h2 id="s-about">{t("set_about")}</h2>
				<p>{["Kosumi " + (w?.version ?? ""), networkName(w?.engine.name), w?.engine.provider, w?.engine.precision].filter(Boolean).join(" · ")}</p>
				<p>{inTab ? t("set_tab") : t("set_folder", { folder: w?.folder ?? "" })} {!inTab && reviewsFolder.value && t("reviews_folder", { folder: reviewsFolder.value })}</p>
				<details onToggle={(e) => { if ((e.currentTarget as HTMLDetailsElement).open && !licences.value) void textOf("/assets/licences.txt").then((x) => (licences.value = x)); }}>
					<summary>{t("licences")}</summary>
					<pre class="licences" tabIndex={0}>{licences.value}</pre>
				</details>
			</section>
		</main>
	);
}
