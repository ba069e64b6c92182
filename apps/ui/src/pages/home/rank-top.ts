import { costliestFirst } from "./sum-models.ts";

/** What an entity sums up to; `others` says how many stand together in the last one. */
export interface Ranked {
  readonly id: string;
  readonly requests: number;
  readonly cost: bigint;
  readonly others: number;
}

const SHOWN = 5;

/** The five that cost most, and all others as one, so that the rows add up to the total. */
export function rankTop(rows: readonly Omit<Ranked, "others">[]): readonly Ranked[] {
  const sorted = rows.map((row) => ({ ...row, others: 0 })).toSorted(costliestFirst);
  // One more row is no longer than a row that stands for it.
  if (sorted.length <= SHOWN + 1) return sorted;
  const rest = sorted.slice(SHOWN);
  const requests = rest.reduce((sum, row) => sum + row.requests, 0);
  const cost = rest.reduce((sum, row) => sum + row.cost, 0n);
  return [...sorted.slice(0, SHOWN), { id: "", requests, cost, others: rest.length }];
}
