import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONSOLE_FOLDER } from "../run-options.ts";
import { buildConsole } from "./build-console.ts";
import { installChromium } from "./open-browser.ts";

/** Installs the browser and builds the console, unless they are there. Returns a function that removes the build. */
export default function prepareRun(): () => void {
  installChromium();
  if (process.env[CONSOLE_FOLDER] !== undefined) return () => {};
  const folder = mkdtempSync(join(tmpdir(), "tollgate-e2e-console-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    buildConsole(folder);
  } catch (error) {
    remove();
    throw error;
  }
  process.env[CONSOLE_FOLDER] = folder;
  return remove;
}
