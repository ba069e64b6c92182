import { type Operations, parseUsd } from "@tollgate/sdk/platform";

export type PriceEntry = Omit<Operations["getOrganizationPrices"]["answer"]["entries"][number], "usd">;
type FixedPrice = NonNullable<PriceEntry["price"]>;

/** Fixed rates that the form has. The API and existing entries can have others. */
export const rateLabels = {
  inputPerMillionTokens: "Input per 1M tokens",
  outputPerMillionTokens: "Output per 1M tokens",
  cachedInputPerMillionTokens: "Cached input per 1M tokens",
  perImage: "Per image",
  perRequest: "Per request",
} as const;
export type RateName = keyof typeof rateLabels;

/** What the form contains, as entered. */
export interface PriceDraft {
  readonly kind: "percentage" | "fixed";
  readonly model: string;
  readonly percentage: string;
  readonly perRequest: string;
  readonly rates: Readonly<Partial<Record<RateName, string>>>;
}

export const emptyDraft: PriceDraft = { kind: "percentage", model: "", percentage: "", perRequest: "", rates: {} };

const PERCENTAGE = /^-?\d{1,4}(\.\d{1,4})?$/;
/** Rates per million tokens are whole pico-USD per token. */
const NANO_PER_MILLION = 1_000n;

export function isPercentage(text: string): boolean {
  return PERCENTAGE.test(text);
}

/** Returns the problem of an entered rate, or null. */
export function problemOfRate(name: RateName, text: string): string | null {
  if (text === "") return null;
  const amount = parseUsd(text);
  if (amount === null) return "Enter an amount in dollars, such as 1.25";
  return name.includes("Million") && amount % NANO_PER_MILLION !== 0n ? "Enter at most 6 decimals" : null;
}

/** Returns the entry of a complete draft, or the reason why it is incomplete. */
export function entryOf({ kind, model, percentage, perRequest, rates }: PriceDraft): PriceEntry | string {
  const name = model.trim() === "" ? "*" : model.trim();
  if (kind === "percentage") {
    const fixedPerRequest = perRequest === "" ? 0n : parseUsd(perRequest);
    if (!isPercentage(percentage) || Number(percentage) < -100) return "Enter a percentage of at least -100";
    if (fixedPerRequest === null) return "Enter an amount in dollars";
    return { model: name, percentage, fixedPerRequest, price: null };
  }
  const named = (Object.entries(rates) as [RateName, string][]).filter(([, text]) => text !== "");
  if (name === "*") return "A fixed price requires a model group";
  if (named.length === 0) return "Enter at least one rate";
  if (named.some(([rate, text]) => problemOfRate(rate, text) !== null)) return "Enter valid amounts";
  const amounts = named.map(([rate, text]) => [rate, Number(parseUsd(text))]);
  const price = Object.fromEntries(amounts) as Partial<Record<RateName, number>>;
  return { model: name, percentage: null, fixedPerRequest: 0n, price };
}

const otherLabels: Readonly<Record<string, string>> = {
  cacheWritePerMillionTokens: "Cache write per 1M tokens",
  oneHourCacheWritePerMillionTokens: "One-hour cache write per 1M tokens",
  reasoningPerMillionTokens: "Reasoning per 1M tokens",
  audioInputPerMillionTokens: "Audio input per 1M tokens",
  audioOutputPerMillionTokens: "Audio output per 1M tokens",
  perMillionCharacters: "Per 1M characters",
  perAudioSecond: "Per second of audio",
  perSearch: "Per search",
  perWebSearch: "Per web search",
  perFileSearch: "Per file search",
  perCodeSession: "Per code session",
  perToolCall: "Per tool call",
};

/** Returns the rates of a fixed price with their labels. */
export function ratesOf({ rules: _rules, ...rates }: FixedPrice): readonly { label: string; nano: bigint }[] {
  return Object.entries(rates).map(([name, nano]) => {
    const label = (rateLabels as Readonly<Record<string, string>>)[name] ?? otherLabels[name] ?? name;
    return { label, nano: BigInt(nano) };
  });
}
