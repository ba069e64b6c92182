import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import type { PartTokens } from "../operation-kind.ts";

/** Upper bounds for images, audio, and files, the same as in chat. */
const TOKENS_PER_IMAGE = 6_000;
const AUDIO_BYTES_PER_TOKEN = 16;
const FILE_BYTES_PER_TOKEN = 12;

const NOTHING: PartTokens = { bytes: 0, tokens: 0 };

interface Item {
  readonly content?: unknown;
  readonly output?: unknown;
}

interface Part {
  readonly type?: unknown;
  readonly image_url?: unknown;
  readonly file_data?: unknown;
  readonly file_url?: unknown;
  readonly input_audio?: { readonly data?: unknown } | null;
}

/** Estimates the tokens of a request's images and files, in messages and in tool outputs. */
export function estimateItemTokens({ input }: ResponseRequest): PartTokens {
  if (typeof input === "string") return NOTHING;
  let bytes = 0;
  let tokens = 0;
  for (const { content, output } of input as readonly Item[]) {
    for (const parts of [content, output]) {
      if (!Array.isArray(parts)) continue;
      for (const part of parts as readonly Part[]) {
        const weight = estimateOnePart(part);
        bytes += weight.bytes;
        tokens += weight.tokens;
      }
    }
  }
  return tokens === 0 ? NOTHING : { bytes, tokens };
}

function estimateOnePart(part: Part | null): PartTokens {
  if (part === null || typeof part !== "object") return NOTHING;
  if (part.type === "input_image") return { bytes: lengthOf(part.image_url), tokens: TOKENS_PER_IMAGE };
  if (part.type === "input_file") return byBytes(lengthOf(part.file_data), FILE_BYTES_PER_TOKEN);
  if (part.type === "input_audio") return byBytes(lengthOf(part.input_audio?.data), AUDIO_BYTES_PER_TOKEN);
  return NOTHING;
}

function byBytes(bytes: number, bytesPerToken: number): PartTokens {
  return { bytes, tokens: Math.ceil(bytes / bytesPerToken) };
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
