import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { VERSION } from "../call/version.ts";
import type { MetricName } from "./metric-definitions.ts";
import type { MetricsText } from "./metrics-text.ts";

/** Load of this process. */
interface OverloadState {
  readonly waiting: number;
  /** Number of refusals since startup, by reason. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Number of items that the collector accepted, and number of items that were dropped. */
export interface TelemetryCounts {
  readonly sent: number;
  readonly dropped: number;
}

/** Data sources for the process metrics. */
export interface ProcessSources {
  readonly inFlight: () => number;
  /** Number of calls whose response is still being read after the client disconnected. */
  readonly unattended: () => number;
  readonly gate: OverloadState;
  /** Number of bytes that clients have not received yet. */
  readonly unsentBytes: () => number;
  /** Number of usage records that are not in the ledger yet; null if unknown. */
  readonly unsettled: () => number | null;
  readonly journal: { readonly canAdmit: boolean };
  /** Disk space for the usage journal; null if unknown. */
  readonly journalDisk: () => Promise<DiskSpace | null>;
  /** Number of call log rows that have not been written yet. */
  readonly logQueue: () => number;
  /** Expiry of the listener's certificate, in Unix milliseconds; null if there is no certificate. */
  readonly certificateExpiry: () => number | null;
  /** Items sent to the collector, by signal; empty without a collector. */
  readonly telemetry: Readonly<Record<string, TelemetryCounts>>;
}

/** Free and total space on a disk. */
interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

const MICRO_PER_SECOND = 1_000_000;
const MS_PER_SECOND = 1_000;

let utilizationBefore = performance.eventLoopUtilization();

/** Writes the current state of this process. */
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
