// The languages of the page, and which of them is loaded. English comes with the page; the
// others are parts of their own, each loaded when it is chosen.
export const LANGUAGES: [string, string][] = [
	["en", "English"],
	["zh", "简体中文"],
	["ja", "日本語"],
	["ko", "한국어"],
];

// The texts in the order of English's keys; what a language lacks is empty.
const loaders: Record<string, () => Promise<{ default: string[] }>> = {
	zh: () => import("gen/zh.json"),
	ja: () => import("gen/ja.json"),
	ko: () => import("gen/ko.json"),
};

/** The texts of a language in the order of English's keys; null: it is English, or cannot be had. */
export const load = async (id: string): Promise<string[] | null> => (await loaders[id]?.().catch(() => null))?.default ?? null;

/** The language that is chosen, "" where the browser's stands, or else that which the browser asks for. */
export function wanted(chosen: string): string {
	if (chosen) return chosen;
	for (const l of navigator.languages) {
		const known = LANGUAGES.find(([id]) => id === l.split("-")[0]);
		if (known) return known[0];
	}
	return "en";
}
