import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { PartTokens } from "../operation-kind.ts";

/** Upper bound on the number of tokens for an image of any size. Few models exceed this bound. */
const TOKENS_PER_IMAGE = 6_000;
/**
 * Minimum bytes per audio token. The value is low on purpose, so that the estimate is an upper bound. Audio rarely has
 * more than 32 tokens or less than 2,000 bytes per second, which is about 60 bytes per token.
 */
const AUDIO_BYTES_PER_TOKEN = 16;
/** File bytes per token. A document page has about a thousand tokens and tens of kilobytes. */
const FILE_BYTES_PER_TOKEN = 12;

const NOTHING: PartTokens = { bytes: 0, tokens: 0 };

/**
 * Estimates the number of tokens for a request's images, audio, and files. Their size in bytes doesn't predict their
 * tokens, so they are excluded from the byte-based estimate. Most requests have no such parts.
 */
export function estimatePartTokens({ messages }: ChatRequest): PartTokens {
  let weight: { bytes: number; tokens: number } | null = null;
  for (const { content } of messages) {
    if (typeof content === "string" || !Array.isArray(content)) continue;
    for (const part of content as readonly object[]) {
      const { bytes, tokens } = estimateOnePart(part as Part);
      if (tokens === 0) continue;
      weight ??= { bytes: 0, tokens: 0 };
      weight.bytes += bytes;
      weight.tokens += tokens;
    }
  }
  return weight ?? NOTHING;
}

interface Part {
  readonly type?: unknown;
  readonly image_url?: string | { readonly url?: unknown } | null;
  readonly input_audio?: { readonly data?: unknown } | null;
  readonly file?: { readonly file_data?: unknown } | null;
}

function estimateOnePart({ type, image_url: image, input_audio: audio, file }: Part): PartTokens {
  if (type === "image_url") {
    const url = typeof image === "object" && image !== null ? image.url : image;
    return { bytes: lengthOf(url), tokens: TOKENS_PER_IMAGE };
  }
  if (type === "input_audio") return byBytes(lengthOf(audio?.data), AUDIO_BYTES_PER_TOKEN);
  if (type === "file") return byBytes(lengthOf(file?.file_data), FILE_BYTES_PER_TOKEN);
  return NOTHING;
}

function byBytes(bytes: number, bytesPerToken: number): PartTokens {
  return { bytes, tokens: Math.ceil(bytes / bytesPerToken) };
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
