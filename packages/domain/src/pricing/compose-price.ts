import type { Price, PriceTier } from "./price-call.ts";
import { tokenPrice } from "./token-price.ts";

/** What is known of a model's price, in pico-USD; null is unknown. */
export type KnownPrices = { readonly [kind in Exclude<keyof Price, "tier">]: bigint | null } & {
  readonly tier: PriceTier | null;
};

const everyUnit = ["perCharacter", "perSecond", "perImage", "perSearch"] as const;

/** What calls to models of a mode are charged by besides tokens. Of other modes nobody counts these units. */
const unitsByMode: Readonly<Record<string, readonly (typeof everyUnit)[number][]>> = {
  audio_speech: ["perCharacter", "perSecond"],
  audio_transcription: ["perSecond"],
  image_generation: ["perImage"],
  rerank: ["perSearch"],
};

/** Modes whose answers have no tokens that anybody charges for. */
const modesWithoutOutput: ReadonlySet<string> = new Set(["embedding", "rerank", "moderation"]);

/**
 * The price of a model of that mode, or null when it is not known well enough to charge by: half a price would make the
 * other half free. Units that are not counted for the mode do not make a price.
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
