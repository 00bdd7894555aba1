import { t } from "../i18n";
import type { Key } from "../gen/keys";
import { Mini } from "./Mini";

// Five positions on 7x7, a text each; ring is the point that the text speaks of.
const STEPS: [Key, string, number][] = [
	["rules_place", ".........b.w...................w.b...............", -1],
	["rules_take", ".........b.....bwb...............................", 23],
	["rules_ko", "................bw....b.bw....bw.................", 23],
	["rules_eyes", ".b.bw..bbbbw..wwwww..............................", -1],
	["rules_score", "..bw.....bw.....bww....bbw....bwww..bbw....bw....", -1],
];

/** The rules of Go, as short as they can be told. */
export function Rules() {
	return (
		<div class="dialog-body rules">
			<h2>{t("rules_of_go")}</h2>
			<ol>
				{STEPS.map(([key, stones, ring]) => (
					<li key={key}>
						<Mini w={7} h={7} stones={stones} ring={ring} size={104} />
						<p>{t(key)}</p>
					</li>
				))}
			</ol>
			<form method="dialog"><button class="button primary">{t("close")}</button></form>
		</div>
	);
}
