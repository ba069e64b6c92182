import { type CallTiming, describeTiming } from "@tollgate/sdk/platform";
import { formatRunningCost } from "../format/money.ts";
import { formatDuration } from "../format/numbers.ts";

interface StripReading {
  readonly timing: CallTiming | null;
  readonly latencyMs: number | null;
  readonly status: string;
  readonly cost?: bigint | null;
}

/** Describes the timing bar in the same words as the CLI: `4.82 s  gw 0.4 · first token 641 · … ms  $0.02`. */
export function describeTimingBar({ timing, latencyMs, status, cost = null }: StripReading): string {
  if (status === "refused") return "Refused before any provider was called";
  const money = cost === null ? "" : `  ${formatRunningCost(cost)}`;
  const total = latencyMs === null ? "" : formatDuration(latencyMs);
  if (timing === null) return `${total === "" ? "Duration unknown" : total}${money}`;
  return `${total === "" ? "" : `${total}  `}${describeTiming(timing)}${money}`;
}
