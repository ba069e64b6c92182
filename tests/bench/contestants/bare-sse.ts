import type { StartContestant } from "./contestant.ts";
import { startNodeProgram } from "./start-node-program.ts";

/** Starts the baseline proxy for the stream ratios. */
export const startBareSse: StartContestant = (ports, directory) =>
  startNodeProgram("bare-sse", "bare-sse-pipe.ts", ports, directory);
