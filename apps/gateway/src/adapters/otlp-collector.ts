import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import {
  getSharedConfigurationDefaults,
  type IOtlpExportDelegate,
  OTLPExporterError,
} from "@opentelemetry/otlp-exporter-base";
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from "@opentelemetry/otlp-exporter-base/node-http";
import {
  JsonMetricsSerializer,
  MetricsExporterMetricsHelper,
  TraceExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, type ReadableSpan } from "@opentelemetry/sdk-trace";
import type { TelemetrySettings } from "@tollgate/runtime/settings/settings.ts";
import { VERSION } from "../call/version.ts";
import type { TelemetryCounts } from "../metrics/write-process.ts";
import type { Collector, CollectorListener, FinishedSpan, HistogramMetric } from "../telemetry/collector.ts";
import { type Origin, toReadableSpan, toResourceMetrics, traceSerializer } from "./otlp-data.ts";

/** Maximum number of unsent items. Further items are dropped, because calls never wait for their traces to be sent. */
export const MAX_WAITING = 4_096;
const BATCH = 512;
const BATCH_EVERY_MS = 1_000;
/** Time to send a batch, including retries. */
const TIMEOUT_MS = 10_000;
/** The exporter ends each export itself, and this limit only applies to a response that never ends. */
const MAX_EXPORT_MS = 60_000;
/** Maximum time that a shutdown waits for the collector. */
const MAX_CLOSE_MS = 5_000;
const SCOPE = "tollgate";

/** Exports spans and metrics as OTLP/JSON with OpenTelemetry's queue, retries, and encoding. */
export class OtlpCollector implements Collector {
  readonly #listener: CollectorListener;
  readonly #origin: Origin;
  readonly #spanExporter: IOtlpExportDelegate<ReadableSpan[]>;
  readonly #metricsExporter: IOtlpExportDelegate<ResourceMetrics>;
  readonly #processor: BatchSpanProcessor;
  readonly #spans = new ExportCounts();
  readonly #metrics = new ExportCounts();
  #isAway = false;

  constructor(settings: TelemetrySettings, listener: CollectorListener, timeoutMs = TIMEOUT_MS) {
    this.#listener = listener;
    this.#origin = {
      resource: resourceFromAttributes({
        "service.name": settings.serviceName,
        "service.version": VERSION,
        "service.instance.id": randomUUID(),
      }),
      scope: { name: SCOPE, version: VERSION },
    };
    this.#spanExporter = createOtlpHttpExportDelegate(
      exporterOptions(settings, "traces", timeoutMs),
      traceSerializer,
      "otlp_http_json_span_exporter",
      TraceExporterMetricsHelper,
      undefined,
    );
    this.#metricsExporter = createOtlpHttpExportDelegate(
      exporterOptions(settings, "metrics", timeoutMs),
      JsonMetricsSerializer,
      "otlp_http_json_metric_exporter",
      MetricsExporterMetricsHelper,
      undefined,
    );
    this.#processor = new BatchSpanProcessor({
      exporter: {
        export: (spans, done) => this.#exportSpans(spans, done),
        shutdown: () => this.#spanExporter.shutdown(),
      },
      maxQueueSize: MAX_WAITING,
      maxExportBatchSize: BATCH,
      scheduledDelayMillis: BATCH_EVERY_MS,
      exportTimeoutMillis: MAX_EXPORT_MS,
    });
  }

  get counts(): Readonly<Record<"spans" | "metrics", TelemetryCounts>> {
    return { spans: this.#spans.totals, metrics: this.#metrics.totals };
  }

  addSpan(span: FinishedSpan): void {
    if (this.#spans.add()) this.#processor.onEnd(toReadableSpan(span, this.#origin));
  }

  sendMetrics(metrics: readonly HistogramMetric[]): void {
    if (!this.#metrics.add()) return;
    this.#metricsExporter.export(toResourceMetrics(metrics, this.#origin), (result) => this.#metrics.settle(1, result));
  }

  async close(): Promise<void> {
    // If the collector is unavailable, a retry would only delay the shutdown.
    if (!this.#isAway) {
      await Promise.race([this.#flush(), setTimeout(MAX_CLOSE_MS, undefined, { ref: false })]);
      if (this.#spans.waiting > 0) this.#reportAway();
    }
    this.#spans.close();
    this.#metrics.close();
  }

  /** Resolves when the collector has accepted or rejected everything. */
  async #flush(): Promise<void> {
    // The processor rejects after the first failed batch. The exporter waits for the others.
    const spans = this.#processor.shutdown().catch(() => this.#spanExporter.shutdown());
    await Promise.all([spans, this.#metricsExporter.shutdown()]);
  }

  #exportSpans(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#spanExporter.export(spans, (result) => {
      this.#spans.settle(spans.length, result);
      if (hasResponded(result)) this.#reportBack();
      else this.#reportAway();
      done(result);
    });
  }

  #reportAway(): void {
    if (!this.#isAway) this.#listener.onAway();
    this.#isAway = true;
  }

  #reportBack(): void {
    if (this.#isAway) this.#listener.onBack();
    this.#isAway = false;
  }
}

/**
 * Counts and limits the items of one signal. OpenTelemetry's queue does not report what it drops, and its limit does
 * not include the batch that is being sent.
 */
class ExportCounts {
  #waiting = 0;
  #sent = 0;
  #dropped = 0;
  #isClosed = false;

  get waiting(): number {
    return this.#waiting;
  }

  get totals(): TelemetryCounts {
    return { sent: this.#sent, dropped: this.#dropped };
  }

  /** Returns false if the item is dropped. */
  add(): boolean {
    const isAdded = !this.#isClosed && this.#waiting < MAX_WAITING;
    if (isAdded) this.#waiting += 1;
    else this.#dropped += 1;
    return isAdded;
  }

  settle(items: number, { code }: ExportResult): void {
    // The items were counted as dropped when the collector was closed.
    if (this.#isClosed) return;
    this.#waiting -= items;
    if (code === ExportResultCode.SUCCESS) this.#sent += items;
    else this.#dropped += items;
  }

  /** Counts all waiting items as dropped. */
  close(): void {
    this.#isClosed = true;
    this.#dropped += this.#waiting;
    this.#waiting = 0;
  }
}

/**
 * The options come from the settings alone. The exporter uses `node:http`, which doesn't follow redirects, because the
 * headers may contain a key that is only for this URL.
 */
function exporterOptions({ endpoint, headers }: TelemetrySettings, signal: string, timeoutMs: number) {
  return {
    ...getSharedConfigurationDefaults(),
    timeoutMillis: timeoutMs,
    url: `${endpoint}/v1/${signal}`,
    headers: async () => ({
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()])),
      "content-type": "application/json",
    }),
    agentFactory: httpAgentFactoryFromOptions({ keepAlive: true }),
  };
}

/** Returns true if the collector accepted or rejected the items, and false if it is unavailable. */
function hasResponded({ code, error }: ExportResult): boolean {
  return code === ExportResultCode.SUCCESS || (error instanceof OTLPExporterError && error.code !== undefined);
}
