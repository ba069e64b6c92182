import type { HubPerformance } from "@tollgate/contracts/management/hub.ts";
import type { PairPerformance } from "@tollgate/db/usage/read-performance.ts";
import { timingOf } from "../performance/describe-pair.ts";
import { HUB_CELL_MS, HUB_CELLS } from "./hub.ts";

const HUNDRED = 100;

/** Aggregates a model's performance across all its providers; returns null if the model had no calls. */
export function describePerformance(
  pairs: readonly PairPerformance[],
  now: Date,
  isAdministrator: boolean,
): HubPerformance | null {
  const requests = sum(pairs.map((pair) => pair.requests));
  // The next call most likely goes to the provider with the most calls, so use that provider's timing.
  const busiest = pairs.toSorted((one, other) => other.requests - one.requests)[0];
  if (busiest === undefined || requests === 0) return null;
  const errors = sum(pairs.map((pair) => pair.errors));
  const cells = countCells(pairs, now);
  return {
    requests: isAdministrator ? requests : null,
    successRate: (requests - errors) / requests,
    p50LatencyMs: busiest.p50LatencyMs,
    medianFirstTokenMs: busiest.sample?.firstTokenMs ?? null,
    medianTiming: busiest.sample === null ? null : timingOf(busiest.sample),
    cells: isAdministrator ? cells : cells.map(toHundred),
  };
}

interface Cell {
  readonly requests: number;
  readonly errors: number;
}

function countCells(pairs: readonly PairPerformance[], now: Date): Cell[] {
  const endMs = (Math.floor(now.getTime() / HUB_CELL_MS) + 1) * HUB_CELL_MS;
  const counted = Map.groupBy(
    pairs.flatMap(({ cells }) => cells),
    ({ atMs }) => atMs,
  );
  return Array.from({ length: HUB_CELLS }, (_, index) => {
    const found = counted.get(endMs - (HUB_CELLS - index) * HUB_CELL_MS) ?? [];
    return { requests: sum(found.map((cell) => cell.requests)), errors: sum(found.map((cell) => cell.errors)) };
  });
}

/** Scales counts to 100 requests. Error counts are rounded up, so that a single error never disappears. */
function toHundred({ requests, errors }: Cell): Cell {
  return requests === 0
    ? { requests: 0, errors: 0 }
    : { requests: HUNDRED, errors: Math.ceil((errors / requests) * HUNDRED) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
