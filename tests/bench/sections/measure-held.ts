import type { StartContestant } from "../contestants/contestant.ts";
import { targetOf } from "../load/target-of.ts";
import { readCpuMs, readOpenFileLimit, readResidentBytes } from "../measure/process-usage.ts";
import { quantile } from "../measure/statistics.ts";
import { contentFrame } from "../wire/chat-answer.ts";
import { bringOn, type Stage } from "./stage.ts";

const streamsPerSecond = 700;
const shortStreams = { perSecond: 200, durationMs: 1000 };
/** Size of a frame including its HTTP chunk header and line endings. */
const frameBytes = contentFrame(1, true).length + 7;
/** A proxy has two sockets per stream and needs some additional file descriptors. */
const spareFiles = 1000;

export interface HeldRow {
  readonly name: string;
  readonly streams: number;
  readonly bytesPerStream: number;
  readonly cpuMicrosPerFrame: number;
}

/** Measures the memory and CPU usage of a new process with many open streams, each with a frame every half second. */
export async function measureHeld(stage: Stage, start: StartContestant): Promise<HeldRow> {
  const wanted = stage.isQuick ? 3000 : 9000;
  const streams = Math.min(wanted, Math.floor((readOpenFileLimit() - spareFiles) / 2));
  const steadyMs = stage.isQuick ? 3000 : 6000;
  const contestant = await bringOn(stage, start);
  const show = (step: string) => stage.showProgress(`held: ${contestant.name}, ${step}`);

  // Code that is loaded on first use doesn't count toward a stream's memory, so measure idle memory after a little
  // work. More work would grow the heap so much that the heap could absorb the held streams.
  show("some short streams first");
  await stage.generator.runOpenLoop({ target: targetOf(contestant, "sse"), ...shortStreams, pids: [] });
  const idleBytes = (await sampleResidentBytes(contestant.pids(), 1000)).median;

  show(`opening ${streams} streams`);
  await stage.generator.holdOpen(targetOf(contestant, "held"), streams, streamsPerSecond);
  show(`${streams} streams open`);
  const bytesBefore = await stage.generator.countHeldBytes();
  const held = await sampleResidentBytes(contestant.pids(), steadyMs);
  const frames = ((await stage.generator.countHeldBytes()) - bytesBefore) / frameBytes;

  show("ending all streams");
  await stage.upstream.endHeldStreams();
  const ended = await stage.generator.awaitHeldEnd();
  await contestant.stop();
  if (ended !== streams) throw new Error(`${contestant.name}: ${ended} of ${streams} held streams came to their end`);
  return {
    name: contestant.name,
    streams,
    bytesPerStream: (held.median - idleBytes) / streams,
    cpuMicrosPerFrame: (held.cpuMs / frames) * 1000,
  };
}

async function sampleResidentBytes(pids: number[], durationMs: number): Promise<{ median: number; cpuMs: number }> {
  const samples: number[] = [];
  const cpuBeforeMs = readCpuMs(pids);
  const deadline = performance.now() + durationMs;
  while (performance.now() < deadline) {
    samples.push(readResidentBytes(pids));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { median: quantile(samples, 0.5), cpuMs: readCpuMs(pids) - cpuBeforeMs };
}
