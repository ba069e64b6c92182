import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { type CallTiming, describeTiming } from "@tollgate/sdk/platform";

interface StripReading {
  readonly timing: CallTiming | null;
  readonly latencyMs: number | null;
  readonly class: string;
  readonly cost?: bigint | null;
}

/** Describes the timing bar in the same words as the CLI: `4.82 s  gw 0.4 · first token 641 · … ms  $0.02`. */
export function describeTimingBar({ timing, latencyMs, class: outcome, cost = null }: StripReading): string {
  if (outcome === "refused") return "Refused before any provider was called";
  const money = cost === null ? "" : `  ${formatMoney(cost)}`;
  const total = latencyMs === null ? "" : formatDuration(latencyMs);
  if (timing === null) return `${total === "" ? "Duration unknown" : total}${money}`;
  return `${total === "" ? "" : `${total}  `}${describeTiming(timing)}${money}`;
}
