import type { Incident } from "@tollgate/contracts/management/health-board.ts";
import type { ModelPerformance } from "@tollgate/contracts/management/performance.ts";

const QUARTER_MS = 15 * 60_000;
/** Minimum number of failed requests and error rate for a quarter hour to count as bad. */
const BURST_FAILED = 3;
const BURST_RATE = 0.2;
const MAX_INCIDENTS = 50;

/** Finds bursts of failed requests. Bad quarter hours that are adjacent, or one good quarter hour apart, form one incident. */
export function findIncidents(performance: readonly ModelPerformance[], now: Date): Incident[] {
  return performance
    .flatMap((model) => incidentsOf(model, now))
    .toSorted((one, other) => other.from.getTime() - one.from.getTime())
    .slice(0, MAX_INCIDENTS);
}

function incidentsOf({ model, provider, cells, lastError }: ModelPerformance, now: Date): Incident[] {
  const found: { fromMs: number; toMs: number; failed: number; requests: number }[] = [];
  for (const { at, succeeded, failed } of cells) {
    const requests = succeeded + failed;
    if (failed < BURST_FAILED || failed / requests < BURST_RATE) continue;
    const fromMs = at.getTime();
    const last = found.at(-1);
    if (last !== undefined && fromMs - last.toMs <= QUARTER_MS) {
      last.toMs = fromMs + QUARTER_MS;
      last.failed += failed;
      last.requests += requests;
    } else {
      found.push({ fromMs, toMs: fromMs + QUARTER_MS, failed, requests });
    }
  }
  return found.map(({ fromMs, toMs, failed, requests }) => ({
    from: new Date(fromMs),
    to: toMs > now.getTime() ? null : new Date(toMs),
    group: model,
    provider: provider ?? "",
    failed,
    requests,
    errorCode: lastError !== null && isWithin(lastError.at, fromMs, toMs) ? lastError.errorCode : null,
  }));
}

const isWithin = (at: Date, fromMs: number, toMs: number): boolean => at.getTime() >= fromMs && at.getTime() < toMs;
