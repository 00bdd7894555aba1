// Where the page begins: its language and the page itself are fetched side by side.
import { load, wanted } from "./languages";

let chosen = "";
try {
	chosen = String(JSON.parse(localStorage.getItem("kosumi.settings") ?? "{}").language ?? "");
} catch {
	// settings.ts mends what is damaged
}
void load(wanted(chosen)); // main.tsx asks for it again
void import("./main");
