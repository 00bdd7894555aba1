import type { Review, ReviewGroup } from "../gen/api";
import { t } from "../i18n";

const VERDICTS = { alive: "life_alive", dead: "life_dead", seki: "life_seki" } as const; // whole keys: the file of a review has only texts whose keys stand in its code

/** Groups whose life a review proved, each by the move since which it is settled; pressed, they lead there. ask asks about one. */
export function Groups({ r, at, go, ask }: { r: Review; at: number; go: (n: number) => void; ask?: (g: ReviewGroup) => void }) {
	const list = r.groups ?? [];
	if (list.length === 0) return null;
	return (
		<section class="life-groups mistakes" aria-label={t("life_groups")}>
			<ol>
				{list.map((g) => (
					<li key={g.stones[0]}>
						<button type="button" class={g.since === at ? "on" : ""} aria-current={g.since === at} title={g.assumed.length ? `${t("life_assumed")} ${g.assumed.join(", ")}` : undefined} onClick={() => go(g.since)}>
							<span class={"dot " + g.c} /> {t("life_group", { stone: g.stones[0], n: g.stones.length })} <strong>{t(VERDICTS[g.verdict as "dead"])}</strong> <span class="dim">{t("life_since", { n: g.since })}</span>
						</button>
						{ask && <button type="button" class="plain ask" onClick={() => ask(g)}>{t("life_title")}</button>}
					</li>
				))}
			</ol>
		</section>
	);
}

/** The stones of groups that are settled at a position. */
export const settledAt = (r: Review, at: number): string[] => (r.groups ?? []).filter((g) => g.since === at).flatMap((g) => g.stones);
