// A teaching game: a word after a move that loses much, before it is answered.
import { useEffect } from "preact/hooks";
import type { GameState } from "../gen/api";
import { t } from "../i18n";
import { Icon } from "../icons";
import { say } from "../live";
import { set, settings, type Settings } from "../settings";
import { command } from "./game";

const STRICT = ["", "gentle", "usual", "strict"] as const;
const TEXTS = { "": "teach_off", gentle: "teach_gentle", usual: "teach_usual", strict: "teach_strict" } as const;

/** The loss of the last move, and the choice to take it back. */
export function Advice({ g }: { g: GameState }) {
	const a = g.advice;
	const text = a ? t("teach_loses", { move: a.m, points: Math.round(a.loss) }) : "";
	useEffect(() => { if (a) say(text + " " + t("teach_take_back"), true); }, [a?.m, g.rev]);
	if (!a) return null;
	return (
		<section class="advice" role="group" aria-label={t("teach")}>
			<p><strong>{text}</strong> {(a.line?.length ?? 0) > 0 && <span class="dim">{t("teach_line", { who: t(g.toMove === "b" ? "black" : "white") })}</span>}</p>
			<div class="row">
				<button class="button primary" onClick={() => void command("game.undo")}><Icon name="undo" /> {t("teach_undo")}</button>
				<button class="button quiet" onClick={() => void command("game.keep")}>{t("teach_keep")}</button>
			</div>
		</section>
	);
}

/** How strict the game is, for this one and the next ones. */
export function TeachChoice({ g, auto }: { g?: GameState; auto?: boolean }) {
	const value = (g ? (g.teach ?? "") : settings.value.teach) as Settings["teach"];
	return (
		<label class={g ? "teach-choice" : "teach-choice field"}>
			<span class="field-label">{t("teach")}</span>
			<select value={value} onChange={(e) => {
				const teach = e.currentTarget.value as Settings["teach"];
				set("teach", teach);
				if (g) void command("game.teach", { teach });
			}}>
				{STRICT.map((s) => <option key={s} value={s}>{t(TEXTS[s])}</option>)}
			</select>
			{(g ? g.counts === "yes" || g.counts === "teach" : value && auto) && <span class="dim">{t("counts_teach")}</span>}
		</label>
	);
}
