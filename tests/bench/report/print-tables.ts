import type { LatencyRow } from "../sections/measure-latency.ts";
import { lightRate } from "../sections/measure-light.ts";
import type { SliceRow } from "../sections/run-slices.ts";
import { connections } from "../sections/stage.ts";
import { align, withRange } from "./align.ts";
import type { BenchRun } from "./bench-run.ts";
import { idleTable } from "./idle-table.ts";
import { threadTable } from "./thread-table.ts";
import { findRow, times } from "./to-result.ts";

/**
 * A contestant that used less than this share of its core was waiting. Its rate is a lower bound, but its CPU figure is
 * valid.
 */
const saturatedShare = 0.9;

/** Formats the run as tables, with quartiles next to every median. */
export function printTables(run: BenchRun): string {
  const parts = [
    sliceTable("JSON calls", run, run.json),
    threadTable(run.json),
    latencyTable("Latency at a fixed rate", run.latency, run.syncMs),
    sliceTable("Streams of 20 content frames", run, run.sse),
    threadTable(run.sse),
    ...run.bodies.map(({ kib, answerKib, rows }) =>
      sliceTable(
        answerKib === null ? `JSON calls of ${kib} KiB` : `JSON calls with responses of ${answerKib} KiB`,
        run,
        rows,
      ),
    ),
    lightTables(run),
    idleTable(run.idle),
    heldTable(run),
    holdsLines(run),
    comparisonLines(run),
    [...run.absent].map(([name, reason]) => `${name} was not measured: ${reason}`).join("\n"),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Formats rates and CPU times of saturated contestants, relative to the first one. */
export function sliceTable(
  title: string,
  run: Pick<BenchRun, "rounds" | "warmUpCalls">,
  rows: readonly SliceRow[],
): string {
  if (rows.length === 0) return "";
  const lines = rows.map((row) => [
    row.name,
    whole(row.callsPerSecond.median),
    row === rows[0] ? "1" : withRange(row.ratio, 2),
    row.cpuMicros.median.toFixed(0),
    row === rows[0] ? "1" : withRange(row.cpuRatio, 2),
    row.coreShare.median.toFixed(2) + (row.coreShare.median < saturatedShare ? " *" : ""),
  ]);
  const note = rows.some((row) => row.coreShare.median < saturatedShare)
    ? "\n* its core was not full: the load or another process was the limit, so read the CPU figure"
    : "";
  const head = `${title}: ${connections} connections, ${run.rounds} rounds of 1 s slices after ${whole(run.warmUpCalls)} warm-up calls, median (quartiles)`;
  return `${head}\n${align([["", "calls/s", "÷ bare", "CPU µs", "÷ bare", "core used"], ...lines])}${note}`;
}

function lightTables({ light }: BenchRun): string {
  if (light === null) return "";
  const table = latencyTable(`Light load of ${lightRate} calls per second`, light.rows, light.syncMs);
  return `${table}\n\n${threadTable(light.rows)}`;
}

/** Formats latencies and CPU times at fixed rates, next to the time of a sync. */
export function latencyTable(title: string, rows: readonly LatencyRow[], syncMs: number): string {
  if (rows.length === 0) return "";
  const lines = rows.map((row) => [
    row.name,
    String(row.perSecond),
    withRange(row.p50Ms, 2),
    ...(row.name === "direct" ? ["", ""] : [withRange(row.addedP50Ms, 2), withRange(row.cpuMicros, 0)]),
  ]);
  const head = `${title}, from the scheduled time; one fdatasync takes ${syncMs.toFixed(2)} ms here`;
  return `${head}\n${align([["", "calls/s", "p50 ms", "added p50 ms", "CPU µs"], ...lines])}`;
}

function heldTable(run: BenchRun): string {
  if (run.held.length === 0) return "";
  const lines = run.held.map((row) => [
    row.name,
    whole(row.streams),
    (row.bytesPerStream / 1024).toFixed(1),
    row.cpuMicrosPerFrame.toFixed(1),
  ]);
  return `Held streams, a frame every 500 ms\n${align([["", "streams", "KiB each", "CPU µs/frame"], ...lines])}`;
}

function holdsLines({ holds }: BenchRun): string {
  if (holds === null) return "";
  const { slices, quietP50Ms, busyP50Ms } = holds;
  return (
    `One hot organization: CPU per call with holds ÷ without, ${withRange(slices.cpuRatio, 2)}\n` +
    `One call at a time: p50 ${busyP50Ms.toFixed(2)} ms for it, ${quietP50Ms.toFixed(2)} ms for an organization seen for the first time`
  );
}

function comparisonLines(run: BenchRun): string {
  const lines: string[] = [];
  for (const [kind, rows] of [
    ["JSON calls", run.json],
    ["streams", run.sse],
  ] as const) {
    const count = times(findRow(rows, "tollgate"), findRow(rows, "portkey"));
    if (count !== null) lines.push(`Tollgate makes ${count} times the ${kind} of Portkey.`);
  }
  return lines.join("\n");
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
