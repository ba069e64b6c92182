import { Histogram } from "./histogram.ts";

/** Milliseconds of whole calls. */
const CALL_BOUNDS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000];
/** Of what happens inside this process. */
const INNER_BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];
/** Of one token. */
const TOKEN_BOUNDS = [0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_280];

const COUNTERS = 5;
const total = new Histogram(COUNTERS, CALL_BOUNDS);
const overhead = new Histogram(total.end, INNER_BOUNDS);
const upstream = new Histogram(overhead.end, CALL_BOUNDS);
const firstToken = new Histogram(upstream.end, CALL_BOUNDS);
const queued = new Histogram(firstToken.end, INNER_BOUNDS);

/** What is counted of the calls of a model by a team: where in a row of numbers each stands. */
export const callRow = {
  calls: 0,
  inputTokens: 1,
  outputTokens: 2,
  cachedTokens: 3,
  /** Exact up to nine million USD, and then to a few nano-USD; the books have it exactly. */
  spendNano: 4,
  total,
  overhead,
  upstream,
  firstToken,
  queued,
} as const;

/** A row with those that did not have to wait among the waits, which nobody counts while calls run. */
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

/** Of a deployment's row: how long each token of an answer took. */
export const perToken = new Histogram(0, TOKEN_BOUNDS);

/** What is counted of one deployment. */
export class DeploymentSeries {
  successes = 0;
  readonly row = new Float64Array(perToken.end);
  /** What the upstream said last of its own limits: looked at when someone asks, because most never do. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>> | null = null;
}

/** Of a guardrail's row: how long it took. */
export const guardrailLatency = new Histogram(0, INNER_BOUNDS);

/** What is counted of one guardrail in one mode. */
export class GuardrailSeries {
  requests = 0;
  errors = 0;
  readonly row = new Float64Array(guardrailLatency.end);
}

/** How often answers of a model were found among those of earlier calls. */
export class CacheSeries {
  hits = 0;
  misses = 0;
}

export class Counter {
  count = 0;
}
