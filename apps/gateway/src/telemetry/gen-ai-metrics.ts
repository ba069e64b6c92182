import { Failure } from "@tollgate/contracts/failures.ts";
import type { CallOutcome } from "../accounting/record-usage.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import { Histogram } from "../metrics/histogram.ts";
import { providerNameOf } from "../models/describe-model.ts";
import { type HistogramMetric, type HistogramPoint, presentAttributes, type SpanAttributes } from "./collector.ts";
import { ERROR_TYPE, genAi, genAiOperations, genAiProvider } from "./gen-ai-names.ts";

/**
 * Histogram bounds from OpenTelemetry's conventions, for tokens and for durations. Durations are converted from seconds
 * to milliseconds.
 */
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, power) => 4 ** power);
const DURATION_BOUNDS = Array.from({ length: 14 }, (_, power) => 10 * 2 ** power);
const FIRST_CHUNK_BOUNDS = [1, 5, 10, 20, 40, 60, 80, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000];

const input = new Histogram(0, TOKEN_BOUNDS);
const output = new Histogram(input.end, TOKEN_BOUNDS);
const duration = new Histogram(output.end, DURATION_BOUNDS);
const firstChunk = new Histogram(duration.end, FIRST_CHUNK_BOUNDS);

const MS_PER_SECOND = 1_000;
/**
 * Maximum number of series. Operators configure most model names, so the count can reach this maximum only through
 * names that match wildcard patterns.
 */
const MAX_SERIES = 2_000;

interface Series {
  readonly operation: string;
  readonly provider: string;
  readonly model: string;
  readonly error: string | null;
  readonly row: Float64Array;
}

/** Metrics from the OpenTelemetry conventions, for a collector. `/metrics` has the same data under Tollgate's names. */
export class GenAiMetrics {
  readonly #series = new Map<string, Series>();
  readonly #startedAtMs: number;

  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs;
  }

  observe(call: Call, deployment: Deployment, outcome: CallOutcome, latencyMs: number): void {
    // Cache hits aren't counted, because they aren't model operations.
    const series = call.sentAtMs === 0 ? null : this.#seriesOf(call, deployment, outcome);
    if (series === null) return;
    const { row } = series;
    const { usage, firstTokenMs } = outcome;
    const inputTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
    if (inputTokens > 0) input.observe(row, inputTokens);
    if (usage.outputTokens > 0) output.observe(row, usage.outputTokens);
    const beforeMs = call.sentAtMs - call.exchange.startedAtMs;
    duration.observe(row, latencyMs - beforeMs);
    if (call.isStream && firstTokenMs !== null) firstChunk.observe(row, firstTokenMs - beforeMs);
  }

  /** Returns all counts since the process started. Histograms without data points are omitted. */
  read(nowMs: number): readonly HistogramMetric[] {
    const points = (histogram: Histogram, divisor: number, tokenType: string | null = null) =>
      [...this.#series.values()].flatMap((series): readonly HistogramPoint[] => {
        const counts = countsOf(series.row, histogram, divisor);
        if (counts === null) return [];
        return [
          { attributes: attributesOf(series, tokenType), startedAtMs: this.#startedAtMs, atMs: nowMs, ...counts },
        ];
      });
    const tokens = [...points(input, 1, "input"), ...points(output, 1, "output")];
    const metrics: readonly HistogramMetric[] = [
      { name: genAi.metrics.tokenUsage, unit: "{token}", points: tokens },
      { name: genAi.metrics.duration, unit: "s", points: points(duration, MS_PER_SECOND) },
      { name: genAi.metrics.firstChunk, unit: "s", points: points(firstChunk, MS_PER_SECOND) },
    ];
    return metrics.filter((metric) => metric.points.length > 0);
  }

  #seriesOf(call: Call, deployment: Deployment, { failure }: CallOutcome): Series | null {
    const error = failure === null ? "" : failure.code;
    const key = `${call.operation}\n${deployment.id}\n${error}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES) return null;
    const made: Series = {
      operation: genAiOperations[call.operation],
      provider: genAiProvider(providerNameOf(deployment)),
      model: deployment.upstreamModel,
      error: failure instanceof Failure ? failure.code : null,
      row: new Float64Array(firstChunk.end),
    };
    this.#series.set(key, made);
    return made;
  }
}

function attributesOf({ operation, provider, model, error }: Series, tokenType: string | null): SpanAttributes {
  return presentAttributes({
    [genAi.operation]: operation,
    [genAi.provider]: provider,
    [genAi.requestModel]: model,
    [ERROR_TYPE]: error,
    [genAi.tokenType]: tokenType,
  });
}

function countsOf(
  row: Float64Array,
  { start, bounds }: Histogram,
  divisor: number,
): Pick<HistogramPoint, "count" | "sum" | "bounds" | "counts"> | null {
  const counts = [...row.subarray(start + 1, start + 2 + bounds.length)];
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (count === 0) return null;
  return { count, sum: (row[start] as number) / divisor, bounds: bounds.map((bound) => bound / divisor), counts };
}
