import { effect, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Board, fitsOnPoint } from "../board/Board";
import { SCALE } from "../board/overlay";
import { Choice, NumberField, Tool, Where } from "../controls";
import { save } from "../files";
import type { Doc, DocChange, Network } from "../gen/api";
import { language, leadShort, leadText, networkName, num, rank, refusal, resultText, rulesName, short, t } from "../i18n";
import { Icon } from "../icons";
import { Life } from "../life/Life";
import * as life from "../life/question";
import { keys } from "../keys";
import { say, toast } from "../live";
import { frames, inWords, Refused, send, post, status, watch, welcome } from "../net";
import { note, query } from "../router";
import { other, play, point, vertex, type Colour } from "../rules";
import { set, settings } from "../settings";
import { stoneSound } from "../sound";
import * as tree from "../tree";
import { ask, calmFrame, change, deeper, drawnRows, edit, flip, forgetHuman, frame, goOn, hover, humans, LETTERS, lettered, look, lossText, menu, overlay, pointRow, rows, startSweep, steps, stopSweep, sweep, swept, wish, type Wish } from "./analysis";
import { Documents } from "./Documents";
import { Graph, type Point } from "./Graph";
import { bounds, classOf, LossChip } from "./Loss";
import { Tree } from "./Tree";

function Mistakes() {
	const s = sweep.value;
	const list = tree.line.value.map((id, i) => ({ id, i, loss: tree.lossOf(id) })).filter((x) => x.loss !== undefined && classOf(x.loss) > 1).sort((a, b) => b.loss! - a.loss!).slice(0, 12);
	const known = tree.line.value.filter((id) => tree.calm.value.has(id)).length;
	return (
		<div class="mistakes">
			{s ? (
				<div class="row sweep">
					<progress max={s.all} value={s.all - s.todo.length} aria-label={t("whole_game")} />
					<span class="dim">{t("of", { n: s.all - s.todo.length, of: s.all })}</span>
					<button class="plain" onClick={stopSweep}>{t("stop")}</button>
				</div>
			) : known < tree.line.value.length ? (
				<button class="button quiet small" onClick={() => startSweep(true)}><Icon name="review" size={16} /> {t("whole_game")}</button>
			) : null}
			{list.length > 0 ? (
				<ol>
					{list.map((x) => {
						const n = tree.nodes.value.get(x.id)!;
						const better = tree.calm.value.get(n.parent)?.moves[0];
						return (
							<li key={x.id}>
								<button class={x.id === tree.at.value || n.parent === tree.at.value ? "on" : ""} onClick={() => tree.goTo(n.parent)}>
									<LossChip loss={x.loss!} cls={classOf(x.loss!)} />
									<span><span class={"dot " + n.c} /> {t("move_played", { n: tree.movesTo(x.i), move: n.m ?? "" })}{better && better.m !== n.m ? <span class="dim"> · {t("better", { move: better.m })}</span> : null}</span>
								</button>
							</li>
						);
					})}
				</ol>
			) : (
				!s && <p class="dim pad">{known < tree.line.value.length ? t("mistakes_empty") : t("no_mistakes")}</p>
			)}
		</div>
	);
}

async function playHere(p: number, forbidden: boolean): Promise<void> {
	const [w, h] = tree.size.value;
	if (edit.value) return place(p);
	if (forbidden) return;
	stoneSound((p % w) / Math.max(1, w - 1), play(tree.position.value.stones, p, tree.position.value.turn, w, h).taken);
	await attempt(tree.playMoves([vertex(p, w, h)]));
}

const REASONS = { ko: "no_ko", superko: "no_superko", suicide: "no_suicide", occupied: "no_occupied" } as const;

async function attempt(work: Promise<unknown>): Promise<void> {
	try {
		await work;
	} catch (e) {
		if (!(e instanceof Refused)) throw e;
		const why = REASONS[(e.said.args?.[0] ?? "") as keyof typeof REASONS];
		toast(why ? t(why) : inWords(e), { bad: true, ms: 4000 });
	}
}

// Set-up and marks.
let alternate: Colour = "b";
async function place(p: number): Promise<void> {
	const [w, h] = tree.size.value;
	const v = vertex(p, w, h);
	const n = tree.nodes.value.get(tree.at.value);
	const tool = edit.value;
	if (["tr", "sq", "cr", "ma", "lb"].includes(tool)) {
		const marks = (n?.marks ?? []).map((m) => ({ ...m }));
		const there = marks.findIndex((m) => m.p === v);
		const same = there >= 0 && marks[there].k === tool;
		if (there >= 0) marks.splice(there, 1);
		if (!same) marks.push({ k: tool, p: v, l: tool === "lb" ? (LETTERS[[...LETTERS].findIndex((l) => !marks.some((m) => m.l === l))] ?? "A") : "" });
		await attempt(tree.op("marks", { marks }));
		return;
	}
	let colour = tool === "erase" ? "." : tool === "alt" ? alternate : tool;
	const now = tree.position.value.stones[p];
	if (now === colour) colour = ".";
	else if (tool === "alt") alternate = other(alternate);
	// One node holds all set-up stones: those that it has are sent again, with this one.
	const setUp = !n?.m && !tree.children(n).length;
	const lists: Record<string, Set<string>> = { b: new Set(setUp ? n?.b : []), w: new Set(setUp ? n?.w : []), ".": new Set(setUp ? n?.e : []) };
	for (const l of Object.values(lists)) l.delete(v);
	if (colour !== "." || now !== ".") lists[colour].add(v);
	try {
		const ref = await tree.op("setup", { b: [...lists.b], w: [...lists.w], e: [...lists["."]], pl: n?.pl || tree.position.value.turn });
		if (ref) tree.goTo(ref.node);
	} catch (e) {
		toast(inWords(e), { bad: true });
	}
}

async function setTurn(c: Colour): Promise<void> {
	const n = tree.nodes.value.get(tree.at.value);
	const setUp = !n?.m && !tree.children(n).length;
	await attempt(tree.op("setup", { b: setUp ? n?.b : [], w: setUp ? n?.w : [], e: setUp ? n?.e : [], pl: c }).then((r) => r && tree.goTo(r.node)));
}

function best(): void {
	const m = frame.value?.moves[0];
	if (m) void attempt(tree.playMoves([m.m]));
}

function speak(): void {
	const f = frame.value;
	if (!f?.moves.length) {
		say(t("no_result_yet"));
		return;
	}
	say(leadText(f.lead) + ". " + f.moves.slice(0, 3).map((m, i) => (i ? t("said_loses", { move: m.m, points: m.loss.toFixed(1) }) : t("said_best", { move: m.m }))).join(", "));
}

function mistake(step: number): void {
	const l = tree.line.value;
	const i = l.indexOf(tree.at.value);
	for (let k = i + step; k >= 0 && k < l.length; k += step) {
		const loss = tree.lossOf(l[k]);
		if (loss !== undefined && loss > 3) {
			tree.goTo(l[k]);
			say(t("said_mistake", { n: tree.movesTo(k), move: tree.nodes.value.get(l[k])?.m ?? "", points: loss.toFixed(1) }));
			return;
		}
	}
	toast(t("no_mistake"), { ms: 2500 });
}

// Whether points speak for one side and chances for the other, as they may if a network knows a
// board badly.
const disagree = (f: { lead: number; winrate: number }): boolean => Math.abs(f.lead) >= 1 && Math.abs(f.winrate - 0.5) >= 0.03 && f.lead > 0 !== f.winrate > 0.5;

function EngineLine() {
	const f = calmFrame();
	const w = wish.value;
	const e = welcome.value?.engine;
	const state = !w.on ? t("analysis_off") : f?.error ? (language.value === "en" ? f.error : refusal("engine_failed", f.error)) : f?.final === "steady" ? t("stopped_steady", { visits: num(f.visits) }) : f ? `${num(f.visits)} ${t("visits")}${f.speed ? " · " + num(f.speed) + "/s" : ""}` : t("asking");
	return (
		<div class="engine-line" data-visits={f?.visits ?? 0}>
			<div class="verdict">
				<strong class="lead">{f && !f.error ? leadShort(f.lead) : "–"}</strong>
				{f && !f.error && <span class="wr">{t("black_wins", { percent: (f.winrate * 100).toFixed(1) })}</span>}
				<span class="bar" aria-hidden="true"><span style={{ width: (f ? f.winrate * 100 : 50) + "%" }} /></span>
			</div>
			{f && !f.error && disagree(f) && <span class="dim">{t("numbers_disagree")}</span>}
			<div class="engine-row">
				<button class="plain engine-name" title={t("change_network")} onClick={() => (menu.value = !menu.value)} aria-expanded={menu.value}>
					<span class="dim">{state}</span>
				</button>
				{w.on && f?.final && !f.error && <button class="plain" onClick={() => { goOn.value = true; ask(); }} title="shift+space">{t("keep_going")}</button>}
				<button class="button quiet small" onClick={() => change({ on: !w.on })} title="space"><Icon name={w.on ? "pause" : "go"} size={16} /> {t(!w.on ? "analyse" : f?.final ? "analysis_end" : "stop")}</button>
			</div>
			{menu.value && (
				<div class="engine-menu">
					<label>{t("network")}
						<select value={(welcome.value?.networks ?? []).find((n) => n.inUse)?.name} onChange={(ev) => {
							const name = ev.currentTarget.value;
							send<Network[]>("network.use", { name }).then((all) => { if (welcome.value) welcome.value = { ...welcome.value, networks: all }; tree.results.value = new Map(); toast(t("network_changed", { name: networkName(name) })); }, (err) => toast(inWords(err), { bad: true }));
						}}>
							{(welcome.value?.networks ?? []).map((n) => <option key={n.name} value={n.name}>{networkName(n.name)}</option>)}
						</select>
					</label>
					<label>{t("visits_budget")} <NumberField min={10} max={10000000} value={w.visits} onNumber={(n = 1000) => change({ visits: n })} /></label>
					<label>{t("threads")} <NumberField min={0} max={256} value={w.threads} onNumber={(n = 0) => change({ threads: n })} /></label>
					{humans.value && (
						<label>{t("human_rank")}
							<select value={w.rank} onChange={(ev) => { change({ rank: ev.currentTarget.value, human: true }); forgetHuman(); }}>
								{RANKS.map((r) => <option key={r} value={r}>{rank(r)}</option>)}
							</select>
						</label>
					)}
					<div class="dim">{[e?.provider, e?.precision].filter(Boolean).join(" · ")}</div>
				</div>
			)}
		</div>
	);
}

const RANKS = [...Array.from({ length: 20 }, (_, i) => `${20 - i}k`), ...Array.from({ length: 9 }, (_, i) => `${i + 1}d`)];

// Puts a line into the tree; the reader stays where they are.
async function keep(line: string[]): Promise<void> {
	await tree.playMoves(line, true);
	toast(t("line_kept", { n: line.length }), { ms: 2500 });
}

function Candidates() {
	const f = calmFrame();
	const list = f ? drawnRows() : [];
	return (
		<div class="cands" onMouseLeave={() => (hover.value = -1)}>
			<table aria-label={t("candidates")}>
				<thead><tr><th /><th scope="col">{t("move")}</th><th scope="col">{t("loss")}</th><th scope="col">{t("win")}</th><th scope="col">{t("visits_budget")}</th><th scope="col">{t("line")}</th><th scope="col"><span class="sr">{t("deeper")}</span></th></tr></thead>
				<tbody>
					{list.slice(0, 10).map((m, i) => {
						const first = m.m === f?.moves[0]?.m;
						const asked = deeper.value.includes(m.m);
						return (
							<tr key={m.m} tabIndex={0} class={hover.value === i ? "on" : ""} onMouseEnter={() => pointRow(i)} onFocus={() => pointRow(i)} onBlur={() => (hover.value = -1)}
								onClick={() => void attempt(tree.playMoves([m.m]))} onAuxClick={(e) => { if (e.button === 1) { e.preventDefault(); void attempt(keep(m.pv)); } }}
								onKeyDown={(e) => { if (e.key === "Enter") { e.preventDefault(); e.stopPropagation(); void attempt(e.shiftKey ? keep(m.pv) : tree.playMoves([m.m])); } }}
								onWheel={(e) => { e.preventDefault(); steps.value = Math.max(1, Math.min(m.pv.length, (steps.value || (e.deltaY > 0 ? 0 : m.pv.length)) + Math.sign(e.deltaY))); }}>
								<td><span class="key" style={{ background: SCALE[m.cls][0], color: SCALE[m.cls][1] }}>{lettered(m, i) ? LETTERS[i] : ""}</span></td>
								<th scope="row">{m.m === "pass" ? t("pass_said") : m.m}{m.mirrors?.length ? <span class="mirrors" title={t("mirrors", { moves: m.mirrors.join(", ") })}> ×{m.mirrors.length + 1}<span class="sr">{t("mirrors", { moves: m.mirrors.join(", ") })}</span></span> : null}</th>
								<td>{first ? t("best") : lossText(m, f!.moves[0])}</td>
								<td>{(m.w * 100).toFixed(1)}</td>
								<td>{short(m.v)}</td>
								<td class="pv">{m.pv.slice(1, 7).join(" ")}</td>
								<td><button type="button" class={"deeper" + (asked ? " on" : "")} aria-pressed={asked} title={t("deeper")} aria-label={t("deeper_at", { move: m.m === "pass" ? t("pass_said") : m.m })}
									onKeyDown={(e) => e.stopPropagation()} onClick={(e) => { e.stopPropagation(); look(asked ? deeper.value.filter((v) => v !== m.m) : [...deeper.value, m.m]); }}><Icon name="search" size={16} /></button></td>
							</tr>
						);
					})}
				</tbody>
			</table>
			{list.length === 0 && <p class="dim pad">{wish.value.on ? t("asking") : t("analysis_off")}</p>}
		</div>
	);
}

function Nav() {
	const l = tree.line.value;
	const i = l.indexOf(tree.at.value);
	const kids = tree.children(tree.nodes.value.get(tree.nodes.value.get(tree.at.value)?.parent ?? -1));
	return (
		<div class="nav">
			<button class="tool" aria-label={t("key_first")} onClick={() => tree.goTo(l[0])}><Icon name="first" /></button>
			<button class="tool" aria-label={t("key_back")} onClick={() => tree.walk(-1)}><Icon name="back" /></button>
			<Where n={tree.movesTo(i)} of={tree.movesTo(l.length)} onNumber={(n) => tree.goTo(tree.afterMoves(n))} />
			<button class="tool" aria-label={t("key_on")} onClick={() => tree.walk(1)}><Icon name="on" /></button>
			<button class="tool" aria-label={t("key_last")} onClick={() => tree.goTo(l[l.length - 1])}><Icon name="last" /></button>
			{kids.length > 1 && <button class="plain" onClick={() => tree.beside(1)} title="↓">{t("variation_of", { n: kids.indexOf(tree.at.value) + 1, of: kids.length })}</button>}
		</div>
	);
}

// Empty points with marks: a region that the reader asks about.
function marked(): string[] {
	const [w, h] = tree.size.value;
	const marks = tree.nodes.value.get(tree.at.value)?.marks ?? [];
	return [...new Set(marks.map((m) => m.p))].filter((v) => tree.position.value.stones[point(v, w, h)] === ".");
}

function Legend() {
	const w = wish.value;
	const free = marked();
	const asked = free.length > 0 && free.every((v) => deeper.value.includes(v));
	const toggle = (key: "moves" | "area" | "policy" | "human" | "bestOnly", text: string, n: string) => (
		<button type="button" class={"chip" + (w[key] ? " on" : "")} aria-pressed={w[key]} title={`${text} (${n})`} onClick={() => change({ [key]: !w[key] })}>{text}</button>
	);
	return (
		<div class="legend">
			{toggle("moves", t("moves"), "1")}
			{toggle("area", t("territory"), "2")}
			{toggle("policy", t("policy"), "3")}
			{humans.value && toggle("human", t("human_moves", { rank: rank(w.rank) }), "4")}
			{toggle("bestOnly", t("best_only"), "5")}
			{free.length > 0 && <button type="button" class={"chip" + (asked ? " on" : "")} aria-pressed={asked} onClick={() => look(asked ? [] : free)}>{t("deeper_marked")}</button>}
			<span class="scale" role="img" aria-label={t("scale_said")}>
				{SCALE.map(([fill, ink], i) => <span key={i} style={{ background: fill, color: ink }}>{i < bounds().length ? "<" + bounds()[i] : bounds()[i - 1] + "+"}</span>)}
			</span>
		</div>
	);
}

const TOOLS: [typeof edit.value, string][] = [["b", "●"], ["w", "○"], ["alt", "◐"], ["erase", "⌫"], ["tr", "△"], ["sq", "□"], ["cr", "◯"], ["ma", "✕"], ["lb", "A"]];

function EditBar() {
	const turn = tree.position.value.turn;
	return (
		<div class="legend edit" role="toolbar" aria-label={t("set_up")}>
			{TOOLS.map(([id, sign]) => <button type="button" key={id} class={"chip" + (edit.value === id ? " on" : "")} aria-pressed={edit.value === id} aria-label={t(`tool_${id}` as "tool_b")} title={t(`tool_${id}` as "tool_b")} onClick={() => (edit.value = id)}>{sign}</button>)}
			<Choice label={t("to_move")} value={turn} options={[["b", t("black")], ["w", t("white")]]} onChange={(c) => void setTurn(c)} />
			<button type="button" class="button primary small" onClick={() => (edit.value = "")}>{t("done")}</button>
		</div>
	);
}

function Notes() {
	const n = tree.nodes.value.get(tree.at.value);
	const [text, setText] = useState(n?.note ?? "");
	useEffect(() => setText(n?.note ?? ""), [n?.id, n?.note]);
	const long = (n?.marks ?? []).filter((m) => m.l && !fitsOnPoint(m.l)); // texts that the board shows the beginning of
	return <>{long.length > 0 && <dl class="labels">{long.map((m) => <><dt>{m.p}</dt><dd>{m.l}</dd></>)}</dl>}
	<textarea class="notes" value={text} placeholder={t("notes_here")} aria-label={t("notes")} maxLength={20000} onInput={(e) => setText(e.currentTarget.value)} onChange={(e) => void attempt(tree.op("note", { note: e.currentTarget.value }))} /></>;
}

function GameTab({ d }: { d: Doc }) {
	return (
		<div class="game-tab">
			<dl>
				{d.black && <><dt>{t("black")}</dt><dd>{d.black}</dd></>}
				{d.white && <><dt>{t("white")}</dt><dd>{d.white}</dd></>}
				{d.date && <><dt>{t("date")}</dt><dd>{d.date}</dd></>}
				{d.result && <><dt>{t("result")}</dt><dd>{/^[BW]\+/.test(d.result) ? resultText(d.result) : d.result}</dd></>}
				<dt>{t("rules")}</dt>
				<dd><select value={d.rules} aria-label={t("rules")} onChange={(e) => void attempt(tree.op("info", { rules: e.currentTarget.value }).then(() => { tree.results.value = new Map(); ask(); }))}>
					{!welcome.value?.rules?.some((r) => r.id === d.rules) && <option value={d.rules}>{t("other")}</option>}
					{(welcome.value?.rules ?? []).map((r) => <option key={r.id} value={r.id}>{rulesName(r.id)}</option>)}
				</select></dd>
				<dt>{t("komi")}</dt><dd><NumberField label={t("komi")} step={0.5} value={d.komi} onNumber={(n) => n !== undefined && void attempt(tree.op("info", { komi: n }).then(() => { tree.results.value = new Map(); ask(); }))} /></dd>
			</dl>
		</div>
	);
}

function points(): Point[] {
	return tree.line.value.map((id) => {
		const f = tree.calm.value.get(id);
		const loss = tree.lossOf(id);
		return { lead: f && !f.error ? f.lead : undefined, winrate: f && !f.error ? f.winrate : undefined, loss, cls: loss === undefined ? undefined : classOf(loss), colour: tree.nodes.value.get(id)?.c };
	});
}

function Curve() {
	const s = sweep.value;
	return (
		<div class="lead-curve">
			<Graph points={points()} at={tree.line.value.indexOf(tree.at.value)} onSeek={(i) => tree.goTo(tree.line.value[i])} height={innerWidth < 640 || innerHeight < 820 ? 84 : 132} />
			{s && <span class="sweep-note">{t("of", { n: s.all - s.todo.length, of: s.all })}</span>}
		</div>
	);
}

function Cut() {
	const n = tree.nodes.value.get(tree.at.value);
	return (
		<div class="row tools-row">
			<Tool icon="edit" text={t("set_up")} keys="e" on={!!edit.value} onClick={() => (edit.value = edit.value ? "" : "alt")} />
			<Tool icon="flip" text={t("flip")} keys="f" on={flip.value} onClick={() => (flip.value = !flip.value)} />
			<Tool icon="life" text={t("life_title")} keys="i" on={life.chosen.value.length > 0} disabled={!!edit.value} onClick={() => void life.ask()} />
			<Tool icon="pass" text={t("pass")} keys="p" onClick={() => void attempt(tree.playMoves(["pass"]))} />
			<Tool icon="tree" text={t("main_line")} keys="shift+B" disabled={!n || n.parent < 0} onClick={() => void attempt(tree.op("promote"))} />
			<Tool icon="bin" text={t("delete")} disabled={!n || n.parent < 0} keys="Delete" onClick={() => tree.cut(t("branch_deleted"))} />
			<Tool icon="save" text={t("save_sgf")} keys="ctrl+S" onClick={() => void save(`/api/docs/${tree.doc.value?.doc}.sgf`)} />
		</div>
	);
}

function typed(text: string): boolean {
	const [w, h] = tree.size.value;
	const [word, arg] = text.trim().toLowerCase().split(/\s+/);
	switch (word) {
		case "best": best(); return true;
		case "undo": tree.walk(-1); return true;
		case "pass": void attempt(tree.playMoves(["pass"])); return true;
		case "last": say(tree.nodes.value.get(tree.at.value)?.m ?? t("said_empty")); return true;
		case "go": if (Number(arg) >= 0) tree.goTo(tree.afterMoves(Number(arg))); return true;
	}
	const p = point(word ?? "", w, h);
	if (p < 0) return false;
	void playHere(p, tree.position.value.stones[p] !== ".");
	return true;
}

const gone = signal(false);

const shown = life.over(overlay);

function DocView({ id }: { id: string }) {
	useEffect(() => {
		gone.value = false;
		sweep.value = null;
		edit.value = "";
		goOn.value = false;
		const stop = watch<Doc | DocChange>("doc:" + id, (d) => ("nodes" in d ? tree.take(d as Doc) : tree.change(d as DocChange)), () => (gone.value = true));
		frames((f) => { if (f.doc !== id) return; tree.remember(f); swept(f); });
		const offAsk = effect(() => {
			void tree.at.value; void tree.doc.value; void wish.value; void goOn.value; void deeper.value;
			if (status.value === "open") ask();
		});
		const offHover = effect(() => { void tree.at.value; hover.value = -1; steps.value = 0; });
		const offBudget = effect(() => { void tree.at.value; goOn.value = false; });
		const off = keys({
			ArrowLeft: () => { if (!life.takeBack()) tree.walk(-1); }, ArrowRight: () => tree.walk(1), j: () => tree.walk(-1), k: () => tree.walk(1),
			PageUp: () => tree.walk(-10), PageDown: () => tree.walk(10), "shift+ArrowLeft": () => tree.walk(-10), "shift+ArrowRight": () => tree.walk(10),
			Home: () => tree.goTo(tree.line.value[0]), End: () => tree.goTo(tree.line.value.at(-1)), "0": () => tree.goTo(tree.line.value[0]), $: () => tree.goTo(tree.line.value.at(-1)),
			ArrowUp: () => tree.beside(-1), ArrowDown: () => tree.beside(1),
			i: () => void life.ask(), space: () => change({ on: !wish.value.on }), "shift+space": () => { goOn.value = true; },
			"1": () => change({ moves: !wish.value.moves }), "2": () => change({ area: !wish.value.area }), "3": () => change({ policy: !wish.value.policy }), "4": () => humans.value && change({ human: !wish.value.human }), "5": () => change({ bestOnly: !wish.value.bestOnly }),
			",": best, c: speak, e: () => (edit.value = edit.value ? "" : "alt"), f: () => (flip.value = !flip.value), m: () => set("numbers", !settings.value.numbers), p: () => void attempt(tree.playMoves(["pass"])),
			n: () => mistake(1), N: () => mistake(-1), B: () => void attempt(tree.op("promote")), Delete: () => tree.cut(t("branch_deleted")), "ctrl+s": () => void save(`/api/docs/${id}.sgf`), Escape: () => { if (life.close(false)) return; edit.value = ""; menu.value = false; },
		}, typed);
		return () => { stop(); off(); offAsk(); offHover(); offBudget(); frames(null); post("analysis.set", { on: false }); };
	}, [id]);

	const there = tree.doc.value?.doc === id && status.value === "open";
	// An address may name the move after which the reader wants to begin.
	useEffect(() => {
		const at = query().get("at");
		if (!there || at === null) return;
		tree.goTo(0);
		tree.goTo(tree.afterMoves(Number(at) || 0));
		note("/analyse/" + id);
	}, [id, there]);
	useEffect(() => { if (there) startSweep(false); }, [id, there]);
	if (gone.value) return <main class="empty"><p>{t("doc_gone")}</p><a class="button primary" href="/analyse">{t("analyse")}</a></main>;
	const d = tree.doc.value;
	if (!d || d.doc !== id) return <main class="empty" aria-busy="true" />;
	const [w, h] = tree.size.value;
	const p = tree.position.value;
	const n = tree.nodes.value.get(tree.at.value);
	const next = tree.children(n).map((k) => tree.nodes.value.get(k)!).filter((k) => k?.m);
	const legal = [...p.stones].map((s) => (s === "." ? "1" : "0")).join("");
	const wsh = wish.value;
	const tabs: [Wish["tab"], string][] = [["mistakes", t("mistakes")], ["tree", t("tree")], ["notes", t("notes")], ["game", t("game")]];
	return (
		<main class="analyse" data-node={tree.at.value}>
			<h1 class="sr">{t("analyse")}</h1>
			<div class="stage">
				<Board w={w} h={h} stones={p.stones} last={p.last} legal={legal} any={!!edit.value} turn={edit.value === "w" ? "w" : edit.value === "b" ? "b" : p.turn} flip={flip.value} coordinates={settings.value.coordinates} confirm={edit.value ? "never" : settings.value.confirm}
					overlay={shown} marks={(n?.marks ?? []).map((m) => ({ k: m.k, p: point(m.p, w, h), l: m.l }))} next={next.map((k) => ({ p: point(k.m!, w, h), c: k.c as Colour }))}
					numbers={settings.value.numbers ? numbersOf() : undefined} label={t("board_plain", { w, h })}
					cell={(q) => { const i = rows.peek().findIndex((m) => point(m.m, w, h) === q); const m = rows.peek()[i]; return !m ? "" : [lettered(m, i) && LETTERS[i], !i ? t("best") : m.loss >= 0.05 ? t("loses", { points: m.loss.toFixed(1) }) : lossText(m, rows.peek()[0])].filter(Boolean).join(", "); }}
					onPlay={(q, no) => void playHere(q, no)} onHover={(q) => { const i = q < 0 || edit.value ? -1 : rows.peek().findIndex((m) => point(m.m, w, h) === q); if (i !== hover.peek()) { hover.value = i; steps.value = 0; } }}
					onWheel={(s) => { const c = rows.peek()[hover.peek()]; if (c) steps.value = Math.max(1, Math.min(c.pv.length, (steps.value || (s > 0 ? 0 : c.pv.length)) + s)); else tree.walk(s); }}
					onMiddle={(q) => { const c = rows.value.find((m) => point(m.m, w, h) === q); if (c) void attempt(keep(c.pv)); }}
					{...(edit.value ? {} : life.onBoard({ doc: id, node: tree.at.value, w, h, stones: p.stones, turn: p.turn }))} />
				<Nav />
				<Curve />
				{edit.value ? <EditBar /> : <Legend />}
			</div>
			<aside class="panel" aria-label={t("panel")}>
				<Life at={`${tree.at.value} ${p.stones}`} />
				{d.warn && <p class="note warn">{d.warn}</p>}
				<EngineLine />
				<Candidates />
				<div class="tabs" role="tablist">
					{tabs.map(([key, text]) => <button key={key} role="tab" aria-selected={wsh.tab === key} class={wsh.tab === key ? "on" : ""} onClick={() => change({ tab: key })}>{text}</button>)}
				</div>
				<div class="tab-body" role="tabpanel">{wsh.tab === "mistakes" ? <Mistakes /> : wsh.tab === "tree" ? <Tree /> : wsh.tab === "notes" ? <Notes /> : <GameTab d={d} />}</div>
				<Cut />
			</aside>
		</main>
	);
}

function numbersOf(): Map<number, number> {
	const [w, h] = tree.size.value;
	const all = new Map<number, number>();
	let i = 0;
	for (const id of tree.pathTo(tree.at.value)) {
		const m = tree.nodes.value.get(id)?.m;
		if (!m) continue;
		i++;
		const p = point(m, w, h);
		if (p >= 0 && tree.position.value.stones[p] !== ".") all.set(p, i);
	}
	return all;
}

export function Analyse({ id }: { id: string }) {
	return id ? <DocView key={id} id={id} /> : <Documents />;
}
