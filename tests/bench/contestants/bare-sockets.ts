import type { StartContestant } from "./contestant.ts";
import { startNodeProgram } from "./start-node-program.ts";

/** Starts the second baseline: a proxy on sockets, without Node's HTTP server and without undici. */
export const startBareSockets: StartContestant = (ports, directory) =>
  startNodeProgram("bare-sockets", "bare-sockets-proxy.ts", ports, directory);
