import { randomUUID } from "node:crypto";
import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { TelemetrySettings } from "@tollgate/runtime/settings/settings.ts";
import type { Exchange } from "../edge/exchange.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { OperationName } from "../operations/operation-kind.ts";
import type { CallOutcome } from "../pipeline/account/call-account.ts";
import type { Call } from "../pipeline/call.ts";
import type { CallObserver } from "../pipeline/call-observer.ts";
import type { Caller } from "../pipeline/caller.ts";
import type { CallTrace, CallTracing } from "../pipeline/upstream/call-tracing.ts";
import { type CollectorListener, CollectorQueue, type Delivery, type TelemetryCounts } from "./collector-queue.ts";
import { GenAiMetrics } from "./gen-ai-metrics.ts";
import { AttributesText } from "./otlp.ts";
import { PassedTrace, RecordedTrace } from "./recorded-trace.ts";
import { readTraceparent } from "./trace-context.ts";
import { type TracedEnd, writeSpans } from "./write-spans.ts";

/** The OpenTelemetry collector that receives the exports. */
export interface Collector extends CollectorListener {
  send(signal: "traces" | "metrics", body: string): Promise<Delivery>;
}

export interface TelemetryParts {
  readonly settings: TelemetrySettings;
  readonly version: string;
  /** Counts all calls, traced or not. */
  readonly counting: CallObserver;
  readonly collector: Collector;
  /** The exchange clock, in milliseconds. */
  readonly now: () => number;
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
  readonly random: () => number;
}

const METRICS_EVERY_MS = 60_000;
const SCOPE = "tollgate";
/** Outcome of a call that made no upstream request. */
const nothingAsked = { deployment: null, usage: NO_USAGE, cost: 0n, firstTokenMs: null } as const;

/**
 * Exports calls to an OpenTelemetry collector and also counts them in the metrics. Used only if a collector is
 * configured.
 */
export class Telemetry implements CallObserver, CallTracing {
  readonly #parts: TelemetryParts;
  /** Resource and scope at the start of every batch. */
  readonly #resource: string;
  readonly #scope: string;
  readonly #spans: CollectorQueue<string>;
  readonly #metrics: GenAiMetrics;
  readonly #metricsTimer: NodeJS.Timeout;
  #sentMetrics = 0;
  #droppedMetrics = 0;

  constructor(parts: TelemetryParts) {
    const { settings, version, collector, now, wallClock } = parts;
    this.#parts = parts;
    const attributes = new AttributesText()
      .text("service.name", settings.serviceName)
      .text("service.version", version)
      .text("service.instance.id", randomUUID());
    this.#resource = `{"attributes":${attributes}}`;
    this.#scope = JSON.stringify({ name: SCOPE, version });
    this.#spans = new CollectorQueue((spans) => this.#sendSpans(spans), collector, now);
    this.#metrics = new GenAiMetrics(wallClock());
    this.#metricsTimer = setInterval(() => void this.#sendMetrics(), METRICS_EVERY_MS).unref();
  }

  /** Returns the numbers of exported items, by signal. */
  get counts(): Readonly<Record<string, TelemetryCounts>> {
    return {
      spans: this.#spans.counts,
      metrics: { sent: this.#sentMetrics, dropped: this.#droppedMetrics },
    };
  }

  begin({ headers }: Exchange): CallTrace | null {
    const parent = readTraceparent(headers.traceparent);
    if (parent !== null) return parent.isSampled ? new RecordedTrace(parent) : new PassedTrace(parent);
    return this.#parts.random() < this.#parts.settings.sampleRatio ? new RecordedTrace(null) : null;
  }

  callClosed(call: Call, deployment: Deployment, outcome: CallOutcome, cost: NanoUsd, latencyMs: number): void {
    this.#parts.counting.callClosed(call, deployment, outcome, cost, latencyMs);
    this.#metrics.observe(call, deployment, outcome, latencyMs);
    const { usage, failure: error, firstTokenMs } = outcome;
    const endedAtMs = call.exchange.startedAtMs + latencyMs;
    this.#trace(call, { deployment, usage, cost, error, firstTokenMs, endedAtMs });
  }

  callRefused(caller: Caller | null, call: Call | null, operation: OperationName, error: unknown): void {
    this.#parts.counting.callRefused(caller, call, operation, error);
    if (call === null) return;
    this.#trace(call, { ...nothingAsked, error, endedAtMs: this.#parts.now() });
  }

  callRepeated(call: Call): void {
    this.#parts.counting.callRepeated(call);
    this.#trace(call, { ...nothingAsked, error: null, endedAtMs: this.#parts.now() });
  }

  attemptLost(reason: LossReason, cost: NanoUsd): void {
    this.#parts.counting.attemptLost(reason, cost);
  }

  modelSubstituted(deployment: Deployment, loss: NanoUsd): void {
    this.#parts.counting.modelSubstituted(deployment, loss);
  }

  attemptFailed(deployment: Deployment, error: unknown): void {
    this.#parts.counting.attemptFailed(deployment, error);
  }

  cacheAsked(call: Call, isHit: boolean): void {
    this.#parts.counting.cacheAsked(call, isHit);
  }

  guardrailRan(guardrail: string, mode: string, durationMs: number, hasFailed: boolean): void {
    this.#parts.counting.guardrailRan(guardrail, mode, durationMs, hasFailed);
  }

  async close(): Promise<void> {
    clearInterval(this.#metricsTimer);
    await Promise.all([this.#sendMetrics(), this.#spans.close()]);
  }

  #trace(call: Call, end: TracedEnd): void {
    const { trace } = call;
    if (!(trace instanceof RecordedTrace)) return;
    const { now, wallClock, settings } = this.#parts;
    const form = { originMs: wallClock() - now(), sendsFormerNames: settings.sendsFormerNames };
    for (const span of writeSpans(call, trace, end, form)) this.#spans.add(span);
  }

  #sendSpans(spans: readonly string[]): Promise<Delivery> {
    const scopeSpans = `[{"scope":${this.#scope},"spans":[${spans.join(",")}]}]`;
    return this.#parts.collector.send(
      "traces",
      `{"resourceSpans":[{"resource":${this.#resource},"scopeSpans":${scopeSpans}}]}`,
    );
  }

  /** Sends the metrics. Counts are cumulative, so the next export makes up for a lost export. */
  async #sendMetrics(): Promise<void> {
    const metrics = this.#metrics.write(this.#parts.wallClock());
    if (metrics === null) return;
    const scopeMetrics = `[{"scope":${this.#scope},"metrics":${metrics}}]`;
    const body = `{"resourceMetrics":[{"resource":${this.#resource},"scopeMetrics":${scopeMetrics}}]}`;
    if ((await this.#parts.collector.send("metrics", body)) === "taken") this.#sentMetrics += 1;
    else this.#droppedMetrics += 1;
  }
}
