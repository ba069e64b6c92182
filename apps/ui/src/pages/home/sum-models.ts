interface Row {
  readonly group: Readonly<Record<string, string>>;
  readonly cost: bigint;
  readonly requests: number;
}

interface ModelSum {
  readonly id: string;
  readonly cost: bigint;
  readonly requests: number;
}

/** Returns totals by model, most expensive first, then most frequent. */
export function sumModels(rows: readonly Row[]): readonly ModelSum[] {
  const sums = new Map<string, ModelSum>();
  for (const { group, cost, requests } of rows) {
    const id = group.model ?? "";
    const before = sums.get(id);
    sums.set(id, { id, cost: (before?.cost ?? 0n) + cost, requests: (before?.requests ?? 0) + requests });
  }
  return [...sums.values()].sort(costliestFirst);
}

/** Compares by cost, then by number of requests, both descending. */
export function costliestFirst(one: Omit<ModelSum, "id">, other: Omit<ModelSum, "id">): number {
  if (one.cost === other.cost) return other.requests - one.requests;
  return one.cost < other.cost ? 1 : -1;
}
