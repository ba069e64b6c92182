import { startBareJson } from "../contestants/bare-json.ts";
import { startBareSse } from "../contestants/bare-sse.ts";
import type { Contestant, StartContestant } from "../contestants/contestant.ts";
import { startLitellm } from "../contestants/litellm.ts";
import { startPortkey } from "../contestants/portkey.ts";
import { startTollgate, startWithoutHolds } from "../contestants/tollgate.ts";
import { readResidentBytes } from "../measure/process-usage.ts";
import { type LatencyRow, measureLatency } from "../sections/measure-latency.ts";
import { runSlices, type SliceRow } from "../sections/run-slices.ts";
import { bringOn, bringOnIfPossible, type Stage } from "../sections/stage.ts";
import { type HeldReport, holdStreams } from "./hold-streams.ts";

/** A rate that the slowest peer serves with a small fraction of a core. */
export const peerRate = 20;
const heldSteps = { quick: [100, 300], full: [100, 250, 500, 1000, 2000, 4000, 9000] };

/** Peers that cannot be measured, and the reasons. */
const unavailable: ReadonlyMap<string, string> = new Map([
  [
    "bifrost",
    "Its Go modules are not available from the Go proxy on this machine, and its npm package only downloads a program from another host",
  ],
]);

export interface PeersRun {
  readonly json: readonly SliceRow[];
  readonly latency: readonly LatencyRow[];
  readonly sse: readonly SliceRow[];
  /** Memory after startup and after saturation, by contestant. */
  readonly resident: ReadonlyMap<string, { readonly idleBytes: number; readonly loadedBytes: number }>;
  readonly held: ReadonlyMap<string, HeldReport>;
}

/**
 * Measures calls, latency, streams, and memory of Tollgate (with and without billing) and its peers in one interleaved
 * run.
 */
export async function measurePeers(stage: Stage): Promise<PeersRun> {
  for (const [name, reason] of unavailable) stage.absent.set(name, reason);
  const peers = (
    [
      ["portkey", startPortkey],
      ["litellm", startLitellm],
    ] as const
  ).filter(([name]) => !stage.absent.has(name));
  const bareJson = await bringOn(stage, startBareJson);
  const bareSse = await bringOn(stage, startBareSse);
  const others: Contestant[] = [await bringOn(stage, startTollgate), await bringOn(stage, startWithoutHolds)];
  for (const [name, start] of peers) {
    stage.showProgress(`starting ${name}`);
    const peer = await bringOnIfPossible(stage, name, start);
    if (peer !== null) others.push(peer);
  }
  const all = [bareJson, bareSse, ...others];
  const idle = new Map(all.map((contestant) => [contestant.name, readResidentBytes(contestant.pids())]));
  const json = await runSlices(stage, "json", bareJson, others);
  const latency = await measureLatency(stage, [bareJson, ...others], [peerRate]);
  const sse = await runSlices(stage, "sse", bareSse, others);
  const resident = new Map(
    all.map((contestant) => {
      const loadedBytes = readResidentBytes(contestant.pids());
      return [contestant.name, { idleBytes: idle.get(contestant.name) ?? 0, loadedBytes }];
    }),
  );
  await Promise.all(all.map((contestant) => contestant.stop()));

  const held = new Map<string, HeldReport>();
  const starts: readonly StartContestant[] = [
    startBareSse,
    startTollgate,
    startWithoutHolds,
    ...peers.filter(([name]) => !stage.absent.has(name)).map(([, start]) => start),
  ];
  for (const start of starts) {
    // Use a new process, because memory left over from earlier load would count toward the streams.
    const contestant = await bringOnAgain(stage, start);
    const rate = sse.find(({ name }) => name === contestant.name)?.callsPerSecond.median ?? 0;
    const steps = stage.isQuick ? heldSteps.quick : heldSteps.full;
    held.set(contestant.name, await holdStreams(stage, contestant, steps, rate));
    await contestant.stop();
  }
  return { json, latency, sse, resident, held };
}

/** Retries once, for example if the port was taken, so that earlier results are not lost. */
async function bringOnAgain(stage: Stage, start: StartContestant): Promise<Contestant> {
  try {
    return await bringOn(stage, start);
  } catch {
    return bringOn(stage, start);
  }
}
