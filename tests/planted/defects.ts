import { cliDefects } from "./cli-defects.ts";
import { consoleDefects } from "./console-defects.ts";
import type { Defect } from "./defect.ts";

/** All planted defects by area. */
export const areas: Readonly<Record<string, readonly Defect[]>> = { console: consoleDefects, cli: cliDefects };
