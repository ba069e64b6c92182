/** Time breakdown of a call in milliseconds. The parts add up to its duration. */
export interface CallTiming {
  readonly gatewayBeforeMs: number;
  readonly queueMs: number;
  readonly failedMs: number;
  readonly firstTokenMs: number;
  readonly generationMs: number;
  readonly gatewayAfterMs: number;
}

/** Labels in the order in which the parts happen. */
const words: Readonly<Record<keyof CallTiming, string>> = {
  gatewayBeforeMs: "gw",
  queueMs: "queue",
  failedMs: "failed",
  firstTokenMs: "first token",
  generationMs: "generation",
  gatewayAfterMs: "gw",
};

/**
 * Formats the timing as the console and the CLI print it: `gw 0.4 · first token 641 · … · gw 0.2 ms`. Always includes
 * the gateway's own parts. Includes other parts only if they took time.
 */
export function describeTiming(timing: CallTiming): string {
  const parts = (Object.keys(words) as (keyof CallTiming)[])
    .filter((part) => timing[part] > 0 || part.startsWith("gateway"))
    .map((part) => `${words[part]} ${formatMs(timing[part])}`);
  return `${parts.join(" · ")} ms`;
}

/** Formats milliseconds without a unit: one decimal place below ten, and none otherwise. */
export function formatMs(ms: number): string {
  return ms.toLocaleString("en-US", { maximumFractionDigits: ms < 10 ? 1 : 0 });
}
