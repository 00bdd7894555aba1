import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { openFiles } from "./files";
import type { Unread } from "./gen/api";
import { t, told } from "./i18n";
import { Icon, type IconName } from "./icons";

/** One choice out of a few, as a row of buttons. */
export function Choice<T extends string | number>(q: { label: string; value: T; options: [T, string][]; onChange: (v: T) => void; wide?: boolean }) {
	return (
		<div class={"choice" + (q.wide ? " wide" : "")} role="radiogroup" aria-label={q.label}>
			{q.options.map(([v, text]) => (
				<button key={v} type="button" role="radio" aria-checked={v === q.value} class={v === q.value ? "on" : ""} tabIndex={v === q.value ? 0 : -1}
					onClick={() => q.onChange(v)}
					onKeyDown={(e) => {
						const step = e.key === "ArrowRight" || e.key === "ArrowDown" ? 1 : e.key === "ArrowLeft" || e.key === "ArrowUp" ? -1 : 0;
						if (!step) return;
						e.preventDefault();
						const i = q.options.findIndex(([o]) => o === q.value);
						const next = (i + step + q.options.length) % q.options.length;
						q.onChange(q.options[next][0]);
						(e.currentTarget.parentElement?.children[next] as HTMLElement | undefined)?.focus();
					}}>
					{text}
				</button>
			))}
		</div>
	);
}

/** A button that opens files: records unless it says which. to is the place for them, "" for what they are. */
export const FileButton = ({ text, kind = "quiet", accept = ".sgf,.html,application/x-go-sgf", to }: { text: string; kind?: "primary" | "quiet" | "plain"; accept?: string; to?: "review" }) => (
	<label class={kind === "plain" ? "plain file" : "button " + kind}>{kind !== "plain" && <Icon name="open" />} {text}<input type="file" accept={accept} multiple class="sr" onChange={(e) => { void openFiles(e.currentTarget.files, to); e.currentTarget.value = ""; }} /></label>
);

/** Why a game in a list does not count for the rank. */
export const Uncounted = ({ why }: { why?: string }) => (why && why !== "yes" ? <span class="uncounted">{t(`uncounted_${why}` as "uncounted_hint")}</span> : null);

export function Field({ label, hint, children }: { label: string; hint?: ComponentChildren; children: ComponentChildren }) {
	return (
		<div class="field">
			<div class="field-label">{label}</div>
			<div class="field-body">
				{children}
				{hint && <div class="hint">{hint}</div>}
			</div>
		</div>
	);
}

/** A button with an icon and its words; on is for switches, why says why it is disabled. */
export function Tool(q: { icon: IconName; text: string; onClick: () => void; on?: boolean; disabled?: boolean; why?: string; keys?: string; title?: string; primary?: boolean; quiet?: boolean }) {
	return (
		<button type="button" class={"tool" + (q.on ? " on" : "") + (q.primary ? " primary" : "") + (q.quiet ? " quiet" : "")} disabled={q.disabled} aria-pressed={q.on} title={q.disabled && q.why ? q.why : (q.title ?? q.text) + (q.keys ? ` (${q.keys})` : "")} aria-label={q.title} onClick={q.onClick}>
			<Icon name={q.icon} />
			<span>{q.text}</span>
		</button>
	);
}

export function Switch({ label, value, onChange }: { label: string; value: boolean; onChange: (v: boolean) => void }) {
	return (
		<button type="button" role="switch" aria-checked={value} class={"switch" + (value ? " on" : "")} onClick={() => onChange(!value)}>
			<span class="knob" /> <span>{label}</span>
		</button>
	);
}

/**
 * A number that is typed; a whole one unless step says otherwise. It counts when it is complete: at Enter, when the
 * field is left, and with each press of its arrows. An empty field gives undefined.
 */
export function NumberField(q: { label?: string; value: number | string; min?: number; max?: number; step?: number; placeholder?: string; onNumber: (n: number | undefined) => void }) {
	const [typed, setTyped] = useState<string>(); // the text until the number is complete: "0." is no number yet
	const done = (text: string) => {
		setTyped(undefined);
		const n = q.step ? Number(text) : Math.round(Number(text));
		q.onNumber(text === "" ? undefined : Math.min(q.max ?? n, Math.max(q.min ?? n, n)));
	};
	return (
		<input type="number" class="short" min={q.min} max={q.max} step={q.step} value={typed ?? q.value} placeholder={q.placeholder} aria-label={q.label}
			onInput={(e) => setTyped(e.currentTarget.value)} onChangeCapture={(e) => done(e.currentTarget.value) /* preact/compat makes onInput of onChange */} />
	);
}

/** Which move is looked at, of how many; another number takes the reader there. */
export function Where({ n, of, onNumber }: { n: number; of: number; onNumber: (n: number) => void }) {
	const [before, after] = t("move_of", { n: "\n", of }).split("\n");
	return <label class="where" style={{ "--digits": String(of).length }}>{before}<NumberField value={n} min={0} max={of} onNumber={(k) => k !== undefined && onNumber(k)} />{after}</label>;
}

/** Files that belong on a list and cannot be read. */
export function UnreadFiles({ files }: { files?: Unread[] }) {
	if (!files?.length) return null;
	return <ul class="list unread">{files.map((f) => <li key={f.file} class="note warn"><Icon name="warn" size={16} /> {t("file_unread", { name: f.file, why: f.say ? told(f.say) : f.why })}</li>)}</ul>;
}
