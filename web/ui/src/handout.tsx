// One file that can be mailed: a review, problems, or the report of a training loop, with the page's own components and
// without a server. web/ui/build.mjs bundles it whole; package handout puts the data in.
import { render } from "preact";
import type { Claim, Drill, DrillVerdict, Problem, Review, ReviewMove, Verdict, Welcome } from "./gen/api";
import { language, resultText, setLanguage, t } from "./i18n";
import { wanted } from "./languages";
import { Live } from "./live";
import { welcome } from "./net";
import { Solve } from "./views/Drills";
import { LoopPage, type LoopData } from "./views/Loop";
import { classOf } from "./views/Loss";
import { playerName } from "./views/Review";
import { Game } from "./views/ReviewGame";

/** The part of review.Result about a game that is shown. */
interface Result {
	game: { width: number; height: number; komi: number; handicap?: number; black?: string; white?: string; blackRank?: string; whiteRank?: string; result?: string; date?: string; event?: string; file?: string };
	network: string;
	visits: number;
	complete: boolean;
	notes?: string[];
	cut?: number;
	positions: { visits: number; winrate: number; lead: number; stones: string }[];
	moves: {
		number: number; color: string; move: string; judged: boolean; loss: number; error: number; winrateLoss: number; class: string; listed: boolean; phase: string;
		kind?: string; reason?: string; claims?: Claim[]; points?: string[]; refutation?: string[]; best?: { move: string; line?: string[]; lead: number }[];
	}[];
	players: [Side, Side];
	mistakes: number[];
	turning: number[];
	groups?: { color: string; stones: string[]; verdict: string; since: number; taken?: number; assumed?: string[] }[];
	summary: string;
}
interface Totals { moves: number; loss: number; meanLoss: number; accuracy: number; firstChoice: number; classes?: Record<string, number> }
interface Side extends Totals { name?: string; rank?: string; byPhase?: Record<string, Totals>; byKind?: Record<string, Totals> }

interface Answer { move: string; loss: number; accepted: boolean; line?: string[] }
interface SetProblem { id: string; game: string; number: number; width: number; height: number; stones: string; toMove: string; played: string; loss: number; last?: string; player?: string; against?: string; kind: string; reason: string; claims?: Claim[]; task?: string; group?: string[]; level?: number; answers: Answer[] }

interface Data {
	kind: "review" | "drills" | "loop";
	loss?: number[]; // the bounds between the classes
	classes?: string[];
	data: unknown;
}

const stonesOf = (s: string): string => s.replace(/X/g, "b").replace(/O/g, "w");

function reviewOf(r: Result, classes: string[]): Review {
	const g = r.game;
	const size = [g.width, g.height];
	const player = (p: Side) => ({
		name: p.name, rank: p.rank, moves: p.moves, mean: p.meanLoss, accuracy: p.accuracy, first: p.firstChoice, classes: classes.map((c) => p.classes?.[c] ?? 0),
		phases: Object.fromEntries(Object.entries(p.byPhase ?? {}).map(([k, v]) => [k, v.meanLoss])), kinds: Object.fromEntries(Object.entries(p.byKind ?? {}).map(([k, v]) => [k, v.loss])),
	});
	return {
		card: {
			review: "", name: g.file ?? "", state: r.complete ? "done" : "partial", size, komi: g.komi, handicap: g.handicap, black: g.black ?? "", white: g.white ?? "", blackRank: g.blackRank, whiteRank: g.whiteRank,
			date: g.date, result: g.result, moves: r.moves.length, cut: r.cut, share: 1, mean: [r.players[0].meanLoss, r.players[1].meanLoss], phases: [], worst: [], changed: 0,
		},
		boards: r.positions.map((p) => stonesOf(p.stones)).join(""),
		moves: r.moves.map((m) => ({
			c: m.color, m: m.move, judged: m.judged, loss: m.loss, err: m.error, wl: m.winrateLoss, cls: classes.indexOf(m.class), listed: m.listed, phase: m.phase, kind: m.kind, reason: m.reason, claims: m.claims, points: m.points,
			better: m.best?.[0]?.move, line: m.best?.[0]?.line, answer: m.refutation,
		})),
		points: r.positions.flatMap((p, n) => (p.visits > 0 ? [{ n, lead: p.lead, w: p.winrate, v: p.visits }] : [])),
		mistakes: r.mistakes ?? [], turning: r.turning ?? [], finest: [[], []], groups: (r.groups ?? []).map((g) => ({ ...g, c: g.color, assumed: g.assumed ?? [] })), players: r.players.map(player), summary: r.summary, network: r.network, visits: r.visits, notes: r.notes,
	} as unknown as Review;
}

// The verdict on another move as far as it is known without a search.
function known(m: ReviewMove, move: string): Verdict | null {
	if (move === m.better) return { m: move, accepted: true, loss: 0, cls: 0, line: m.line };
	return move === m.m ? { m: move, accepted: false, played: true, loss: m.loss, cls: classOf(m.loss) } : null;
}

function ReviewPage({ r, classes }: { r: Result; classes: string[] }) {
	const review = reviewOf(r, classes);
	const c = review.card;
	const g = r.game;
	return (
		<>
			<header class="handout-head">
				<h1>{playerName(c, 0)} – {playerName(c, 1)}</h1>
				<p>{[g.result && g.result !== "?" ? resultText(g.result) : "", g.event, g.date, `${g.width}×${g.height}`, `${t("komi")} ${g.komi}`].filter(Boolean).join(" · ")}</p>
				{language.value === "en" && <p class="dim">{r.summary}</p>}
			</header>
			<Game id="" given={review} judge={known} />
			<AllMoves r={review} />
		</>
	);
}

/** Every move in a table: the game on a printed page. */
function AllMoves({ r }: { r: Review }) {
	return (
		<details class="all-moves">
			<summary>{t("moves")}</summary>
			<div class="wide" tabIndex={0} role="region" aria-label={t("moves")}>
				<table class="plain-table">
					<thead><tr><th scope="col">{t("move")}</th><th scope="col">{t("loss")}</th><th scope="col">{t("best")}</th><th scope="col">{t("line")}</th></tr></thead>
					<tbody>{r.moves.map((m, i) => <tr key={i}><th scope="row">{i + 1}. <span class={"dot " + m.c} /> {m.m}</th><td>{m.judged ? m.loss.toFixed(1) : ""}</td><td>{m.better ?? ""}</td><td>{(m.line ?? []).slice(0, 6).join(" ")}</td></tr>)}</tbody>
				</table>
			</div>
		</details>
	);
}

const done = new Set<string>();

function problemOf(p: SetProblem): Problem {
	return { id: p.id, game: p.game, n: p.number, size: [p.width, p.height], stones: stonesOf(p.stones), toMove: p.toMove, last: p.last, loss: p.loss, against: p.against, player: p.player, task: p.task, group: p.group, level: p.level, yours: p.player === "You", legal: [...p.stones].map((s) => (s === "." ? "1" : "0")).join("") };
}

function DrillsPage({ set }: { set: SetProblem[] }) {
	const next = async (not: string): Promise<Drill> => {
		const left = set.filter((p) => !done.has(p.id));
		const p = left.find((q) => q.id !== not) ?? left[0];
		return { due: left.length, fresh: 0, total: set.length, problem: p && problemOf(p) };
	};
	const judge = async ({ id }: Problem, move: string): Promise<DrillVerdict | null> => {
		const p = set.find((q) => q.id === id)!;
		const a = p.answers.find((x) => x.move === move);
		if (move && !a && move !== p.played && !p.task) return null;
		done.add(id);
		const verdict = (x: Answer | undefined): Verdict => ({ m: x?.move ?? move, accepted: !!x?.accepted, played: move !== "" && move === p.played, loss: x?.loss ?? p.loss, cls: classOf(x?.loss ?? p.loss), line: x?.line });
		return { verdict: move ? verdict(a) : { m: "", accepted: false, loss: 0, cls: 0 }, best: verdict(p.answers[0]), played: p.played, loss: p.loss, kind: p.kind, reason: p.reason, claims: p.claims, grade: a?.accepted ? 3 : 1, due: [] as unknown as DrillVerdict["due"] };
	};
	return (
		<Solve from={next} judge={judge} title={t("problems")} head={(d) => <p class="dim">{t("of", { n: set.length - d.due + 1, of: set.length })}</p>}>
			{() => <><h1>{t("problems")}</h1><p>{t(set.length ? "drills_done" : "drills_none")}</p></>}
		</Solve>
	);
}

const given = JSON.parse(document.getElementById("data")!.textContent!) as Data;
welcome.value = { loss: given.loss ?? [] } as unknown as Welcome;
document.body.classList.add("handout");
void setLanguage(given.kind === "loop" ? "en" : wanted("")).then(() => {
	render(
		<>
			{given.kind === "loop" ? <LoopPage d={given.data as LoopData} /> : given.kind === "review" ? <ReviewPage r={given.data as Result} classes={given.classes ?? []} /> : <DrillsPage set={(given.data as { problems: SetProblem[] | null }).problems ?? []} />}
			<Live />
		</>,
		document.getElementById("app")!,
	);
});
