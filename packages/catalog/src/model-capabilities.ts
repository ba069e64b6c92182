import { type Feature, featureRules } from "./feature-rules.ts";
import type { Model } from "./model.ts";

/** A type of content that a model reads or writes. */
type Modality = "text" | "image" | "audio" | "file";

/** A feature that a model is known to lack, and the source of that fact. */
interface MissingFeature {
  readonly feature: Feature;
  /** `settings`, or the URL of the documentation. */
  readonly source: string;
}

/** The capabilities of a model. A feature that isn't listed as missing may be supported. */
export interface ModelCapabilities {
  readonly inputs: readonly Modality[];
  /** Empty for models whose responses are numbers, such as embedding models. */
  readonly outputs: readonly Modality[];
  /** The content that the model can stream. */
  readonly streams: readonly Modality[];
  readonly missing: readonly MissingFeature[];
}

/** The capabilities of a model that isn't in the catalog. The provider's list of parameters then applies unchanged. */
export const unknownCapabilities: ModelCapabilities = { inputs: [], outputs: [], streams: [], missing: [] };

/** The flags in the settings that say whether a model has a feature. */
const flags: Readonly<Record<string, readonly Feature[]>> = {
  supports_vision: ["vision"],
  supports_function_calling: ["tools"],
  supports_parallel_function_calling: ["parallel_tools"],
  supports_response_schema: ["response_schema"],
  supports_reasoning: ["reasoning", "verbosity"],
};

/** Returns the capabilities of a model in the catalog. */
export function capabilitiesOf(model: Model): ModelCapabilities {
  return {
    inputs: inputsOf(model),
    outputs: outputsOf(model),
    streams: streamsOf(model),
    missing: featureRules
      .filter(({ providers, lacks }) => providers.includes(model.provider) && lacks(model))
      .map(({ feature, source }) => ({ feature, source })),
  };
}

/** Applies the flags that an operator sets for a deployment. They take precedence over the catalog. */
export function configureCapabilities(
  known: ModelCapabilities,
  configured: Readonly<Record<string, unknown>>,
): ModelCapabilities {
  const set = Object.entries(flags).filter(([flag]) => typeof configured[flag] === "boolean");
  if (set.length === 0) return known;
  const decided = new Set(set.flatMap(([, features]) => features));
  const missing = set
    .filter(([flag]) => configured[flag] === false)
    .flatMap(([, features]) => features.map((feature) => ({ feature, source: "settings" })));
  return { ...known, missing: [...known.missing.filter(({ feature }) => !decided.has(feature)), ...missing] };
}

function inputsOf({ mode, supports }: Model): readonly Modality[] {
  if (mode === "audio_transcription") return ["audio"];
  return [
    "text",
    ...(supports.includes("vision") ? (["image"] as const) : []),
    ...(supports.includes("audio_input") ? (["audio"] as const) : []),
    ...(supports.includes("pdf_input") ? (["file"] as const) : []),
  ];
}

function outputsOf({ mode, supports }: Model): readonly Modality[] {
  switch (mode) {
    case "audio_speech":
      return ["audio"];
    case "image_generation":
      return ["image"];
    case "embedding":
    case "moderation":
    case "rerank":
      return [];
    default:
      return supports.includes("audio_output") ? ["text", "audio"] : ["text"];
  }
}

function streamsOf(model: Model): readonly Modality[] {
  switch (model.mode) {
    case "chat":
    case "completion":
    case "responses":
    case "audio_speech":
      return outputsOf(model);
    case "audio_transcription":
      // Whisper returns the whole transcript: https://platform.openai.com/docs/guides/speech-to-text
      return model.model.includes("whisper") ? [] : ["text"];
    case "image_generation":
      // Only GPT Image streams partial images: https://platform.openai.com/docs/guides/image-generation
      return /(?:^|\/)(?:chat)?gpt-image/.test(model.model) ? ["image"] : [];
    default:
      return [];
  }
}
