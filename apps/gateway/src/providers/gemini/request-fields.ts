import type { OperationName } from "../../call/operation-traits.ts";
import type { RequestFields } from "../../call/request-fields.ts";
import { messageFields } from "../anthropic/request-fields.ts";
import { unpricedEverywhere } from "../compile-fields.ts";
import { listsOf } from "../openai/request-fields.ts";

const isDeclaration = (name: string): boolean => name === "functionDeclarations" || name === "function_declarations";

/** Adds the snake_case spelling of each name, because the API accepts both spellings. */
function inBothSpellings({ inside, only, ...lists }: RequestFields): RequestFields {
  const both = (names: readonly string[]) => [...new Set(names.flatMap((name) => [name, snakeCase(name)]))];
  const keys = <Value>(record: Readonly<Record<string, Value>> | undefined) =>
    Object.fromEntries(
      Object.entries(record ?? {}).flatMap(([name, value]) => both([name]).map((spelled) => [spelled, value])),
    );
  return {
    free: both(lists.free ?? []),
    counted: both(lists.counted ?? []),
    unpriced: both(lists.unpriced ?? []),
    only: keys(only),
    inside: keys(inside),
    ...(lists.isClientTool !== undefined && { isClientTool: lists.isClientTool }),
    ...(lists.reportsToolUse === true && { reportsToolUse: true }),
  };
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Fields from https://ai.google.dev/api/generate-content#generationconfig */
const generationConfig: RequestFields = inBothSpellings({
  free: [
    "stopSequences",
    "temperature",
    "topP",
    "topK",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "_responseJsonSchema",
    "responseLogprobs",
    "logprobs",
    "thinkingConfig",
    "audioTimestamp",
    "enableEnhancedCivicAnswers",
  ],
  counted: ["maxOutputTokens", "candidateCount"],
  only: { mediaResolution: ["MEDIA_RESOLUTION_UNSPECIFIED", "MEDIA_RESOLUTION_LOW"] },
  unpriced: ["responseModalities", "speechConfig", "imageConfig", "routingConfig", "modelConfig"],
});

/** Gemini-specific fields of a chat request, from https://ai.google.dev/api/generate-content */
const generateContent: RequestFields = inBothSpellings({
  free: ["safetySettings", "systemInstruction", "toolConfig", "labels", "topK"],
  counted: ["contents"],
  inside: { generationConfig },
  unpriced: ["cachedContent", "serviceTier", "modelArmorConfig"],
  isClientTool: (tool) =>
    tool.type === undefined && Object.keys(tool).length > 0 && Object.keys(tool).every(isDeclaration),
  reportsToolUse: true,
});

/** Fields from https://ai.google.dev/api/embeddings and from Vertex AI's text embeddings reference. */
const embedContent: RequestFields = inBothSpellings({
  free: ["taskType", "title", "autoTruncate"],
  counted: ["content", "outputDimensionality"],
});

/** Returns the field lists for Google's models: Gemini-specific fields, and fields that the gateway translates. */
export function googleFields(operation: OperationName): readonly RequestFields[] {
  if (operation === "messages") return [unpricedEverywhere, messageFields];
  if (operation === "embeddings") return [...listsOf(operation), embedContent];
  const isChat = operation === "chat.completions" || operation === "completions";
  // The operation's lists take precedence, because they allow only some values of `service_tier`.
  return isChat ? [generateContent, ...listsOf(operation)] : listsOf(operation);
}
