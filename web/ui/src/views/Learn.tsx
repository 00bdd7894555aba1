import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Board } from "../board/Board";
import type { Overlay } from "../board/overlay";
import type { ID, Profile } from "../gen/api";
import type { Key } from "../gen/keys";
import { rank, t } from "../i18n";
import { Icon } from "../icons";
import { keys, rulesOpen } from "../keys";
import { after, judge, LESSONS, start, type Answer, type Position } from "../lessons";
import { say, toast } from "../live";
import { inWords, send, watch } from "../net";
import { go } from "../router";
import { play, point, type Colour } from "../rules";
import { settings } from "../settings";
import { stoneSound } from "../sound";
import { Mini } from "./Mini";
import { askLevels, levelsOn } from "./newgame";

const profile = signal<Profile | null>(null);
const lesson = signal(0); // of LESSONS
const at = signal(0); // task; the number of tasks: all are done
const stage = signal(0); // of a task that goes on after a move
const base = signal<Position>({ stones: "", ko: -1 }); // the position that the task starts from
const answer = signal<Answer | null>(null);
const chosen = signal<number | null>(null); // the answer to a count
const missed = signal(false); // the task has had a wrong try

const done = (id: string): boolean => !!(profile.value?.lessons as string[] | undefined)?.includes(id);
const task = computed(() => LESSONS[lesson.value].tasks[at.value]);
const title = (id: string) => `learn_${id}` as Key;
const label = (part: "q" | "why") => t(`learn_${LESSONS[lesson.value].id}_${at.value + 1}_${part}` as Key);

/** The stones with the learner's move and what followed. */
const shown = computed(() => {
	const size = task.value?.size ?? 5;
	let stones = base.value.stones;
	for (const m of answer.value?.shown ?? []) if (m.p >= 0) stones = play(stones, m.p, m.c, size, size).stones;
	return stones;
});

const overlay = computed<Overlay | null>(() => {
	const k = task.value;
	if (!k) return null;
	const o: Overlay = { stones: shown.value };
	if (k.goal === "count" && chosen.value !== null) {
		const dead = new Set((k.dead ?? []).map((v) => point(v, k.size, k.size)));
		o.territory = [...k.rows.join("")].map((s, p) => (dead.has(p) || s === "." ? (p % k.size < 3 ? "b" : "w") : s)).join("");
	}
	return o;
});

const numbers = computed(() => {
	const moves = answer.value?.shown ?? [];
	return moves.length < 2 ? undefined : new Map(moves.map((m, i): [number, number] => [m.p, i + 1]).filter(([p]) => p >= 0));
});

function open(task0: number): void {
	at.value = task0;
	stage.value = 0;
	answer.value = null;
	chosen.value = null;
	missed.value = false;
	const k = LESSONS[lesson.value].tasks[task0];
	if (!k) return;
	base.value = start(k);
	say(label("q"));
}

const right = (): boolean => !!answer.value?.right || (task.value?.goal === "count" && chosen.value === task.value.answer);

function give(p: number): void {
	const k = task.value;
	if (!k || right() || k.goal === "count") return;
	if (p >= 0 && base.value.stones[p] !== ".") {
		toast(t("no_occupied"), { ms: 2500 });
		return;
	}
	if (answer.value && !answer.value.then) retry();
	const a = judge(k, base.value, p, stage.value);
	if (a.shown.length && p >= 0) stoneSound((p % k.size) / (k.size - 1), play(base.value.stones, p, k.turn as Colour, k.size, k.size).taken);
	answer.value = a;
	missed.value ||= !a.right;
	say(a.right ? label("why") : wrong(a));
	if (a.then) {
		const then = a.then;
		setTimeout(() => { if (answer.value === a) { base.value = then; answer.value = { ...a, shown: [], then: undefined }; stage.value = 1; } }, settings.value.motion === "off" ? 0 : 900);
	}
}

function retry(): void {
	answer.value = null;
	chosen.value = null;
}

const wrong = (a: Answer): string => (a.text ? t(a.text, { point: a.point ?? "", n: a.n ?? 0 }) : "");

async function finish(): Promise<void> {
	try {
		await send("lesson.done", { id: LESSONS[lesson.value].id }, true);
	} catch (e) {
		toast(inWords(e), { bad: true });
	}
}

function next(): void {
	const n = LESSONS[lesson.value].tasks.length;
	if (at.value + 1 >= n) {
		void finish();
		at.value = n;
		say(t("learn_done"));
	} else open(at.value + 1);
}

/** The first game: on a small board, against the weakest level, with a word after large losses. */
async function firstGame(): Promise<void> {
	try {
		const level = (await askLevels(9, 9))[0]?.id;
		const { id } = await send<ID>("game.new", { size: [9, 9], rules: "chinese", colour: "b", handicap: 0, seat: level ? { level, pace: "human" } : { visits: 1, pace: "human" }, clock: { kind: "none", main: 0 }, teach: "gentle" }, true);
		await finish();
		go("/play/" + id);
	} catch (e) {
		toast(inWords(e), { bad: true });
	}
}

function List() {
	const next = LESSONS.findIndex((l) => !done(l.id));
	return (
		<main class="learn-list">
			<h1>{t("learn")}</h1>
			<p class="dim">{t("learn_text")}</p>
			<ol>
				{LESSONS.map((l, i) => {
					const k = l.tasks[0];
					return (
						<li key={l.id}>
							<a href={"/learn/" + l.id} class={"card lesson" + (i === next ? " next" : "")}>
								{k ? <Mini w={k.size} h={k.size} stones={k.rows.join("")} size={72} /> : <Mini w={9} h={9} stones={FIRST} size={72} />}
								<span><strong>{i + 1}. {t(title(l.id))}</strong><span class="dim">{t(`learn_${l.id}_text` as Key)}</span></span>
								{done(l.id) ? <span class="lesson-done"><Icon name="check" /><span class="sr">{t("done")}</span></span> : i === next && <span class="chip on">{t(i ? "learn_next" : "learn_begin")}</span>}
							</a>
						</li>
					);
				})}
			</ol>
			<button type="button" class="button quiet" onClick={() => (rulesOpen.value = true)}><Icon name="learn" /> {t("rules_of_go")}</button>
		</main>
	);
}

const FIRST = ".".repeat(20) + "b...w" + ".".repeat(15) + "b" + ".".repeat(15) + "w...b" + ".".repeat(20);

function After() {
	const l = LESSONS[lesson.value + 1];
	return (
		<main class="empty">
			<Icon name="check" size={48} />
			<h1>{t("learn_done")}</h1>
			<p class="dim">{t(title(LESSONS[lesson.value].id))}</p>
			<div class="row">
				{l && <a class="button primary" href={"/learn/" + l.id}>{t("learn_next")}: {t(title(l.id))}</a>}
				<a class="button quiet" href="/learn">{t("learn")}</a>
			</div>
		</main>
	);
}

function FirstGame() {
	useEffect(() => { void askLevels(9, 9); }, []);
	const level = levelsOn(9, 9)?.[0]?.id;
	return (
		<main class="empty first-game">
			<Mini w={9} h={9} stones={FIRST} size={160} />
			<h1>{t("learn_game")}</h1>
			<p>{t("learn_game_how", { rank: level ? rank(level) : t("full_strength") })}</p>
			<button class="button primary big" onClick={() => void firstGame()}>{t("learn_game_begin")}</button>
			<a class="button quiet" href="/learn">{t("learn")}</a>
		</main>
	);
}

function Exercise() {
	const k = task.value!;
	const a = answer.value;
	const ok = right();
	const n = LESSONS[lesson.value].tasks.length;
	const size = k.size;
	const going = stage.value > 0 && !ok;
	const wrongCount = k.goal === "count" && chosen.value !== null && !ok;
	// Which stones a task is about; where the task is to find and take them, after a wrong try.
	const mark = k.at && k.goal !== "count" && k.goal !== "forbidden" && k.goal !== "close" && (k.goal !== "take" || missed.value) ? [{ k: "tr", p: point(k.at, size, size) }].filter((m) => base.value.stones[m.p] !== "." && shown.value[m.p] !== ".") : [];
	const legal = [...base.value.stones].map((_, p) => (after(base.value, p, k.turn as Colour, size) ? "1" : "0")).join("");
	return (
		<main class="play lesson-play" data-task={at.value + 1} data-stage={stage.value} data-right={ok ? "yes" : a || wrongCount ? "no" : ""}>
			<Board w={size} h={size} stones={shown.value} last={a?.shown.length === 1 ? a.shown[0].p : -1} legal={legal} turn={ok || k.goal === "count" ? undefined : (k.turn as Colour)} coordinates={settings.value.coordinates} confirm="never"
				overlay={overlay} marks={mark} numbers={numbers.value} label={t("board_plain", { w: size, h: size })} onPlay={give} />
			<aside class="panel" aria-label={t("panel")}>
				<section class="panel-card mistake-box">
					<div class="row"><a class="plain" href="/learn">{t("learn")}</a><span class="dim">{t(title(LESSONS[lesson.value].id))} · {t("of", { n: at.value + 1, of: n })}</span></div>
					<progress max={n} value={at.value + (ok ? 1 : 0)} aria-label={t("progress")} />
					<p class="lesson-q">{k.goal !== "count" && <span class={"disc small " + k.turn} />} {going ? t("learn_take_back") : label("q")}</p>
					{k.goal === "count" && !ok && <div class="row">{k.numbers!.map((x) => <button key={x} class="button" onClick={() => { chosen.value = x; say(x === k.answer ? label("why") : t("learn_count_again")); }}>{x}</button>)}</div>}
					{k.goal === "pass" && !ok && <button class="button" onClick={() => give(-1)}>{t("pass")}</button>}
				</section>
				{ok ? (
					<section class="panel-card mistake-box" aria-live="polite">
						<p class="good-text"><Icon name="check" /> {t("learn_right")}</p>
						<p>{label("why")}</p>
						<button class="button primary" autofocus onClick={next}>{t("learn_on")}</button>
					</section>
				) : (a || wrongCount) && !going ? (
					<section class="panel-card mistake-box" aria-live="polite">
						<p class="bad-text">{wrongCount ? t("learn_count_again") : wrong(a!)}</p>
						{!a?.then && <button class="button primary" onClick={retry}>{t("learn_again")}</button>}
					</section>
				) : null}
			</aside>
		</main>
	);
}

// A lesson by its name, or by its number from 1; -1: the list.
const find = (id: string): number => LESSONS.findIndex((l, i) => l.id === id || String(i + 1) === id);

export function Learn({ id }: { id: string }) {
	useEffect(() => watch<Profile>("profile", (p) => (profile.value = p)), []);
	useEffect(() => {
		lesson.value = Math.max(0, find(id));
		open(0);
		return keys({ Enter: () => right() && next(), r: retry, p: () => give(-1) }, (text) => {
			const k = task.value;
			if (!k) return false;
			const word = text.trim().toLowerCase();
			if (k.goal === "count" && k.numbers?.includes(Number(word))) { chosen.value = Number(word); return true; }
			const p = word === "pass" ? -1 : point(word, k.size, k.size);
			if (p < -1) return false;
			give(p);
			return true;
		});
	}, [id]);
	const known = find(id);
	if (known < 0) return <List />;
	if (lesson.value !== known) return <main class="empty" aria-busy="true" />;
	if (LESSONS[known].id === "game") return <FirstGame />;
	return task.value ? <Exercise /> : <After />;
}
