/** Properties of a Google model, derived from its name. */
export interface GeminiTraits {
  /** How thinking is set: by a token budget, by a level, or not at all. */
  readonly thinking: "budget" | "level" | "none";
  /** The lowest thinking level, for models with levels. */
  readonly lowestLevel: "minimal" | "low";
  readonly hasMediumLevel: boolean;
  /** True if thinking can be disabled. */
  readonly canStopThinking: boolean;
  /** Maximum thinking budget in tokens. */
  readonly largestBudget: number;
  /** True if the model accepts presence and frequency penalties. Models from version 2.5 on reject them. */
  readonly takesPenalties: boolean;
  /** True if the model supports system instructions. Open-weight models don't support them. */
  readonly takesInstructions: boolean;
  /** True if the model can respond with audio. */
  readonly speaks: boolean;
}

const VERSION = /^gemini-(\d+)(?:\.(\d+))?/;
/**
 * Version that is assumed for names without a version, such as `gemini-flash-latest`. Such names refer to the newest
 * model.
 */
const NEWEST = 99;

/** Derives a model's traits. Unknown names count as models of the newest generation. */
export function traitsOf(upstreamModel: string): GeminiTraits {
  const name = modelId(upstreamModel);
  const isGemini = name.startsWith("gemini");
  const found = VERSION.exec(name);
  const version = found === null ? NEWEST : Number(found[1]) + Number(found[2] ?? 0) / 10;
  const isPro = name.includes("pro");
  const speaks = name.includes("tts") || name.includes("native-audio");
  const thinks = isGemini && version >= 2.5 && !speaks && !name.includes("image");
  return {
    thinking: thinks ? (version >= 3 ? "level" : "budget") : "none",
    lowestLevel: isPro ? "low" : "minimal",
    hasMediumLevel: !isPro || version > 3,
    canStopThinking: !isPro,
    largestBudget: isPro ? 32_768 : 24_576,
    takesPenalties: isGemini && version < 2.5,
    takesInstructions: !name.startsWith("gemma-3"),
    speaks,
  };
}

/**
 * Returns the path of a model's method. The model name may come from a client, so it is encoded as one path segment.
 */
export function methodPath(upstreamModel: string, method: string): string {
  const kind = upstreamModel.startsWith("tunedModels/") ? "tunedModels" : "models";
  return `/${kind}/${encodeURIComponent(modelId(upstreamModel))}:${method}`;
}

/** Returns a model's name without its collection prefix. */
export function modelId(upstreamModel: string): string {
  return upstreamModel.replace(/^(?:models|tunedModels)\//, "");
}
