import type { Price, PriceTier } from "./price-call.ts";
import { tokenPrice } from "./token-price.ts";

/** Known parts of a model's price, in pico-USD; null if unknown. */
export type KnownPrices = { readonly [kind in Exclude<keyof Price, "tier">]: bigint | null } & {
  readonly tier: PriceTier | null;
};

const everyUnit = ["perCharacter", "perSecond", "perImage", "perSearch"] as const;

/** Billing units other than tokens, by mode. Other modes don't count these units. */
const unitsByMode: Readonly<Record<string, readonly (typeof everyUnit)[number][]>> = {
  audio_speech: ["perCharacter", "perSecond"],
  audio_transcription: ["perSecond"],
  image_generation: ["perImage"],
  rerank: ["perSearch"],
};

/** Modes whose output tokens are not billed. */
const modesWithoutOutput: ReadonlySet<string> = new Set(["embedding", "rerank", "moderation"]);

/**
 * Composes a model's price, or returns null if the price is incomplete: with a partial price, the other units would be
 * free. Prices for units that the mode doesn't count are not sufficient.
 */
export function composePrice(mode: string | null, known: KnownPrices): Price | null {
  const units = mode === null ? everyUnit : (unitsByMode[mode] ?? []);
  const [perCharacter, perSecond, perImage, perSearch] = everyUnit.map((unit) =>
    units.includes(unit) ? known[unit] : null,
  );
  const isByUnit = perCharacter != null || perSecond != null || perImage != null || perSearch != null;
  const hasNoOutput = isByUnit || (mode !== null && modesWithoutOutput.has(mode));
  const input = known.input ?? (isByUnit ? 0n : null);
  const output = known.output ?? (hasNoOutput ? 0n : null);
  if (input === null || output === null) return null;
  return tokenPrice(input, output, { ...known, perCharacter, perSecond, perImage, perSearch });
}
