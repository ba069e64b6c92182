import { type ModelTraits, traitsOf } from "../anthropic/model-traits.ts";
import { modelIdOf } from "./bedrock-address.ts";

/** Properties of a model on Bedrock's Converse API, derived from its name. */
export interface BedrockTraits {
  /** Traits for the Messages API format, through which requests are translated. */
  readonly messages: ModelTraits;
  /** The format of the reasoning settings. */
  readonly reasoning: "claude" | "nova" | "openai" | "none";
  readonly isClaude: boolean;
  readonly takesStops: boolean;
  /** True if the model supports prompt caching. */
  readonly keepsPrompts: boolean;
}

/**
 * Derives a model's traits. A profile with an opaque name is treated as an Anthropic model, because most profiles are
 * for Anthropic models.
 */
export function bedrockTraits(upstreamModel: string): BedrockTraits {
  const id = modelIdOf(upstreamModel);
  const isClaude = id.includes("claude") || id.includes(":application-inference-profile/");
  const isNova = id.includes("amazon.nova");
  const isOpenAi = id.includes("openai.");
  const canBeForced = isClaude || isNova || id.includes("mistral.");
  return {
    // The Converse API can't constrain output to a schema.
    messages: isClaude
      ? { ...traitsOf(id), writesBySchema: false }
      : { ...traitsOf(""), thinking: "none", alwaysThinks: !canBeForced },
    reasoning: isClaude ? "claude" : isNova && id.includes("nova-2") ? "nova" : isOpenAi ? "openai" : "none",
    isClaude,
    takesStops: !isOpenAi,
    keepsPrompts: isClaude || isNova,
  };
}
