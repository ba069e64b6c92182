import type { HubPerformance } from "@tollgate/contracts/management/hub.ts";
import { type PairPerformance, settledRequests } from "@tollgate/db/usage/read-performance.ts";
import { addCounts, errorRate, NO_REQUESTS } from "@tollgate/domain/figures/request-class.ts";
import { timingOf } from "../performance/describe-pair.ts";
import { HUB_CELL_MS, HUB_CELLS } from "./hub.ts";

const HUNDRED = 100;

/** Aggregates a model's performance across all its providers; returns null if the model had no calls. */
export function describePerformance(
  pairs: readonly PairPerformance[],
  now: Date,
  isAdministrator: boolean,
): HubPerformance | null {
  const requests = sum(pairs.map(settledRequests));
  // The next call most likely goes to the provider with the most calls, so use that provider's timing.
  const busiest = pairs.toSorted((one, other) => settledRequests(other) - settledRequests(one))[0];
  if (busiest === undefined || requests === 0) return null;
  const rate = errorRate(addCounts(pairs.map((pair) => ({ ...NO_REQUESTS, ...pair }))));
  const cells = countCells(pairs, now);
  return {
    requests: isAdministrator ? requests : null,
    successRate: rate === null ? null : 1 - rate,
    p50LatencyMs: busiest.p50LatencyMs,
    medianFirstTokenMs: busiest.sample?.firstTokenMs ?? null,
    medianTiming: busiest.sample === null ? null : timingOf(busiest.sample),
    cells: isAdministrator ? cells : cells.map(toHundred),
  };
}

interface Cell {
  readonly requests: number;
  readonly succeeded: number;
  readonly failed: number;
}

function countCells(pairs: readonly PairPerformance[], now: Date): Cell[] {
  const endMs = (Math.floor(now.getTime() / HUB_CELL_MS) + 1) * HUB_CELL_MS;
  const counted = Map.groupBy(
    pairs.flatMap(({ cells }) => cells),
    ({ atMs }) => atMs,
  );
  return Array.from({ length: HUB_CELLS }, (_, index) => {
    const found = counted.get(endMs - (HUB_CELLS - index) * HUB_CELL_MS) ?? [];
    const [succeeded, failed] = [sum(found.map((cell) => cell.succeeded)), sum(found.map((cell) => cell.failed))];
    return { requests: sum(found.map(settledRequests)), succeeded, failed };
  });
}

/** Scales counts to 100 delivered requests. Failed ones are rounded up, so that a single one never disappears. */
function toHundred({ succeeded, failed }: Cell): Cell {
  const delivered = succeeded + failed;
  if (delivered === 0) return { requests: 0, succeeded: 0, failed: 0 };
  const scaled = Math.ceil((failed / delivered) * HUNDRED);
  return { requests: HUNDRED, succeeded: HUNDRED - scaled, failed: scaled };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
