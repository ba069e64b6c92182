/** Where the time of a call went, in milliseconds; the parts add up to its duration. */
export interface CallTiming {
  readonly gatewayBeforeMs: number;
  readonly queueMs: number;
  readonly failedMs: number;
  readonly firstTokenMs: number;
  readonly generationMs: number;
  readonly gatewayAfterMs: number;
}

/** The parts in the order they happen. */
const words: Readonly<Record<keyof CallTiming, string>> = {
  gatewayBeforeMs: "gw",
  queueMs: "queue",
  failedMs: "failed",
  firstTokenMs: "first token",
  generationMs: "generation",
  gatewayAfterMs: "gw",
};

/**
 * The timing in words, as console and command line both print it: `gw 0.4 · first token 641 · … · gw 0.2 ms`. The
 * gateway's own parts are always there, however short; others only when they took time.
 */
export function describeTiming(timing: CallTiming): string {
  const parts = (Object.keys(words) as (keyof CallTiming)[])
    .filter((part) => timing[part] > 0 || part.startsWith("gateway"))
    .map((part) => `${words[part]} ${formatMs(timing[part])}`);
  return `${parts.join(" · ")} ms`;
}

/** Milliseconds without their unit: one decimal below ten, none above. */
export function formatMs(ms: number): string {
  return ms.toLocaleString("en-US", { maximumFractionDigits: ms < 10 ? 1 : 0 });
}
