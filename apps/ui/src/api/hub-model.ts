import type { Operations } from "@tollgate/sdk/platform";

/** A model group as listed in the hub. */
export type HubModel = Operations["listHubModels"]["answer"]["models"][number];

/** Capabilities that the hub shows icons for. Caching isn't listed, because the price for cached input indicates it. */
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

/** Reports whether the model has any price. A price of zero counts. */
export function isPriced({ pricing }: HubModel): boolean {
  const { inputPerMillionTokens, outputPerMillionTokens, perImage, perAudioSecond, perMillionCharacters } = pricing;
  return [inputPerMillionTokens, outputPerMillionTokens, perImage, perAudioSecond, perMillionCharacters].some(
    (price) => price !== null,
  );
}

/** Reports whether the group is a pattern that matches many model names. */
export const isPattern = ({ pattern }: HubModel): boolean => pattern !== null;
