declare module "wasm_exec"; // the Go compiler's, see web/ui/site.mjs
