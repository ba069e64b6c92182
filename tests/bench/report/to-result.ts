import type { ThreadTimes } from "../measure/process-usage.ts";
import { quantile, type Spread } from "../measure/statistics.ts";
import { type LatencyRow, rates } from "../sections/measure-latency.ts";
import { lightRate } from "../sections/measure-light.ts";
import type { SliceRow } from "../sections/run-slices.ts";
import type { BenchRun } from "./bench-run.ts";
import { sumIdle } from "./idle-table.ts";

/** Converts the run to a plain object. Missing figures are null, never omitted. */
export function toResult(run: BenchRun) {
  const json = findRow(run.json, "tollgate");
  const sse = findRow(run.sse, "tollgate");
  const nginx = findRow(run.json, "nginx");
  const added = (name: string) =>
    run.latency.find((row) => row.name === name && row.perSecond === rates[0])?.addedP50Ms ?? null;
  const light = (name: string) => run.light?.rows.find((row) => row.name === name);
  const idle = run.idle.length === 0 ? null : sumIdle(run.idle);
  const held = (name: string) => run.held.find((row) => row.name === name) ?? null;
  return {
    json: {
      ratio: figure(json?.ratio),
      ratioRange: range(json?.ratio),
      cpuRatio: figure(json?.cpuRatio),
      cpuRatioRange: range(json?.cpuRatio),
      addedP50Ms: figure(added("tollgate")),
      addedP50MsRange: range(added("tollgate")),
      bareAddedP50Ms: figure(added("bare-json")),
      bareAddedP50MsRange: range(added("bare-json")),
      atCallsPerSecond: rates[0],
      coreShare: figure(json?.coreShare),
    },
    sse: {
      ratio: figure(sse?.ratio),
      ratioRange: range(sse?.ratio),
      cpuRatio: figure(sse?.cpuRatio),
      cpuRatioRange: range(sse?.cpuRatio),
      coreShare: figure(sse?.coreShare),
      bytesPerStream: round(held("tollgate")?.bytesPerStream, 0),
      bareBytesPerStream: round(held("bare-sse")?.bytesPerStream, 0),
      cpuMicrosPerHeldFrame: round(held("tollgate")?.cpuMicrosPerFrame, 1),
      bareCpuMicrosPerHeldFrame: round(held("bare-sse")?.cpuMicrosPerFrame, 1),
      heldStreams: run.held[0]?.streams ?? null,
    },
    light: {
      addedP50Ms: figure(light("tollgate")?.addedP50Ms),
      addedP50MsRange: range(light("tollgate")?.addedP50Ms),
      bareAddedP50Ms: figure(light("bare-json")?.addedP50Ms),
      bareAddedP50MsRange: range(light("bare-json")?.addedP50Ms),
      cpuMicros: round(light("tollgate")?.cpuMicros.median, 1),
      cpuMicrosRange: range(light("tollgate")?.cpuMicros),
      bareCpuMicros: round(light("bare-json")?.cpuMicros.median, 1),
      threads: roundTimes(light("tollgate")?.threadMicros),
      syncMs: round(run.light?.syncMs, 3),
      atCallsPerSecond: lightRate,
    },
    idle: {
      cpuPercent: round(idle?.cpuPercent, 3),
      wakeupsPerSecond: round(idle?.wakeUpsPerSecond, 1),
      rssMiB: round(idle?.rssMiB, 1),
      pssMiB: round(idle?.pssMiB, 1),
      processes: run.idle.map(({ name, cpuPercent, wakeUpsPerSecond, residentBytes, proportionalBytes }) => ({
        name,
        cpuPercent: round(cpuPercent, 3),
        wakeupsPerSecond: round(wakeUpsPerSecond, 1),
        rssMiB: round(residentBytes / 2 ** 20, 1),
        pssMiB: round(proportionalBytes / 2 ** 20, 1),
      })),
    },
    bodies: run.bodies.map(({ kib, answerKib, rows }) => ({
      kib,
      answerKib,
      ...toRatios(findRow(rows, "tollgate")),
      bareSockets: toRatios(findRow(rows, "bare-sockets")),
      rows: rows.map(toRoundedRow),
    })),
    bareSockets: { json: toRatios(findRow(run.json, "bare-sockets")), sse: toRatios(findRow(run.sse, "bare-sockets")) },
    unpinned: {
      json: toRatios(findRow(run.json, "tollgate-unpinned")),
      sse: toRatios(findRow(run.sse, "tollgate-unpinned")),
    },
    holds: {
      cpuRatio: figure(run.holds?.slices.cpuRatio),
      cpuRatioRange: range(run.holds?.slices.cpuRatio),
      quietAddedP50Ms: round(run.holds === null ? null : run.holds.quietP50Ms - run.holds.busyP50Ms, 3),
      quietP50Ms: round(run.holds?.quietP50Ms, 3),
      busyP50Ms: round(run.holds?.busyP50Ms, 3),
    },
    portkey: {
      jsonTimes: times(json, findRow(run.json, "portkey")),
      sseTimes: times(sse, findRow(run.sse, "portkey")),
    },
    nginx: {
      jsonRatio: figure(nginx?.ratio),
      jsonCpuRatio: figure(nginx?.cpuRatio),
      coreShare: figure(nginx?.coreShare),
    },
    rows: {
      json: run.json.map(toRoundedRow),
      sse: run.sse.map(toRoundedRow),
      latency: run.latency.map(toRoundedLatency),
    },
    syncMs: round(run.syncMs, 3),
    rounds: run.rounds,
    warmUpCalls: run.warmUpCalls,
    startedAt: run.startedAt,
    elapsedSeconds: round(run.elapsedSeconds, 0),
    versions: { node: process.version, ...Object.fromEntries(run.versions) },
    absent: Object.fromEntries(run.absent),
  };
}

/** Returns the median, across all rounds, of the ratio between two contestants' call rates. */
export function times(one: SliceRow | undefined, other: SliceRow | undefined): number | null {
  if (one === undefined || other === undefined) return null;
  const byRound = one.ratios.map((ratio, index) => ratio / (other.ratios[index] ?? Number.NaN));
  return round(quantile(byRound, 0.5), 2);
}

export function findRow(rows: readonly SliceRow[], name: string): SliceRow | undefined {
  return rows.find((row) => row.name === name);
}

/** Rounds a row of calls at a fixed rate. */
export function toRoundedLatency(row: LatencyRow) {
  return {
    name: row.name,
    callsPerSecond: row.perSecond,
    p50Ms: figure(row.p50Ms),
    addedP50Ms: figure(row.addedP50Ms),
    cpuMicros: round(row.cpuMicros.median, 1),
    threads: roundTimes(row.threadMicros),
  };
}

function toRatios(row: SliceRow | undefined) {
  return {
    ratio: figure(row?.ratio),
    ratioRange: range(row?.ratio),
    cpuRatio: figure(row?.cpuRatio),
    cpuRatioRange: range(row?.cpuRatio),
    coreShare: figure(row?.coreShare),
  };
}

/** Rounds a row of saturated slices. */
export function toRoundedRow(row: SliceRow) {
  return {
    name: row.name,
    callsPerSecond: round(row.callsPerSecond.median, 0),
    cpuMicros: round(row.cpuMicros.median, 1),
    ratio: figure(row.ratio),
    cpuRatio: figure(row.cpuRatio),
    coreShare: figure(row.coreShare),
    threads: roundTimes(row.threadMicros),
  };
}

function roundTimes(times: ThreadTimes | undefined): Record<string, number | null> | null {
  if (times === undefined) return null;
  return Object.fromEntries(Object.entries(times).map(([group, micros]) => [group, round(micros, 2)]));
}

function figure(spread: Spread | null | undefined): number | null {
  return round(spread?.median, 3);
}

function range(spread: Spread | null | undefined): [number | null, number | null] | null {
  return spread == null ? null : [round(spread.low, 3), round(spread.high, 3)];
}

/** Rounds a figure for the JSON object. A figure that could not be computed is null. */
export function round(value: number | null | undefined, digits: number): number | null {
  return value == null || !Number.isFinite(value) ? null : Number(value.toFixed(digits));
}
