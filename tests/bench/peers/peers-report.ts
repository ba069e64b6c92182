import { describeMachine, describeRun } from "../measure/describe-machine.ts";
import type { Spread } from "../measure/statistics.ts";
import type { SliceRow } from "../sections/run-slices.ts";
import type { Stage } from "../sections/stage.ts";
import { measurePeers, type PeersRun, peerRate } from "./measure-peers.ts";

const mebibyte = 2 ** 20;
/** Row titles of the table. */
const titles: Readonly<Record<string, string>> = {
  tollgate: "Tollgate (billing on)",
  "no holds": "Tollgate (billing off)",
  portkey: "Portkey",
  litellm: "LiteLLM",
  "bare-json": "bare Node proxy",
  "bare-sse": "bare Node pipe",
};

/** Measures the peers and returns the table and the raw figures. */
export async function peersReport(stage: Stage, startedAt: string): Promise<{ text: string; data: object }> {
  const run = await measurePeers(stage);
  const names = [...new Set([...run.json, ...run.sse].map(({ name }) => name))];
  const data = {
    startedAt,
    elapsedSeconds: Math.round(performance.now() / 1000),
    rounds: stage.rounds,
    isQuick: stage.isQuick,
    latencyCallsPerSecond: peerRate,
    machine: describeMachine(),
    versions: Object.fromEntries(stage.versions),
    notMeasured: Object.fromEntries(stage.absent),
    contestants: names.map((name) => toFigures(run, name)),
  };
  return { text: toMarkdown(data), data };
}

type Figures = ReturnType<typeof toFigures>;

export interface PeersData {
  readonly startedAt: string;
  readonly rounds: number;
  readonly machine: ReturnType<typeof describeMachine>;
  readonly versions: Readonly<Record<string, string>>;
  readonly notMeasured: Readonly<Record<string, string>>;
  readonly contestants: readonly Figures[];
}

function toFigures(run: PeersRun, name: string) {
  const resident = run.resident.get(name);
  const held = run.held.get(name);
  return {
    name,
    title: titles[name] ?? name,
    jsonCpuMicros: spread(find(run.json, name)?.cpuMicros),
    jsonCallsPerSecond: spread(find(run.json, name)?.callsPerSecond, 0),
    addedP50Ms: spread(run.latency.find((row) => row.name === name)?.addedP50Ms, 2),
    streamCpuMicros: spread(find(run.sse, name)?.cpuMicros),
    streamsPerSecond: spread(find(run.sse, name)?.callsPerSecond, 0),
    idleMiB: resident === undefined ? null : round(resident.idleBytes / mebibyte),
    loadedMiB: resident === undefined ? null : round(resident.loadedBytes / mebibyte),
    streamsHeld: held === undefined ? null : (held.most?.streams ?? 0),
    heldMiB: held?.most == null ? null : round(held.most.residentBytes / mebibyte),
    heldCpuMicrosPerFrame: held?.most == null ? null : round(held.most.cpuMicrosPerFrame, 1),
    heldSteps: (held?.steps ?? []).map((step) => ({
      streams: step.streams,
      residentMiB: round(step.residentBytes / mebibyte),
      cpuMicrosPerFrame: round(step.cpuMicrosPerFrame, 1),
    })),
    heldFailure: held?.failure ?? null,
  };
}

/** Puts the version after the product's name, before a remark in parentheses. */
function nameVersion(title: string, version: string): string {
  const [name = "", ...remark] = title.split(/ (?=\()/);
  return [name, version, ...remark].filter((part) => part !== "").join(" ");
}

/** Renders the table for the documentation, with the machine and date. */
export function toMarkdown(data: PeersData): string {
  const lines = data.contestants.map((row) => [
    nameVersion(titles[row.name] ?? row.title, data.versions[row.name] ?? ""),
    cell(row.jsonCpuMicros),
    cell(row.addedP50Ms),
    cell(row.streamCpuMicros),
    `${row.idleMiB} / ${row.loadedMiB}`,
    row.streamsHeld === null ? "" : `${row.streamsHeld}${row.heldFailure === null ? " (maximum tested)" : ""}`,
    row.heldMiB === null ? "" : String(row.heldMiB),
    row.heldCpuMicrosPerFrame === null ? "" : String(row.heldCpuMicrosPerFrame),
  ]);
  const head = [
    "",
    "CPU µs per request",
    `Added p50 at ${peerRate}/s, ms`,
    "CPU µs per stream of 20 chunks",
    "RSS idle / loaded, MiB",
    "Concurrent streams",
    "RSS with streams, MiB",
    "CPU µs per chunk",
  ];
  const table = [head, head.map(() => "---"), ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n");
  const missing = Object.entries(data.notMeasured).map(([name, reason]) => `Not measured: ${name}. ${reason}.`);
  return [describeRun(data), table, ...missing].join("\n\n");
}

function find(rows: readonly SliceRow[], name: string): SliceRow | undefined {
  return rows.find((row) => row.name === name);
}

function spread(value: Spread | undefined, digits = 1) {
  if (value === undefined) return null;
  return { median: round(value.median, digits), low: round(value.low, digits), high: round(value.high, digits) };
}

function cell(value: ReturnType<typeof spread>): string {
  return value === null ? "" : `${value.median} (${value.low}–${value.high})`;
}

function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}
