import type { StartContestant } from "./contestant.ts";
import { startNodeProgram } from "./start-node-program.ts";

/** Starts the baseline proxy for the JSON ratios. */
export const startBareJson: StartContestant = (ports, directory) =>
  startNodeProgram("bare-json", "bare-json-proxy.ts", ports, directory);
