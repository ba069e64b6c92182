import { useState } from "react";
import { useCall } from "../../api/queries.ts";

const DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * Returns the mean cost of the organization's requests to a model over the last two weeks, or null if there were none.
 * The maximum that is held for a request is often a hundred times its cost.
 */
export function useTypicalCosts(): (model: string) => bigint | null {
  const [startDate] = useState(() => new Date(Date.now() - DAYS * DAY_MS).toISOString());
  const usage = useCall("getUsage", { query: { startDate, groupBy: ["model"] } }, { staleMs: 300_000 });
  return (model) => {
    const row = usage.data?.data.find((each) => each.group.model === model);
    return row === undefined || row.requests === 0 ? null : row.cost / BigInt(row.requests);
  };
}
