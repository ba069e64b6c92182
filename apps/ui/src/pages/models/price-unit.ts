import { formatMoneyWith } from "@tollgate/domain/figures/money-text.ts";
import type { HubModel } from "../../api/hub-model.ts";
import { formatPerMillion } from "../../format/money.ts";

/** Unit of the displayed prices: a number of tokens, or one request of the user's average size. */
export type PriceUnit = "1m" | "1k" | "request";

export interface RequestSize {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

const MILLION = 1_000_000n;

/** Converts a price per million tokens to the chosen unit; null if the price or the request size is unknown. */
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
  return { text: unit === "1k" ? formatPerMillion(nano) : formatMoneyWith(nano, 6), nano };
}

/**
 * Returns the price of a model that isn't billed per token: per minute of audio, per image, or per million characters.
 */
export function otherPrice({ pricing }: HubModel): string | null {
  const { perAudioSecond, perImage, perMillionCharacters } = pricing;
  if (perAudioSecond !== null) return `${formatPerMillion(perAudioSecond * 60n)} / min`;
  if (perImage !== null) return `${formatPerMillion(perImage)} / image`;
  return perMillionCharacters === null ? null : `${formatPerMillion(perMillionCharacters)} / 1M chars`;
}
