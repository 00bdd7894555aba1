// A line that can be stepped through. The board shows it as far as the reader has come.
import { batch, computed, signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { t } from "../i18n";
import { Icon } from "../icons";
import { keysOver } from "../keys";
import { say } from "../live";
import { lineOf, playOut, vertex, type Colour, type Step } from "../rules";

/** The line that a screen shows, or none; shown belongs into the overlay of its board. */
export class Line {
	readonly of = signal(""); // a name for what is shown, "" for nothing
	readonly all = signal<Step[]>([]);
	readonly at = signal(0); // moves that are shown
	readonly shown = computed(() => this.all.value.slice(0, this.at.value));
	stones = "";
	w = 0;
	h = 0;

	/** Shows the first moves of a line from a position: one, or at of them. */
	open(of: string, stones: string, moves: readonly string[], turn: Colour, w: number, h: number, at = 1): void {
		[this.stones, this.w, this.h] = [stones, w, h];
		batch(() => {
			this.of.value = of;
			this.all.value = lineOf(moves, turn, w, h);
			this.at.value = Math.min(at, moves.length);
		});
	}

	close(): void {
		if (this.of.peek()) this.open("", "", [], "b", this.w, this.h);
	}

	go(n: number): void {
		const to = Math.max(0, Math.min(this.all.peek().length, n));
		if (to === this.at.peek()) return;
		this.at.value = to;
		const s = this.all.peek()[to - 1];
		if (!s) return;
		const { taken } = playOut(this.stones, this.shown.peek(), this.w, this.h);
		say(t("said_move", { who: t(s.c === "b" ? "black" : "white"), move: this.name(s) }) + (taken ? " " + t("said_takes", { n: taken }) : ""));
	}

	/** The point of a move in words. */
	name(s: Step): string {
		return s.p < 0 ? t("pass_said") : vertex(s.p, this.w, this.h);
	}
}

/** The moves of a line, a slider and two buttons; the arrow keys step through it wherever the focus is. */
export function LinePlayer({ line }: { line: Line }) {
	const all = line.all.value;
	const at = line.at.value;
	const open = all.length > 0;
	const by = (n: number) => () => line.go(line.at.peek() + n);
	useLayoutEffect(() => (open ? keysOver({ ArrowLeft: by(-1), ArrowRight: by(1), Home: () => line.go(0), End: () => line.go(line.all.peek().length) }) : undefined), [line, open]);
	if (!open) return null;
	const before = (s: Step, i: number) => (s.p < 0 ? undefined : all.slice(0, i).find((e) => e.p === s.p));
	return (
		<div class="line-player" role="group" aria-label={t("line")} data-at={at}>
			<div class="line-steps">
				<button type="button" class="tool" aria-label={t("key_back")} disabled={at === 0} onClick={by(-1)}><Icon name="back" /></button>
				<input type="range" min={0} max={all.length} value={at} aria-label={t("line")} aria-valuetext={t("of", { n: at, of: all.length })} onInput={(e) => line.go(Number(e.currentTarget.value))} />
				<button type="button" class="tool" aria-label={t("key_on")} disabled={at === all.length} onClick={by(1)}><Icon name="on" /></button>
			</div>
			<ol>
				{all.map((s, i) => {
					const first = before(s, i);
					return <li key={i} class={i + 1 === at ? "on" : i < at ? "" : "dim"}><span class={"dot " + s.c} /> {first ? t("line_again", { n: s.n, m: first.n }) : `${s.n} ${line.name(s)}`}</li>;
				})}
			</ol>
		</div>
	);
}
