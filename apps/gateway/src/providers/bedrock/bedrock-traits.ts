import { type ModelTraits, traitsOf } from "../anthropic/model-traits.ts";
import { modelIdOf } from "./bedrock-address.ts";

/** What a model behind Amazon's common interface can be told, as far as its name says. */
export interface BedrockTraits {
  /** How it is asked in the words of the Messages interface, which requests are translated through. */
  readonly messages: ModelTraits;
  /** In whose words it is told how much to think. */
  readonly reasoning: "claude" | "nova" | "openai" | "none";
  readonly isClaude: boolean;
  readonly takesStops: boolean;
  /** Whether parts of a prompt can be marked to be kept. */
  readonly keepsPrompts: boolean;
}

/** The traits of a model. A profile whose name says nothing is taken for one of Anthropic's, which most are. */
export function bedrockTraits(upstreamModel: string): BedrockTraits {
  const id = modelIdOf(upstreamModel);
  const isClaude = id.includes("claude") || id.includes(":application-inference-profile/");
  const isNova = id.includes("amazon.nova");
  const isOpenAi = id.includes("openai.");
  const canBeForced = isClaude || isNova || id.includes("mistral.");
  return {
    // The common interface does not hold models to a schema while they write.
    messages: isClaude
      ? { ...traitsOf(id), writesBySchema: false }
      : { ...traitsOf(""), thinking: "none", alwaysThinks: !canBeForced },
    reasoning: isClaude ? "claude" : isNova && id.includes("nova-2") ? "nova" : isOpenAi ? "openai" : "none",
    isClaude,
    takesStops: !isOpenAi,
    keepsPrompts: isClaude || isNova,
  };
}
