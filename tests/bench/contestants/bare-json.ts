import type { StartContestant } from "./contestant.ts";
import { startNodeProgram } from "./start-node-program.ts";

/** Starts the baseline of the JSON ratios. */
export const startBareJson: StartContestant = (ports, directory) =>
  startNodeProgram("bare-json", "bare-json-proxy.ts", ports, directory);
