import type { Operations } from "@tollgate/sdk/platform";

/** A model group as the hub tells of it. */
export type HubModel = Operations["listHubModels"]["answer"]["models"][number];

/** What the hub shows glyphs for. Caching is no word of the list: a price for cached input says it. */
export const capabilities = [
  { name: "vision", label: "Vision" },
  { name: "tools", label: "Tools" },
  { name: "parallel_tools", label: "Parallel tools" },
  { name: "json_schema", label: "JSON schema" },
  { name: "reasoning", label: "Reasoning" },
  { name: "caching", label: "Caching" },
] as const;

export type CapabilityName = (typeof capabilities)[number]["name"];

export function hasCapability(model: HubModel, name: string): boolean {
  return name === "caching"
    ? model.pricing.cachedInputPerMillionTokens !== null
    : model.capabilities.some((each) => each === name);
}

/** Whether any price is known; a price of nothing is one. */
export function isPriced({ pricing }: HubModel): boolean {
  const { inputPerMillionTokens, outputPerMillionTokens, perImage, perAudioSecond, perMillionCharacters } = pricing;
  return [inputPerMillionTokens, outputPerMillionTokens, perImage, perAudioSecond, perMillionCharacters].some(
    (price) => price !== null,
  );
}

/** Whether the group stands for many names. */
export const isPattern = ({ pattern }: HubModel): boolean => pattern !== null;
