import type { Contestant } from "../contestants/contestant.ts";
import { startTollgate } from "../contestants/tollgate.ts";
import { targetOf } from "../load/target-of.ts";
import { readCpuMs, readResidentBytes } from "../measure/process-usage.ts";
import { quantile } from "../measure/statistics.ts";
import { bringOn, type Stage } from "../sections/stage.ts";
import { warmUp } from "../sections/warm-up.ts";
import { type CallSize, plan } from "./plan.ts";
import { readRedisCommands } from "./read-redis-commands.ts";

const frameEveryMs = 500;
const openedPerSecond = 200;
/**
 * Time to wait for calls to be settled, so that the cost of settlement counts toward the same load size and not the
 * next one.
 */
const settledAfterMs = 600;
/** Other processes on the machine can only add to the measured cost, so the quieter rounds are more accurate. */
const quietQuantile = 0.25;

/** Resource usage of a gateway at each load size, from the quieter rounds. */
export interface GatewayMeasurement {
  /** Number of cores, by index of the load size in the plan. */
  readonly callCores: readonly number[];
  readonly chunkCores: readonly number[];
  /** Raw data, by round. */
  readonly callCoresByRound: readonly (readonly number[])[];
  readonly chunkCoresByRound: readonly (readonly number[])[];
  /** Total memory of the supervisor, the gateway, and the worker, after the load. */
  readonly idleMiB: number;
  /** Memory of the largest process, which is the gateway. */
  readonly processMiB: number;
  readonly bytesPerStream: number;
  readonly redisCommandsPerSecond: number;
}

/**
 * Applies every load size to one gateway in turn, round after round, so that a busy machine affects all of them
 * equally.
 */
export async function measureGateway(stage: Stage): Promise<GatewayMeasurement> {
  const { callSizes, streamCounts, callMs, streamMs } = plan(stage.isQuick);
  const gateway = await bringOn(stage, startTollgate);
  const largest = Math.max(...callSizes.map(({ moreKiB }) => moreKiB));
  await warmUp(stage, gateway, "json");
  await warmUp(stage, gateway, "json", largest * 1024);
  await warmUp(stage, gateway, "sse");
  const idleBytes = readResidentBytes(gateway.pids());
  const processBytes = Math.max(...gateway.pids().map((pid) => readResidentBytes([pid])));
  const most = streamCounts.indexOf(Math.max(...streamCounts));

  const calls = callSizes.map(() => [] as number[]);
  const chunks = streamCounts.map(() => [] as number[]);
  const streamBytes: number[] = [];
  const commands: number[] = [];
  for (let round = 1; round <= stage.rounds; round += 1) {
    // Rotate, so that each round starts with a different load size.
    for (const [index, size] of rotate([...callSizes.entries()], round)) {
      stage.showProgress(
        `model: round ${round} of ${stage.rounds}, ${size.callsPerSecond} calls/s, +${size.moreKiB} KiB`,
      );
      const before = await readRedisCommands();
      calls[index]?.push(await measureCalls(stage, gateway, size, callMs));
      commands.push(((await readRedisCommands()) - before) / ((callMs + settledAfterMs) / 1000));
    }
    for (const [index, streams] of rotate([...streamCounts.entries()], round)) {
      stage.showProgress(`model: round ${round} of ${stage.rounds}, ${streams} streams`);
      const held = await measureStreams(stage, gateway, streams, streamMs);
      chunks[index]?.push(held.cores);
      if (round === 1 && index === most) streamBytes.push((held.bytes - idleBytes) / streams);
    }
  }
  await gateway.stop();
  return {
    callCores: calls.map((values) => quantile(values, quietQuantile)),
    chunkCores: chunks.map((values) => quantile(values, quietQuantile)),
    callCoresByRound: calls,
    chunkCoresByRound: chunks,
    idleMiB: Math.round(idleBytes / 2 ** 20),
    processMiB: Math.round(processBytes / 2 ** 20),
    bytesPerStream: Math.round(Math.max(0, quantile(streamBytes, 0.5))),
    redisCommandsPerSecond: Math.round(quantile(commands, 0.5)),
  };
}

/**
 * Returns the number of cores that the gateway uses under this load. Uses CPU time, which other processes affect less
 * than elapsed time.
 */
async function measureCalls(stage: Stage, gateway: Contestant, size: CallSize, durationMs: number): Promise<number> {
  const target = targetOf(gateway, "json", size.moreKiB * 1024);
  const beforeMs = readCpuMs(gateway.pids());
  const { completed } = await stage.generator.runOpenLoop({
    target,
    perSecond: size.callsPerSecond,
    durationMs,
    pids: [],
  });
  await pause(settledAfterMs);
  const cpuMs = readCpuMs(gateway.pids()) - beforeMs;
  // A delayed load takes longer than planned, so scale the CPU time per call to the planned rate.
  return (cpuMs / completed) * (size.callsPerSecond / 1000);
}

async function measureStreams(
  stage: Stage,
  gateway: Contestant,
  streams: number,
  durationMs: number,
): Promise<{ cores: number; bytes: number }> {
  await stage.generator.holdOpen(targetOf(gateway, "held"), streams, openedPerSecond);
  await pause(frameEveryMs);
  const [beforeMs, startedAtMs] = [readCpuMs(gateway.pids()), performance.now()];
  await pause(durationMs);
  const cores = (readCpuMs(gateway.pids()) - beforeMs) / (performance.now() - startedAtMs);
  const bytes = readResidentBytes(gateway.pids());
  // This call throws if a stream has failed.
  await stage.generator.countHeldBytes();
  await stage.upstream.endHeldStreams();
  await stage.generator.awaitHeldEnd();
  return { cores, bytes };
}

/** Returns the total chunks per second from this many held streams. */
export function chunksOf(streams: number): number {
  return (streams * 1000) / frameEveryMs;
}

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  return items.map((_, index) => items[(index + by) % items.length] as Item);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
