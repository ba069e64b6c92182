import { costliestFirst } from "./sum-models.ts";

/** Totals for an entity. `others` is the number of entities combined in the last row. */
export interface Ranked {
  readonly id: string;
  readonly requests: number;
  readonly cost: bigint;
  readonly others: number;
}

const SHOWN = 5;

/** Returns the five most expensive entities, and all others combined, so that the rows add up to the total. */
export function rankTop(rows: readonly Omit<Ranked, "others">[]): readonly Ranked[] {
  const sorted = rows.map((row) => ({ ...row, others: 0 })).toSorted(costliestFirst);
  // If only one row remains, show it instead of a combined row.
  if (sorted.length <= SHOWN + 1) return sorted;
  const rest = sorted.slice(SHOWN);
  const requests = rest.reduce((sum, row) => sum + row.requests, 0);
  const cost = rest.reduce((sum, row) => sum + row.cost, 0n);
  return [...sorted.slice(0, SHOWN), { id: "", requests, cost, others: rest.length }];
}
