import type { CandidateContent, CandidateToolCall } from "./read-candidate.ts";

/**
 * Maximum length of the response ID within call IDs. If the conversation continues with another provider, that provider
 * may reject longer IDs.
 */
const MAX_ANSWER_ID = 24;

/** The form of tool calls in the response. Legacy functions are used if the request used them. */
export type CallForm = "tool_calls" | "function_call";

/** Returns the response's ID. Call IDs are derived from it, too. */
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
    // The legacy format supports only one call.
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

/** Puts signatures where Google's own OpenAI-compatible API puts them, so that its clients continue to work. */
function signed(signature: string): object {
  return { extra_content: { google: { thought_signature: signature } } };
}
