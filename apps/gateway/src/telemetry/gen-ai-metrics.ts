import { Failure } from "@tollgate/contracts/failures.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { Deployment } from "../model-list/deployment.ts";
import { providerNameOf } from "../model-list/describe-model.ts";
import type { CallOutcome } from "../pipeline/account/call-account.ts";
import type { Call } from "../pipeline/call.ts";
import { ERROR_TYPE, genAi, genAiOperations, genAiProvider } from "./gen-ai-names.ts";
import { AttributesText, toUnixNano } from "./otlp.ts";

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
const CUMULATIVE = 2;
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

  /**
   * Returns all counts since the process started, as the metrics of one scope in OTLP JSON. Returns null before the
   * first call.
   */
  write(nowMs: number): string | null {
    if (this.#series.size === 0) return null;
    const times = `"startTimeUnixNano":"${toUnixNano(this.#startedAtMs)}","timeUnixNano":"${toUnixNano(nowMs)}"`;
    const points = (histogram: Histogram, divisor: number, tokenType: string | null = null) =>
      [...this.#series.values()].flatMap((series) => {
        const counts = countsOf(series.row, histogram, divisor);
        return counts === null ? [] : [`{"attributes":${attributesOf(series, tokenType)},${times},${counts}}`];
      });
    const inputs = points(input, 1, "input");
    const outputs = points(output, 1, "output");
    const metrics = [
      writeMetric(genAi.metrics.tokenUsage, "{token}", [...inputs, ...outputs]),
      writeMetric(genAi.metrics.duration, "s", points(duration, MS_PER_SECOND)),
      writeMetric(genAi.metrics.firstChunk, "s", points(firstChunk, MS_PER_SECOND)),
    ];
    return `[${metrics.filter((metric) => metric !== null).join(",")}]`;
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

/** Writes a histogram in OTLP JSON. Returns null if it has no data points. */
function writeMetric(name: string, unit: string, points: readonly string[]): string | null {
  if (points.length === 0) return null;
  const histogram = `{"aggregationTemporality":${CUMULATIVE},"dataPoints":[${points.join(",")}]}`;
  return `{"name":"${name}","unit":"${unit}","histogram":${histogram}}`;
}

function attributesOf({ operation, provider, model, error }: Series, tokenType: string | null): AttributesText {
  return new AttributesText()
    .text(genAi.operation, operation)
    .text(genAi.provider, provider)
    .text(genAi.requestModel, model)
    .text(ERROR_TYPE, error)
    .text(genAi.tokenType, tokenType);
}

function countsOf(row: Float64Array, { start, bounds }: Histogram, divisor: number): string | null {
  const counts = [...row.subarray(start + 1, start + 2 + bounds.length)];
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (count === 0) return null;
  const steps = JSON.stringify(counts.map(String));
  const limits = JSON.stringify(bounds.map((bound) => bound / divisor));
  return `"count":"${count}","sum":${(row[start] as number) / divisor},"bucketCounts":${steps},"explicitBounds":${limits}`;
}
