import type { Key } from "../gen/keys";
import { t } from "../i18n";
import { Icon } from "../icons";
import { helpOpen, rulesOpen } from "../keys";

// The most common wishes, and the screens for them.
const GOALS: [name: string, path?: string][] = [
	["rules", "/learn"], ["level", "/new"], ["back"], ["end"], ["mistakes", "/review"], ["practise", "/problems"], ["keep", "/you"], ["analyse", "/analyse"], ["alive"], ["strong", "/networks"],
];

const KEYS: [string, Key][] = [
	["← →, j k", "key_walk"], ["PgUp PgDn", "key_ten"], ["Home End", "key_ends"], ["↑ ↓", "key_branch"], ["space", "key_analysis"], ["shift+space", "key_goon"], ["1 2 3 4 5", "key_overlays"],
	[",", "key_best"], ["p u shift+U h v", "key_game"], ["n, shift+N", "key_mistake"], ["e", "key_setup"], ["m", "key_numbers"], ["f", "key_flip"], ["i", "key_life"], ["c", "key_speak"], ["/", "key_type"], ["ctrl+V", "key_paste"], ["ctrl+S", "key_save"],
	["g r o l", "key_grid"], ["?", "key_help"],
];

/** The most common wishes, and the shortcuts. */
export function Help() {
	const shut = () => (helpOpen.value = false);
	return (
		<div class="dialog-body help">
			<h2>{t("how_title")}</h2>
			<dl>
				{GOALS.map(([name, path]) => (
					<>
						<dt key={name}>{path ? <a href={path} onClick={shut}>{t(`how_${name}` as Key)}</a> : t(`how_${name}` as Key)}</dt>
						<dd>{t(`how_${name}_text` as Key)}</dd>
					</>
				))}
			</dl>
			<div class="row">
				<form method="dialog"><button class="button primary">{t("close")}</button></form>
				<button type="button" class="button quiet" onClick={() => { shut(); rulesOpen.value = true; }}><Icon name="learn" /> {t("rules_of_go")}</button>
			</div>
			<h2>{t("shortcuts")}</h2>
			<table class="keys"><tbody>{KEYS.map(([k, text]) => <tr key={k}><th scope="row"><kbd>{k}</kbd></th><td>{t(text)}</td></tr>)}</tbody></table>
		</div>
	);
}
