import type { CandidateContent, CandidateToolCall } from "./read-candidate.ts";

/**
 * Maximum length of the response ID within tool call IDs. If the conversation continues with another provider, that
 * provider may reject long tool call IDs.
 */
const MAX_ANSWER_ID = 24;

/** The format of function calls in the response. It is the legacy format if the request uses legacy functions. */
export type CallForm = "tool_calls" | "function_call";

/** Returns the response's ID. Tool call IDs are also derived from it. */
export function answerId(responseId: unknown, random: () => string): string {
  return typeof responseId === "string" && responseId !== "" ? responseId : random();
}

/** Returns tool calls for a message or a delta. `first` is the number of earlier calls. */
export function shownCalls(
  calls: readonly CandidateToolCall[],
  form: CallForm,
  responseId: string,
  first: number,
): object {
  const [only] = calls;
  if (only === undefined) return {};
  if (form === "function_call") {
    // The legacy format supports only one function call.
    return first === 0 ? { function_call: { name: only.name, arguments: only.args } } : {};
  }
  return {
    tool_calls: calls.map(({ id, name, args, signature }, position) => ({
      index: first + position,
      id: id ?? `call_${responseId.slice(0, MAX_ANSWER_ID)}_${first + position}`,
      type: "function",
      function: { name, arguments: args },
      ...(signature !== null && signed(signature)),
    })),
  };
}

/** Returns images, audio, and signatures, which only some responses have. */
export function shownExtras({ images, sound, signature }: CandidateContent, responseId: string): object {
  return {
    ...(images.length > 0 && {
      images: images.map(({ mimeType, data }) => ({
        type: "image_url",
        image_url: { url: `data:${mimeType};base64,${data}` },
      })),
    }),
    ...(sound !== "" && { audio: { id: `audio_${responseId}`, data: sound, expires_at: 0, transcript: "" } }),
    ...(signature !== null && signed(signature)),
  };
}

/**
 * Puts signatures in the same field as Google's own OpenAI-compatible API, so that clients of that API also work with
 * the gateway.
 */
function signed(signature: string): object {
  return { extra_content: { google: { thought_signature: signature } } };
}
