import type { CandidateContent, CandidateToolCall } from "./read-candidate.ts";

/** Clients of other providers refuse longer ids when such a conversation goes on there. */
const MAX_ANSWER_ID = 24;

/** How calls are shown: as tools, or as the older functions when those were asked for. */
export type CallForm = "tool_calls" | "function_call";

/** The id of an answer as a chat shows it, and what the ids of its calls are made of. */
export function answerId(responseId: unknown, random: () => string): string {
  return typeof responseId === "string" && responseId !== "" ? responseId : random();
}

/** Calls of functions as a message or a delta shows them. `first` counts the calls that came before. */
export function shownCalls(
  calls: readonly CandidateToolCall[],
  form: CallForm,
  responseId: string,
  first: number,
): object {
  const [only] = calls;
  if (only === undefined) return {};
  if (form === "function_call") {
    // The older form has room for one call.
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

/** Pictures, sound and signatures, which only some answers have. */
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

/** Where Google's own OpenAI surface carries signatures, so that clients made for it keep working. */
function signed(signature: string): object {
  return { extra_content: { google: { thought_signature: signature } } };
}
