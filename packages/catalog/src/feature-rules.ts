import type { Model } from "./model.ts";

/** A feature that a request may need and that some models lack. `thinking` is the object of Anthropic's API. */
export type Feature =
  | "tools"
  | "parallel_tools"
  | "reasoning"
  | "thinking"
  | "verbosity"
  | "vision"
  | "audio_input"
  | "audio_output"
  | "response_schema";

/**
 * A rule about models that lack a feature. The price list omits many capabilities, so a capability that isn't listed is
 * unknown, unless a rule says that the rows of the provider are complete for this feature.
 */
interface FeatureRule {
  readonly feature: Feature;
  readonly providers: readonly string[];
  readonly lacks: (model: Model) => boolean;
  /** The documentation against which the rows were compared. */
  readonly source: string;
}

const openAiModels = "https://platform.openai.com/docs/models";
const mistralModels = "https://docs.mistral.ai/getting-started/models";
const groqModels = "https://console.groq.com/docs/models";
const openAi = ["openai", "azure"];

/** Everything that the catalog knows models to lack. */
export const featureRules: readonly FeatureRule[] = [
  { feature: "tools", providers: openAi, lacks: chatWithout("function_calling"), source: openAiModels },
  {
    feature: "parallel_tools",
    providers: openAi,
    // Only the rows of the o-series are complete.
    lacks: (model) => /^o\d/.test(nameOf(model)) && chatWithout("parallel_function_calling")(model),
    source: openAiModels,
  },
  {
    feature: "reasoning",
    providers: openAi,
    lacks: (model) => isChat(model) && !reasons(model),
    source: "https://platform.openai.com/docs/guides/reasoning",
  },
  {
    feature: "thinking",
    providers: openAi,
    lacks: isChat,
    source: "https://platform.openai.com/docs/api-reference/chat/create",
  },
  {
    feature: "verbosity",
    providers: openAi,
    lacks: (model) => isChat(model) && !(reasons(model) && nameOf(model).startsWith("gpt-")),
    source: "https://platform.openai.com/docs/guides/latest-model",
  },
  { feature: "vision", providers: openAi, lacks: chatWithout("vision"), source: openAiModels },
  { feature: "audio_input", providers: openAi, lacks: chatWithout("audio_input"), source: openAiModels },
  { feature: "audio_output", providers: openAi, lacks: chatWithout("audio_output"), source: openAiModels },
  {
    feature: "response_schema",
    providers: openAi,
    lacks: chatWithout("response_schema"),
    source: "https://platform.openai.com/docs/guides/structured-outputs",
  },
  { feature: "reasoning", providers: ["mistral"], lacks: chatWithout("reasoning"), source: mistralModels },
  { feature: "vision", providers: ["mistral"], lacks: chatWithout("vision"), source: mistralModels },
  { feature: "reasoning", providers: ["groq"], lacks: chatWithout("reasoning"), source: groqModels },
  { feature: "vision", providers: ["groq"], lacks: chatWithout("vision"), source: groqModels },
  {
    feature: "vision",
    providers: ["deepseek"],
    lacks: chatWithout("vision"),
    source: "https://api-docs.deepseek.com/api/create-chat-completion",
  },
  { feature: "vision", providers: ["xai"], lacks: chatWithout("vision"), source: "https://docs.x.ai/docs/models" },
];

/** Reports whether a model writes text. Other models have parameters of their own. */
function isChat({ mode }: Model): boolean {
  return mode === "chat" || mode === "responses";
}

function chatWithout(capability: string): (model: Model) => boolean {
  return (model) => isChat(model) && !model.supports.includes(capability);
}

/**
 * Reports whether an OpenAI model reasons. The price list marks GPT-5 Chat as a reasoning model, but it takes no effort,
 * and doesn't mark the deep research models.
 */
function reasons(model: Model): boolean {
  const name = nameOf(model);
  if (/^gpt-5-chat/.test(name)) return false;
  return model.supports.includes("reasoning") || /^o\d/.test(name);
}

/** Returns the name without a region or another prefix. */
function nameOf({ model }: Model): string {
  return model.slice(model.lastIndexOf("/") + 1);
}
