/** What a model of Google's can be told, as far as its name says. */
export interface GeminiTraits {
  /** How much it thinks is said in tokens, as a level, or not at all. */
  readonly thinking: "budget" | "level" | "none";
  /** The least it thinks when it is to be said as a level. */
  readonly lowestLevel: "minimal" | "low";
  readonly hasMediumLevel: boolean;
  /** Whether it can be told not to think at all. */
  readonly canStopThinking: boolean;
  /** The most tokens it thinks for. */
  readonly largestBudget: number;
  /** Models since 2.5 refuse presence and frequency penalties. */
  readonly takesPenalties: boolean;
  /** Open models have no place for instructions besides the conversation. */
  readonly takesInstructions: boolean;
  /** Answers with sound. */
  readonly speaks: boolean;
}

const VERSION = /^gemini-(\d+)(?:\.(\d+))?/;
/** Names without a version, such as `gemini-flash-latest`, mean the newest there is. */
const NEWEST = 99;

/** What a model can be told. Names nobody has seen yet are taken for models of the newest kind. */
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

/** The path of a model's method. The name may come from a client, so nothing of it can leave its place in the path. */
export function methodPath(upstreamModel: string, method: string): string {
  const kind = upstreamModel.startsWith("tunedModels/") ? "tunedModels" : "models";
  return `/${kind}/${encodeURIComponent(modelId(upstreamModel))}:${method}`;
}

/** A model's name without the collection it may be written with. */
export function modelId(upstreamModel: string): string {
  return upstreamModel.replace(/^(?:models|tunedModels)\//, "");
}
