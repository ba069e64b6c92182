import type { TelemetryCounts } from "../metrics/write-process.ts";

/** The OpenTelemetry collector that receives the exports. Its methods never wait for the collector, except `close`. */
export interface Collector {
  /** Number of exported items since startup. */
  readonly counts: Readonly<Record<"spans" | "metrics", TelemetryCounts>>;
  addSpan(span: FinishedSpan): void;
  /** Sends the metrics. Counts are cumulative, so the next export makes up for a lost export. */
  sendMetrics(metrics: readonly HistogramMetric[]): void;
  /** Sends the queued items once and drops the items that cannot be sent. */
  close(): Promise<void>;
}

/** Called once when the collector becomes unavailable, and once when it is available again. */
export interface CollectorListener {
  onAway(): void;
  onBack(): void;
}

export type SpanAttributes = Readonly<Record<string, string | number | string[]>>;

/** Attributes of which some have no value. */
export type PossibleAttributes = Readonly<Record<string, string | number | string[] | null>>;

/** A span of a call or of an attempt. Times are Unix milliseconds. */
export interface FinishedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  /** The span of a call is a server's, and the span of an attempt is a client's. */
  readonly kind: "server" | "client";
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: SpanAttributes;
  readonly hasFailed: boolean;
}

/** A histogram with its counts since the process started. */
export interface HistogramMetric {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly HistogramPoint[];
}

/** Times are Unix milliseconds. */
export interface HistogramPoint {
  readonly attributes: SpanAttributes;
  readonly startedAtMs: number;
  readonly atMs: number;
  readonly count: number;
  readonly sum: number;
  readonly bounds: number[];
  /** Count per bucket, and the count beyond all bounds. */
  readonly counts: number[];
}

/** Returns the attributes that have a value. */
export function presentAttributes(attributes: PossibleAttributes): SpanAttributes {
  const present: Record<string, string | number | string[]> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && !(Array.isArray(value) && value.length === 0)) present[name] = value;
  }
  return present;
}
