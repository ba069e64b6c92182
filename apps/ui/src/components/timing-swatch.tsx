import type { MoneyPart, TimePart } from "./timing-segments.ts";

/**
 * Fill class of each part. Parts for waiting or failed attempts are hatched, so that they are readable without color.
 */
export const timeFill: Readonly<Record<TimePart, string>> = {
  gatewayBefore: "bg-s-gw",
  queue: "hatch-queue",
  failed: "hatch-fail",
  firstToken: "bg-s-wait",
  generation: "bg-s-gen",
  gatewayAfter: "bg-s-gw",
};

export const moneyFill: Readonly<Record<MoneyPart, string>> = {
  input: "bg-m-in",
  cached: "bg-m-cached",
  output: "bg-m-out",
  other: "bg-m-other",
};

/** Legend square for a part of the timing bar. Cost parts are flat, as in the bar. */
export function StripSwatch({ part }: { readonly part: TimePart | MoneyPart }) {
  const edge = part === "queue" ? " inset-ring inset-ring-s-queue" : "";
  const look = part in moneyFill ? `h-[5px] ${moneyFill[part as MoneyPart]}` : `h-2.5 ${timeFill[part as TimePart]}`;
  return <span aria-hidden="true" className={`inline-block w-2.5 shrink-0 rounded-[2px] ${look}${edge}`} />;
}
