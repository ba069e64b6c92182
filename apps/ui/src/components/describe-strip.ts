import { formatRunningCost } from "../format/money.ts";
import { formatDuration } from "../format/numbers.ts";
import { type CallTiming, timeParts } from "./strip-segments.ts";

export interface StripReading {
  readonly timing: CallTiming | null;
  readonly latencyMs: number | null;
  readonly status: string;
  readonly cost?: bigint | null;
}

const words = {
  gatewayBefore: "gw",
  queue: "queue",
  failed: "failed",
  firstToken: "first token",
  generation: "generation",
  gatewayAfter: "gw",
} as const;

/** The strip in words, the same ones that the command line prints: `4.82 s  gw 0.4 · first token 641 · … ms  $0.02`. */
export function describeStrip({ timing, latencyMs, status, cost = null }: StripReading): string {
  if (status === "refused") return "Refused before any provider was called";
  const money = cost === null ? "" : `  ${formatRunningCost(cost)}`;
  const total = latencyMs === null ? "" : formatDuration(latencyMs);
  if (timing === null) return `${total === "" ? "Duration not known" : total}${money}`;
  const parts = timeParts(timing)
    .filter(([part, ms]) => ms > 0 || part === "gatewayBefore" || part === "gatewayAfter")
    .map(([part, ms]) => `${words[part]} ${formatMs(ms)}`);
  return `${total === "" ? "" : `${total}  `}${parts.join(" · ")} ms${money}`;
}

/** Milliseconds without their unit: one decimal below ten, none above. */
export function formatMs(ms: number): string {
  return ms.toLocaleString("en-US", { maximumFractionDigits: ms < 10 ? 1 : 0 });
}
