import type { HubModel } from "../../api/hub-model.ts";
import { formatPerMillion, formatUsd } from "../../format/money.ts";

/** What prices are shown for: so many tokens, or one request of the person's own average size. */
export type PriceUnit = "1m" | "1k" | "request";

export interface RequestSize {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

const MILLION = 1_000_000n;

/** A price per million tokens in the chosen unit; null where the model has none, or where no size is known. */
export function priceIn(
  unit: PriceUnit,
  perMillion: bigint | null,
  tokens: number | null,
): { readonly text: string; readonly nano: bigint } | null {
  if (perMillion === null) return null;
  if (unit === "1m") return { text: formatPerMillion(perMillion), nano: perMillion };
  const count = unit === "1k" ? 1_000n : tokens === null ? null : BigInt(Math.round(tokens));
  if (count === null) return null;
  const nano = (perMillion * count + MILLION / 2n) / MILLION;
  return { text: unit === "1k" ? formatPerMillion(nano) : formatUsd(nano, 6), nano };
}

/** What a model without prices for tokens is charged by: a minute of sound, a picture, a million characters. */
export function otherPrice({ pricing }: HubModel): string | null {
  const { perAudioSecond, perImage, perMillionCharacters } = pricing;
  if (perAudioSecond !== null) return `${formatPerMillion(perAudioSecond * 60n)} / min`;
  if (perImage !== null) return `${formatPerMillion(perImage)} / image`;
  return perMillionCharacters === null ? null : `${formatPerMillion(perMillionCharacters)} / 1M chars`;
}
