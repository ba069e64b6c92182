import type { Contestant } from "../contestants/contestant.ts";
import { targetOf } from "../load/target-of.ts";
import { readCpuMs, readOpenFileLimit, readResidentBytes } from "../measure/process-usage.ts";
import type { Stage } from "../sections/stage.ts";

/** Interval between frames on each held stream. */
const frameEveryMs = 500;
/** Minimum frame size. A reserialized frame may be shorter than the upstream's. */
const leastFrameBytes = 60;
/** Minimum frame rate relative to the expected rate. Streams below it count as open, but not as held. */
const leastPace = 0.9;
/** Streams are opened at a fraction of the saturation rate, so that opening them doesn't fail. */
const openingShare = 0.3;
const fastestOpening = 700;
/** A proxy has two sockets per stream and needs some additional file descriptors. */
const spareFiles = 1000;

export interface HeldStreams {
  readonly streams: number;
  readonly residentBytes: number;
  readonly cpuMicrosPerFrame: number;
}

export interface HeldReport {
  /** Maximum number of concurrently held streams; null if even the first step failed. */
  readonly most: HeldStreams | null;
  readonly steps: readonly HeldStreams[];
  /** Reason why the measurement stopped before the last step; null if all steps succeeded. */
  readonly failure: string | null;
}

/** Holds more and more streams open until some fail or fall behind. */
export async function holdStreams(
  stage: Stage,
  contestant: Contestant,
  steps: readonly number[],
  streamsPerSecond: number,
): Promise<HeldReport> {
  const room = Math.floor((readOpenFileLimit() - spareFiles) / 2);
  const held: HeldStreams[] = [];
  for (const streams of steps.filter((step) => step <= room)) {
    stage.showProgress(`held: ${contestant.name}, ${streams} streams`);
    try {
      held.push(await hold(stage, contestant, streams, streamsPerSecond));
    } catch (error) {
      await stage.generator.dropHeld();
      const failure = `${streams} streams: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
      return { most: held.at(-1) ?? null, steps: held, failure };
    }
  }
  return { most: held.at(-1) ?? null, steps: held, failure: null };
}

async function hold(
  stage: Stage,
  contestant: Contestant,
  streams: number,
  streamsPerSecond: number,
): Promise<HeldStreams> {
  const opening = Math.max(5, Math.min(fastestOpening, Math.floor(streamsPerSecond * openingShare)));
  const steadyMs = stage.isQuick ? 2000 : 6000;
  await stage.generator.holdOpen(targetOf(contestant, "held"), streams, opening);
  const pids = contestant.pids();
  const before = { cpuMs: readCpuMs(pids), bytes: await stage.generator.countHeldBytes(), atMs: performance.now() };
  await new Promise((resolve) => setTimeout(resolve, steadyMs));
  const cpuMs = readCpuMs(pids) - before.cpuMs;
  const residentBytes = readResidentBytes(pids);
  const elapsedMs = performance.now() - before.atMs;
  const bytes = (await stage.generator.countHeldBytes()) - before.bytes;
  const frames = streams * (elapsedMs / frameEveryMs);
  await stage.upstream.endHeldStreams();
  await stage.generator.awaitHeldEnd();
  if (bytes < frames * leastFrameBytes * leastPace) throw new Error("frames came later than the upstream sent them");
  return { streams, residentBytes, cpuMicrosPerFrame: (cpuMs / frames) * 1000 };
}
