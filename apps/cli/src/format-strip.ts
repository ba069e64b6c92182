/** Where the time of a call went, in milliseconds. */
export interface CallTiming {
  readonly gatewayBeforeMs: number;
  readonly queueMs: number;
  readonly failedMs: number;
  readonly firstTokenMs: number;
  readonly generationMs: number;
  readonly gatewayAfterMs: number;
}

/** The request strip in words, as the console has it: `gw 0.4 · first token 641 · generation 812 · gw 0.2 ms`. */
export function formatStrip(timing: CallTiming): string {
  const parts = (Object.keys(names) as (keyof CallTiming)[])
    .filter((part) => timing[part] > 0 || part.startsWith("gateway"))
    .map((part) => `${names[part]} ${formatMs(timing[part])}`);
  return `${parts.join(" · ")} ms`;
}

const names: Readonly<Record<keyof CallTiming, string>> = {
  gatewayBeforeMs: "gw",
  queueMs: "queue",
  failedMs: "failed",
  firstTokenMs: "first token",
  generationMs: "generation",
  gatewayAfterMs: "gw",
};

/** Milliseconds without their unit: one decimal below ten, none above. */
export function formatMs(ms: number): string {
  return ms.toLocaleString("en-US", { maximumFractionDigits: ms < 10 ? 1 : 0 });
}
