import {
	BookOpen, ChartLine, ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, CircleHelp, Download, Ellipsis, Flag, FlipVertical2, GitBranch,
	Grid3x3, Lightbulb, MessageSquare, Pause, Pencil, Play, Plus, Redo2, Scale, Settings, Sparkles, Target, Trash2, TriangleAlert, Undo2, Upload, Volume2, VolumeX, X, Activity, Check, Search, Hash, Axis3d, GraduationCap, Menu, House, User, Cpu, Share2, Heart,
} from "lucide";

type Data = [string, Record<string, string | number | undefined>][];

const all = {
	play: Grid3x3, analyse: Sparkles, review: BookOpen, drills: Target, training: Activity, settings: Settings, help: CircleHelp, more: Ellipsis,
	undo: Undo2, redo: Redo2, hint: Lightbulb, count: Scale, pass: ChevronRight, resign: Flag, first: ChevronFirst, last: ChevronLast, back: ChevronLeft, on: ChevronRight,
	pause: Pause, go: Play, save: Download, open: Upload, flip: FlipVertical2, tree: GitBranch, note: MessageSquare, graph: ChartLine, edit: Pencil, bin: Trash2,
	warn: TriangleAlert, sound: Volume2, mute: VolumeX, close: X, plus: Plus, check: Check, search: Search, numbers: Hash, coords: Axis3d, learn: GraduationCap, menu: Menu, home: House, user: User, cpu: Cpu, share: Share2, life: Heart, Heart,
};

export type IconName = keyof typeof all;

/** An icon; the control that carries it has the words. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
	return (
		<svg class="icon" width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
			{(all[name] as unknown as Data).map(([Tag, attributes], i) => {
				const Any = Tag as "path";
				return <Any key={i} {...(attributes as object)} />;
			})}
		</svg>
	);
}

/** Kosumi's mark: the diagonal step that it is named after. */
export function Logo({ size = 32 }: { size?: number }) {
	return (
		<svg class="logo" width={size} height={size} viewBox="0 0 64 64" aria-hidden="true">
			<rect width="64" height="64" rx="14" fill="#E3BE7E" />
			<path d="M20 0v64M44 0v64M0 20h64M0 44h64" stroke="#3B2A14" stroke-width="2" opacity="0.7" />
			<circle cx="20" cy="44" r="13.5" fill="#1D1D20" />
			<circle cx="44" cy="20" r="13.5" fill="#FBF9F3" stroke="#8D877A" />
		</svg>
	);
}
