import type { Browser } from "playwright-core";
import type { Filled } from "../stage/fill-instance.ts";
import type { OpenConsole } from "../stage/open-console.ts";
import type { Instance } from "../stage/start-instance.ts";

/** Inputs for a complaint check. */
export interface Scene {
  readonly browser: Browser;
  readonly instance: Instance;
  readonly filled: Filled;
  /** The administrator's console. A check must not rely on the page that an earlier check left open. */
  readonly opened: OpenConsole;
  /** Folder with the built console. */
  readonly consoleFolder: string;
}

/** A complaint about other consoles, and a check that it does not apply to ours. */
export interface Complaint {
  /** Number of the complaint in the survey. */
  readonly id: string;
  readonly promise: string;
  run(scene: Scene): Promise<void>;
}

/** Throws an error with the message if the condition is false. */
export function expect(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
