import { Histogram } from "./histogram.ts";

/** Histogram bounds for whole calls, in milliseconds. */
const CALL_BOUNDS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000];
/** Histogram bounds for durations inside this process, in milliseconds. */
const INNER_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];
/** Histogram bounds for the time per token, in milliseconds. */
const TOKEN_BOUNDS = [0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_280];

const COUNTERS = 5;
const total = new Histogram(COUNTERS, CALL_BOUNDS);
const overhead = new Histogram(total.end, INNER_BOUNDS);
const upstream = new Histogram(overhead.end, CALL_BOUNDS);
const firstToken = new Histogram(upstream.end, CALL_BOUNDS);
const queued = new Histogram(firstToken.end, INNER_BOUNDS);

/** Layout of the counters for one model and team, as indexes into a row of numbers. */
export const callRow = {
  calls: 0,
  inputTokens: 1,
  outputTokens: 2,
  cachedTokens: 3,
  /**
   * The amount is exact up to nine million USD, and accurate to a few nano-USD above that. The exact amount is in the
   * ledger.
   */
  spendNano: 4,
  total,
  overhead,
  upstream,
  firstToken,
  queued,
} as const;

/** Returns a copy whose wait histogram also includes calls that did not wait, because the live histogram omits them. */
export function withoutWait(row: Float64Array): Float64Array {
  const complete = row.slice();
  let waited = 0;
  for (let step = queued.start + 1; step < queued.end; step += 1) waited += row[step] as number;
  (complete[queued.start + 1] as number) += (row[callRow.calls] as number) - waited;
  return complete;
}

export function createCallRow(): Float64Array {
  return new Float64Array(queued.end);
}

/** Histogram of the time per output token in a deployment's row. */
export const perToken = new Histogram(0, TOKEN_BOUNDS);

/** Counters for one deployment. */
export class DeploymentSeries {
  successes = 0;
  readonly row = new Float64Array(perToken.end);
  /**
   * Latest rate limit headers from the upstream. They are parsed only on a scrape, because most of them are replaced
   * before the next scrape.
   */
  headers: Readonly<Record<string, string | readonly string[] | undefined>> | null = null;
}

/** Latency histogram in a guardrail's row. */
export const guardrailLatency = new Histogram(0, INNER_BOUNDS);

/** Counters for one guardrail in one mode. */
export class GuardrailSeries {
  requests = 0;
  errors = 0;
  readonly row = new Float64Array(guardrailLatency.end);
}

/** Cache hits and misses for one model. */
export class CacheSeries {
  hits = 0;
  misses = 0;
}

export class Counter {
  count = 0;
}
