import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Contestant } from "../contestants/contestant.ts";
import { startTollgateWithLimit } from "../contestants/tollgate.ts";
import type { SliceResult, Target } from "../load/commands.ts";
import { targetOf } from "../load/target-of.ts";
import { ask } from "../processes/ask.ts";
import { undoAtEnd } from "../processes/clean-up.ts";
import { cores } from "../processes/cores.ts";
import { takeFreePort } from "../processes/free-port.ts";
import { startPinned } from "../processes/start-pinned.ts";
import { writeChatRequest, writeHttpRequest } from "../wire/chat-request.ts";
import type { Arrivals, ArrivalsCommand, ArrivalsResult, Crowd } from "./arrivals.ts";
import type { DelayedCommand } from "./delayed-upstream.ts";

/** A gateway with a concurrency limit, organizations that call it, and an upstream with a delay. */
export interface GoodputStage {
  /** One target per organization. */
  readonly targets: readonly Target[];
  /** Targets for a model that the gateway simulates, so that the upstream is not the bottleneck. */
  readonly playedTargets: readonly Target[];
  /** Sets the upstream's delay. */
  delay(ms: number): Promise<void>;
  /** The same seed gives the same call times. */
  offer(crowds: readonly Crowd[], durationMs: number, seed?: number): Promise<ArrivalsResult>;
  saturate(connections: number, durationMs: number): Promise<SliceResult>;
}

export async function startGoodputStage(maxInFlight: number, organizations: number): Promise<GoodputStage> {
  const directory = makeDirectory();
  undoAtEnd(async () => rmSync(directory, { recursive: true, force: true }));
  const start = (name: string, file: string, core: number) =>
    startPinned({
      name,
      core,
      command: process.execPath,
      args: [fileURLToPath(new URL(file, import.meta.url))],
      directory,
      hasChannel: true,
    });
  const upstream = start("upstream", "delayed-upstream.ts", cores.upstream);
  const generator = start("generator", "arrivals-generator.ts", cores.load);
  const upstreamPort = await takeFreePort();
  const tell = (command: DelayedCommand) => ask<void>(upstream, command);
  await tell({ kind: "listen", port: upstreamPort });
  const ports = { own: await takeFreePort(), upstream: upstreamPort };
  const gateway = await startTollgateWithLimit(maxInFlight)(ports, directory);
  const keys = (await gateway.addQuietCallers?.(organizations)) ?? [];
  const targets = keys.map((key) => targetOf(withKey(gateway, key), "json"));
  const playedTargets = keys.map((key) => playedTargetOf(withKey(gateway, key)));
  const order = <Value>(command: ArrivalsCommand) => ask<Value>(generator, command, 120_000);
  let nextSeed = 0;
  return {
    targets,
    playedTargets,
    delay: (ms) => tell({ kind: "delay", ms }),
    offer: (crowds, durationMs, given) => {
      nextSeed += 1;
      const seed = given ?? nextSeed;
      const arrivals: Arrivals = { crowds, durationMs, pids: gateway.pids(), seed };
      return order({ kind: "arrivals", ...arrivals });
    },
    saturate: (connections, durationMs) => {
      const [target] = playedTargets as unknown as readonly [Target];
      return order({ kind: "closedLoop", target, connections, end: { afterMs: durationMs }, pids: gateway.pids() });
    },
  };
}

const withKey = (gateway: Contestant, key: string): Contestant => ({
  ...gateway,
  headers: { authorization: `Bearer ${key}` },
});

function playedTargetOf(gateway: Contestant): Target {
  const url = new URL("/v1/chat/completions", gateway.url);
  const request = writeHttpRequest(url, gateway.headers, writeChatRequest("sim/paid", false)).toString("base64");
  // The simulated model's responses differ from the fake upstream's, so they are not compared.
  return { ...targetOf(gateway, "json"), request, isHeld: true };
}

/**
 * Creates a folder on the repository's disk, because a temporary folder may be in memory, where a sync costs nothing.
 */
function makeDirectory(): string {
  const cache = join(import.meta.dirname, "../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  return mkdtempSync(join(cache, "goodput-"));
}
