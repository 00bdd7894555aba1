declare module "wasm_exec"; // the Go compiler's, see web/build/site.go
