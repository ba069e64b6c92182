import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { cores } from "../processes/cores.ts";
import { startPinned } from "../processes/start-pinned.ts";
import { type StartContestant, waitUntilListening } from "./contestant.ts";

/** Starts Portkey's gateway, which also runs on Node, without keys, limits, or usage records. */
export const startPortkey: StartContestant = async (ports, directory) => {
  const manifest = createRequire(import.meta.url).resolve("@portkey-ai/gateway/package.json");
  const program = startPinned({
    name: `portkey-${ports.own}`,
    core: cores.contestant,
    command: process.execPath,
    args: [join(dirname(manifest), "build/start-server.js"), `--port=${ports.own}`, "--headless"],
    directory,
    env: { NODE_ENV: "production" },
  });
  await waitUntilListening("portkey", ports.own, program);
  return {
    name: "portkey",
    version: createRequire(import.meta.url)(manifest).version,
    url: `http://127.0.0.1:${ports.own}`,
    headers: {
      authorization: "Bearer sk-bench",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `http://127.0.0.1:${ports.upstream}/v1`,
    },
    rewritesModel: false,
    pids: program.pids,
    stop: program.stop,
  };
};
