import type { StartContestant } from "./contestant.ts";
import { startNodeProgram } from "./start-node-program.ts";

/** Starts the baseline of the stream ratios. */
export const startBareSse: StartContestant = (ports, directory) =>
  startNodeProgram("bare-sse", "bare-sse-pipe.ts", ports, directory);
