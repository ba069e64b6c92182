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
  /** Calls that are read to their end without a client. */
  readonly unattended: () => number;
  readonly gate: OverloadState;
  /** What waits for clients that have not taken it yet. */
  readonly unsentBytes: () => number;
  /** Records of usage that the ledger does not have yet; null where nobody knows. */
  readonly unsettled: () => number | null;
  readonly journal: { readonly canAdmit: boolean };
  /** The disk that usage is written to; null where nobody knows. */
  readonly journalDisk: () => Promise<DiskSpace | null>;
  /** Rows for the logs of calls that are not written yet. */
  readonly logQueue: () => number;
  /** Until when the listener's certificate is good, in Unix milliseconds; null where there is none. */
  readonly certificateExpiry: () => number | null;
  /** What went to the collector, by signal; none where there is no collector. */
  readonly telemetry: Readonly<Record<string, TelemetryCounts>>;
}

/** How much room a disk has. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

const MICRO_PER_SECOND = 1_000_000;
const MS_PER_SECOND = 1_000;

let utilizationBefore = performance.eventLoopUtilization();

/** How this process is at this moment. */
export async function writeProcess(text: MetricsText, sources: ProcessSources): Promise<void> {
  const { inFlight, unsettled, gate, unsentBytes, journal, telemetry, logQueue, certificateExpiry } = sources;
  const disk = await sources.journalDisk();
  const values: readonly (readonly [MetricName, () => number | null])[] = [
    ["gw_in_flight_requests", inFlight],
    ["gw_unattended_requests", sources.unattended],
    ["gw_waiting_requests", () => gate.waiting],
    ["gw_unsent_bytes", unsentBytes],
    ["gw_spend_update_queue_size", unsettled],
    ["gw_journal_writable", () => Number(journal.canAdmit)],
    ["gw_journal_free_bytes", () => disk?.freeBytes ?? null],
    ["gw_journal_disk_bytes", () => disk?.totalBytes ?? null],
    ["gw_log_write_queue", logQueue],
    ["gw_certificate_expiry_timestamp_seconds", () => toSeconds(certificateExpiry())],
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

function toSeconds(atMs: number | null): number | null {
  return atMs === null ? null : Math.round(atMs / MS_PER_SECOND);
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
