import { SCALE } from "../board/overlay";
import { signed } from "../i18n";
import { welcome } from "../net";

/** The bounds, in points, between the classes of moves, as the server has them. */
export const bounds = (): number[] => welcome.value?.loss ?? [];

/** The class of a loss in points, from 0. */
export const classOf = (loss: number): number => bounds().filter((b) => loss >= b).length;

/** The signs behind a mistake, so that not only its colour tells. */
const SIGNS = ["", "", "", " ?", " ??", " ???"];

export function LossChip({ loss, cls }: { loss: number; cls: number }) {
	return <span class="chip-loss" style={{ background: SCALE[cls][0], color: SCALE[cls][1] }}>{signed(-loss)}{SIGNS[cls]}</span>;
}
