import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { NO_PARTS, type PartTokens } from "../operation-kind.ts";
import { audioTokens, fileTokens, imageTokens, sumParts, UNBOUNDED } from "../sum-parts.ts";

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
  readonly image_url?: { readonly url?: unknown; readonly format?: unknown } | string | null;
  readonly input_audio?: { readonly data?: unknown } | null;
  readonly file?: { readonly file_data?: unknown } | null;
}

function estimateOnePart({ type, image_url: image, input_audio: audio, file }: Part): PartTokens {
  if (type === "image_url") {
    return typeof image === "object" && image !== null ? imageTokens(image.url, image.format) : imageTokens(image);
  }
  if (type === "input_audio") return audioTokens(audio?.data);
  if (type === "file") return fileTokens(file?.file_data);
  return type === "video_url" ? UNBOUNDED : NO_PARTS;
}
