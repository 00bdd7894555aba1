import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { FileButton, UnreadFiles } from "../controls";
import type { Docs, GameCard, Games, ID } from "../gen/api";
import { language, t } from "../i18n";
import { Icon } from "../icons";
import { toast } from "../live";
import { inWords, send, watch } from "../net";
import { go } from "../router";
import { touch } from "../settings";
import { isDeleted, remove } from "../undo";
import { analyseGame } from "./game";
import { Mini } from "./Mini";
import { opponent } from "./newgame";

const list = signal<Docs>({ docs: [] });
const games = signal<GameCard[]>([]);
const MOST = 6; // of the newest games

async function fresh(size: number): Promise<void> {
	try {
		const { id } = await send<ID>("doc.new", { size: [size, size] }, true);
		go("/analyse/" + id);
	} catch (e) {
		toast(inWords(e), { bad: true });
	}
}

// Documents lists what was opened, and opens more.
export function Documents() {
	useEffect(() => watch<Docs>("docs", (d) => (list.value = d)), []);
	useEffect(() => watch<Games>("games", (g) => (games.value = g.games.filter((c) => c.move > 0))), []);
	const newest = games.value.filter((g) => !isDeleted("game:" + g.game)).slice(0, MOST);
	const docs = list.value.docs.filter((d) => !isDeleted("doc:" + d.doc));
	return (
		<main class="boards">
			<section class="card">
				<h1>{t("analyse")}</h1>
				<p class="dim">{t(touch() ? "analyse_empty_touch" : "analyse_empty")}</p>
				<div class="row">
					{[9, 13, 19].map((n) => <button key={n} class="button" onClick={() => void fresh(n)}>{n}×{n}</button>)}
					<FileButton text={t("choose_file")} />
				</div>
			</section>
			{docs.length > 0 && (
				<section class="card" aria-labelledby="docs">
					<h2 id="docs">{t("docs_title")}</h2>
					<ul class="doc-list">
						{docs.map((d) => (
							<li key={d.doc}>
								<a href={"/analyse/" + d.doc}><strong>{d.title || t("untitled")}</strong> <span class="dim">{d.size.join("×")} · {t("moves_n", { n: d.moves })} · {new Date(d.changed * 1000).toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" })}</span></a>
								<button class="plain icon-only" aria-label={t("delete")} onClick={() => remove("doc:" + d.doc, t("doc_deleted", { name: d.title || t("untitled") }), () => send("doc.delete", { id: d.doc }, true))}><Icon name="bin" size={16} /></button>
							</li>
						))}
					</ul>
				</section>
			)}
			{newest.length > 0 && (
				<section class="card" aria-labelledby="docs-games">
					<h2 id="docs-games">{t("you_games")}</h2>
					<ul class="game-cards">
						{newest.map((g) => {
							const [w, h] = g.size;
							return (
								<li key={g.game}>
									<button type="button" class="plain" onClick={() => void analyseGame(g.game)}>
										<Mini w={w} h={h} stones={g.stones} size={56} />
										<span>{t("against", { who: opponent(g.seat) })}<br /><span class="dim">{w}×{h} · {t("moves_n", { n: g.move })}</span></span>
									</button>
								</li>
							);
						})}
					</ul>
				</section>
			)}
			<UnreadFiles files={list.value.unread} />
		</main>
	);
}
