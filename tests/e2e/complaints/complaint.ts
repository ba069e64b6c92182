import type { Browser } from "playwright-core";
import type { Filled } from "../stage/fill-instance.ts";
import type { OpenConsole } from "../stage/open-console.ts";
import type { Instance } from "../stage/start-instance.ts";

/** What a check of a complaint is given. */
export interface Scene {
  readonly browser: Browser;
  readonly instance: Instance;
  readonly filled: Filled;
  /** The administrator's console; a check leaves no page behind that the next one needs. */
  readonly opened: OpenConsole;
  /** Where the built console is. */
  readonly consoleFolder: string;
}

/** Something people say of other consoles, and how it is seen that it cannot be said of ours. */
export interface Complaint {
  /** Its number in the survey. */
  readonly id: string;
  readonly promise: string;
  run(scene: Scene): Promise<void>;
}

/** Fails with the sentence when it is not so. */
export function expect(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
