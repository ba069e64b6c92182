import { useState } from "react";
import { useCall } from "../../api/queries.ts";
import type { RequestSize } from "./price-unit.ts";
import { writeWorkload } from "./workload.ts";

const DAYS = 14;
const DAY_MS = 86_400_000;

interface AverageRequest {
  readonly size: RequestSize | null;
  /** The average request in the calculator's format. */
  readonly workload: string | null;
}

/** Returns the organization's mean request size over the last two weeks; null values if there were no requests. */
export function useAverageRequest(isWanted: boolean): AverageRequest {
  const [startDate] = useState(() => new Date(Date.now() - DAYS * DAY_MS).toISOString());
  const usage = useCall("getUsage", { query: { startDate } }, { enabled: isWanted, staleMs: 60_000 });
  const totals = usage.data?.totals;
  if (totals === undefined || totals.requests === 0) return { size: null, workload: null };
  const mean = (sum: number) => Math.round(sum / totals.requests);
  const cachedPercent = totals.promptTokens === 0 ? 0 : Math.round((totals.cachedTokens / totals.promptTokens) * 100);
  return {
    size: {
      inputTokens: mean(totals.promptTokens - totals.cachedTokens),
      cachedTokens: mean(totals.cachedTokens),
      outputTokens: mean(totals.completionTokens),
    },
    workload: writeWorkload({
      inputTokens: mean(totals.promptTokens),
      outputTokens: mean(totals.completionTokens),
      cachedPercent,
      requestsPerDay: Math.ceil(totals.requests / DAYS),
    }),
  };
}
