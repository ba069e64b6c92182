import { addCounts, type ClassCounts, NO_REQUESTS } from "@tollgate/domain/figures/request-class.ts";
import { type Measure, measureOf, type UsageRow } from "./usage-view.ts";

/** Totals for one model, key, team, or other entity in the range. */
export interface EntitySum {
  readonly key: string;
  readonly requests: number;
  readonly counts: ClassCounts;
  /** Failed requests. */
  readonly errors: number;
  /** Uncached input tokens. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly cost: bigint;
  /** Money that the providers' prompt caches saved; negative if they were written but not read. */
  readonly saved: bigint;
  /** Value of the chosen measure. */
  readonly value: bigint;
}

/** Sums rows by entity, largest measure first. */
export function sumEntities(
  rows: readonly UsageRow[],
  entityOf: (row: UsageRow) => string,
  measure: Measure,
): readonly EntitySum[] {
  const sums = new Map<string, EntitySum>();
  for (const row of rows) {
    const key = entityOf(row);
    sums.set(key, add(sums.get(key) ?? { ...NOTHING, key }, row, measure));
  }
  return [...sums.values()].sort((one, other) => compare(other.value, one.value) || other.requests - one.requests);
}

/** Sums all rows. */
export function sumOfAll(rows: readonly UsageRow[], measure: Measure): EntitySum {
  return rows.reduce((sum, row) => add(sum, row, measure), NOTHING);
}

/** Compares two values for sorting. */
export function compare<Value extends bigint | number | string>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

const NOTHING: EntitySum = {
  key: "",
  requests: 0,
  counts: NO_REQUESTS,
  errors: 0,
  input: 0,
  cached: 0,
  output: 0,
  cost: 0n,
  saved: 0n,
  value: 0n,
};

/** Returns the share of input tokens that were read from a cache; null without input. */
export function hitRateOf({ input, cached }: EntitySum): number | null {
  return input + cached === 0 ? null : cached / (input + cached);
}

function add(sum: EntitySum, row: UsageRow, measure: Measure): EntitySum {
  return {
    key: sum.key,
    requests: sum.requests + row.requests,
    counts: addCounts([sum.counts, row]),
    errors: sum.errors + row.failed,
    input: sum.input + row.promptTokens - row.cachedTokens,
    cached: sum.cached + row.cachedTokens,
    output: sum.output + row.completionTokens,
    cost: sum.cost + row.cost,
    saved: sum.saved + row.cacheSaved,
    value: sum.value + measureOf(measure, row),
  };
}
