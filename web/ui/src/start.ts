// The page begins here: its language, the page itself and an open game are fetched side by side.
import { load, wanted } from "./languages";

let chosen = "";
try {
	chosen = String(JSON.parse(localStorage.getItem("kosumi.settings") ?? "{}").language ?? "");
} catch {
	// settings.ts mends what is damaged
}
void load(wanted(chosen)); // main.tsx asks for it again
void import("./main");
if ((location.pathname + location.hash).includes("/play/")) void import("./views/Play").catch(() => undefined); // main.tsx says what is missing
