import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import type { TelemetryCounts } from "../telemetry/collector-queue.ts";
import { VERSION } from "../version.ts";
import type { MetricName } from "./metric-definitions.ts";
import type { MetricsText } from "./metrics-text.ts";

/** How full this process is. */
interface OverloadState {
  readonly waiting: number;
  /** How many were refused since the start, by reason. */
  readonly refused: Readonly<Record<string, number>>;
}

/** What is looked at to tell how this process is. */
export interface ProcessSources {
  readonly inFlight: () => number;
  readonly gate: OverloadState;
  /** What waits for clients that have not taken it yet. */
  readonly unsentBytes: () => number;
  /** Records of usage that the ledger does not have yet; null where nobody knows. */
  readonly unsettled: () => number | null;
  readonly journal: { readonly canAdmit: boolean };
  /** What went to the collector, by signal; none where there is no collector. */
  readonly telemetry: Readonly<Record<string, TelemetryCounts>>;
}

const MICRO_PER_SECOND = 1_000_000;
const MS_PER_SECOND = 1_000;

let utilizationBefore = performance.eventLoopUtilization();

/** How this process is at this moment. */
export async function writeProcess(text: MetricsText, sources: ProcessSources): Promise<void> {
  const { inFlight, unsettled, gate, unsentBytes, journal, telemetry } = sources;
  const values: readonly (readonly [MetricName, () => number | null])[] = [
    ["gw_in_flight_requests", inFlight],
    ["gw_waiting_requests", () => gate.waiting],
    ["gw_unsent_bytes", unsentBytes],
    ["gw_spend_update_queue_size", unsettled],
    ["gw_journal_writable", () => Number(journal.canAdmit)],
    ["process_cpu_seconds_total", readCpuSeconds],
    ["process_resident_memory_bytes", () => process.memoryUsage.rss()],
    ["process_start_time_seconds", () => Math.round(performance.timeOrigin) / MS_PER_SECOND],
    ["nodejs_heap_size_used_bytes", () => getHeapStatistics().used_heap_size],
    ["nodejs_heap_size_limit_bytes", () => getHeapStatistics().heap_size_limit],
    ["nodejs_eventloop_utilization", readUtilization],
  ];
  for (const [name, read] of values) await text.values(name, [["", null]], read);
  const refusals = Object.entries(gate.refused).map(([reason, count]) => [`reason="${reason}"`, count] as const);
  await text.values("gw_overload_refusals_total", refusals, (count) => count);
  const items = Object.entries(telemetry).flatMap(([signal, { sent, dropped }]) => [
    [`signal="${signal}",outcome="sent"`, sent] as const,
    [`signal="${signal}",outcome="dropped"`, dropped] as const,
  ]);
  await text.values("gw_telemetry_items_total", items, (count) => count);
  await text.values("gw_build_info", [[`version="${VERSION}"`, null]], () => 1);
}

function readCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICRO_PER_SECOND;
}

function readUtilization(): number {
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, utilizationBefore);
  utilizationBefore = now;
  return utilization;
}
