import type { GeminiCandidate, GeminiPart, InlineData } from "./gemini-wire.ts";

/** What a candidate said, by kind. Of a stream, what one frame of it said. */
export interface CandidateContent {
  readonly text: string;
  readonly thoughts: string;
  readonly calls: readonly CandidateToolCall[];
  readonly images: readonly InlineData[];
  /** Sound as base64. */
  readonly sound: string;
  /** Of a thought that belongs to the text, not to a call. */
  readonly signature: string | null;
}

export interface CandidateToolCall {
  /** Null where the model gave none. */
  readonly id: string | null;
  readonly name: string;
  /** As JSON. */
  readonly args: string;
  readonly signature: string | null;
}

/** Sorts the parts of a candidate. Parts of kinds that a chat has no place for are passed over. */
export function readCandidate({ content }: GeminiCandidate): CandidateContent {
  const parts = Array.isArray(content?.parts) ? (content.parts as readonly GeminiPart[]) : [];
  let text = "";
  let thoughts = "";
  let sound = "";
  let signature: string | null = null;
  const calls: CandidateToolCall[] = [];
  const images: InlineData[] = [];
  for (const part of parts) {
    if (typeof part.text === "string") {
      if (part.thought === true) thoughts += part.text;
      else text += part.text;
    }
    if (part.functionCall !== undefined) calls.push(readCall(part.functionCall, part.thoughtSignature));
    else if (typeof part.thoughtSignature === "string") signature = part.thoughtSignature;
    if (part.inlineData !== undefined && part.thought !== true) {
      if (part.inlineData.mimeType?.startsWith("audio/")) sound += part.inlineData.data;
      else images.push(part.inlineData);
    }
  }
  return { text, thoughts, calls, images, sound, signature };
}

function readCall({ id, name, args }: NonNullable<GeminiPart["functionCall"]>, signature: unknown): CandidateToolCall {
  return {
    id: typeof id === "string" && id !== "" ? id : null,
    name: String(name),
    args: JSON.stringify(args ?? {}),
    signature: typeof signature === "string" ? signature : null,
  };
}
