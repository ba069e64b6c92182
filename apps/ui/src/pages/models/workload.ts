import type { Workload } from "../../components/monthly-cost.ts";

const usual: Workload = { inputTokens: 1_600, outputTokens: 420, cachedPercent: 35, requestsPerDay: 5_000 };

/** Parses a workload: input tokens, output tokens, cached percent, requests per day, such as `1600-420-35-5000`. */
export function readWorkload(text: string): Workload {
  const match = /^(\d{1,9})-(\d{1,9})-(\d{1,3})-(\d{1,10})$/.exec(text);
  if (match === null) return usual;
  const [inputTokens = 0, outputTokens = 0, cachedPercent = 0, requestsPerDay = 0] = match.slice(1).map(Number);
  return { inputTokens, outputTokens, cachedPercent: Math.min(100, cachedPercent), requestsPerDay };
}

/** Formats a workload for the URL. */
export function writeWorkload({ inputTokens, outputTokens, cachedPercent, requestsPerDay }: Workload): string {
  return [inputTokens, outputTokens, cachedPercent, requestsPerDay].join("-");
}
