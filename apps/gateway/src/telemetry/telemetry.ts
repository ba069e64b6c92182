import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { TelemetrySettings } from "@tollgate/runtime/settings/settings.ts";
import type { CallObserver } from "../accounting/accounting.ts";
import type { CallOutcome } from "../accounting/record-usage.ts";
import type { Call } from "../call/call.ts";
import type { CallTrace, CallTracing } from "../call/call-tracing.ts";
import type { Caller } from "../call/caller.ts";
import type { Deployment } from "../call/deployment.ts";
import type { Exchange } from "../call/exchange.ts";
import type { OperationName } from "../call/operation-traits.ts";
import type { TelemetryCounts } from "../metrics/write-process.ts";
import { buildSpans, type TracedEnd } from "./build-spans.ts";
import type { Collector } from "./collector.ts";
import { GenAiMetrics } from "./gen-ai-metrics.ts";
import { PassedTrace, RecordedTrace } from "./recorded-trace.ts";
import { readTraceparent } from "./trace-context.ts";

interface TelemetryParts {
  readonly settings: TelemetrySettings;
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
/** Outcome of a call that made no upstream request. */
const nothingAsked = { deployment: null, usage: NO_USAGE, cost: 0n, firstTokenMs: null } as const;

/**
 * Exports calls to an OpenTelemetry collector and also counts them in the metrics. Used only if a collector is
 * configured.
 */
export class Telemetry implements CallObserver, CallTracing {
  readonly #parts: TelemetryParts;
  readonly #metrics: GenAiMetrics;
  readonly #metricsTimer: NodeJS.Timeout;

  constructor(parts: TelemetryParts) {
    this.#parts = parts;
    this.#metrics = new GenAiMetrics(parts.wallClock());
    this.#metricsTimer = setInterval(() => this.#sendMetrics(), METRICS_EVERY_MS).unref();
  }

  /** Returns the numbers of exported items, by signal. */
  get counts(): Readonly<Record<string, TelemetryCounts>> {
    return this.#parts.collector.counts;
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
    this.#sendMetrics();
    await this.#parts.collector.close();
  }

  #trace(call: Call, end: TracedEnd): void {
    const { trace } = call;
    if (!(trace instanceof RecordedTrace)) return;
    const { now, wallClock, settings, collector } = this.#parts;
    const form = { originMs: wallClock() - now(), sendsFormerNames: settings.sendsFormerNames };
    for (const span of buildSpans(call, trace, end, form)) collector.addSpan(span);
  }

  #sendMetrics(): void {
    const metrics = this.#metrics.read(this.#parts.wallClock());
    if (metrics.length > 0) this.#parts.collector.sendMetrics(metrics);
  }
}
