import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { NO_PARTS, type PartTokens } from "../operation-kind.ts";
import { byBytes, fileTokens, imageTokens, lengthOf, sumParts, UNBOUNDED } from "../sum-parts.ts";

/**
 * Minimum bytes per audio token. The value is low on purpose, so that the estimate is an upper bound. Audio rarely has
 * more than 32 tokens or less than 2,000 bytes per second, which is about 60 bytes per token.
 */
const AUDIO_BYTES_PER_TOKEN = 16;

/**
 * Estimates the number of tokens for a request's images, audio, videos, and files. Their size in bytes doesn't predict
 * their tokens, so they are excluded from the byte-based estimate.
 */
export function estimatePartTokens({ messages }: ChatRequest): PartTokens {
  return sumParts(estimatesOf(messages));
}

function* estimatesOf(messages: ChatRequest["messages"]): Generator<PartTokens> {
  for (const { content } of messages) {
    if (typeof content === "string" || !Array.isArray(content)) continue;
    for (const part of content as readonly object[]) yield estimateOnePart(part as Part);
  }
}

interface Part {
  readonly type?: unknown;
  readonly image_url?: string | { readonly url?: unknown } | null;
  readonly input_audio?: { readonly data?: unknown } | null;
  readonly file?: { readonly file_data?: unknown } | null;
}

function estimateOnePart({ type, image_url: image, input_audio: audio, file }: Part): PartTokens {
  if (type === "image_url") return imageTokens(typeof image === "object" && image !== null ? image.url : image);
  if (type === "input_audio") return byBytes(lengthOf(audio?.data), AUDIO_BYTES_PER_TOKEN);
  if (type === "file") return fileTokens(file?.file_data);
  if (type === "video_url") return UNBOUNDED;
  return NO_PARTS;
}
