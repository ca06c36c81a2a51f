// Runs a WASI preview 1 command: node node_wasi.mjs firmware.wasm <vectors >results
import { readFile } from "node:fs/promises";
import { argv, exit, stderr } from "node:process";
import { WASI } from "node:wasi";

const TRAPPED = 134;
const wasi = new WASI({ version: "preview1", returnOnExit: true });
const module = await WebAssembly.compile(await readFile(argv[2]));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
try {
  exit(wasi.start(instance));
} catch (problem) {
  stderr.write(`${problem.name}: ${problem.message}\n`);
  exit(TRAPPED);
}
