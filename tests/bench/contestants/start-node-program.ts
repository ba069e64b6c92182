import { fileURLToPath } from "node:url";
import { cores } from "../processes/cores.ts";
import { startPinned } from "../processes/start-pinned.ts";
import { type Contestant, type Ports, waitUntilListening } from "./contestant.ts";

/** Starts one of the baseline programs in this folder. */
export async function startNodeProgram(
  name: string,
  file: string,
  ports: Ports,
  directory: string,
): Promise<Contestant> {
  const program = startPinned({
    name: `${name}-${ports.own}`,
    core: cores.contestant,
    command: process.execPath,
    args: [fileURLToPath(new URL(file, import.meta.url)), String(ports.own), String(ports.upstream)],
    directory,
  });
  await waitUntilListening(name, ports.own, program);
  return {
    name,
    version: process.version,
    url: `http://127.0.0.1:${ports.own}`,
    headers: { authorization: "Bearer sk-bench" },
    rewritesModel: false,
    pids: program.pids,
    stop: program.stop,
  };
}
