import type { GeminiCandidate, GeminiPart, InlineData } from "./gemini-wire.ts";

/** A candidate's content, by type. In a stream, this is the content of one frame. */
export interface CandidateContent {
  readonly text: string;
  readonly thoughts: string;
  readonly calls: readonly CandidateToolCall[];
  readonly images: readonly InlineData[];
  /** Audio as base64. */
  readonly sound: string;
  /** The thought signature that came with the text, not with a tool call. */
  readonly signature: string | null;
}

export interface CandidateToolCall {
  /** Null if the model sent no ID. */
  readonly id: string | null;
  readonly name: string;
  /** Arguments as JSON. */
  readonly args: string;
  readonly signature: string | null;
}

/** Groups a candidate's parts by type. Ignores types that chat completions can't express. */
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
