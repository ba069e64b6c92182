import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { NO_PARTS, type PartTokens } from "../operation-kind.ts";
import { audioTokens, fileTokens, hasOnly, imageTokens, sumParts, UNBOUNDED } from "../part-tokens.ts";

const TEXT_NAMES: ReadonlySet<string> = new Set(["type", "text", "refusal", "annotations", "cache_control", "uuid"]);
const IMAGE_NAMES: ReadonlySet<string> = new Set(["type", "image_url", "cache_control", "uuid"]);
const IMAGE_URL_NAMES: ReadonlySet<string> = new Set(["url", "detail", "format"]);
const AUDIO_NAMES: ReadonlySet<string> = new Set(["type", "input_audio", "cache_control", "uuid"]);
const FILE_NAMES: ReadonlySet<string> = new Set(["type", "file", "cache_control"]);

/**
 * Estimates the number of tokens for a request's images, audio, videos, and files. Their size in bytes doesn't predict
 * their tokens, so they are excluded from the byte-based estimate.
 */
export function estimatePartTokens(request: ChatRequest): PartTokens {
  return sumParts(estimatesOf(request));
}

function* estimatesOf({ messages, modalities, audio }: ChatRequest): Generator<PartTokens> {
  if (audio != null || modalities?.includes("audio") === true) yield { ...NO_PARTS, hasAudio: true };
  for (const message of messages) {
    // A reference to the audio of an earlier response, which can have any length.
    if ((message as { readonly audio?: unknown }).audio != null) yield UNBOUNDED;
    const { content } = message;
    if (typeof content === "string" || !Array.isArray(content)) continue;
    for (const part of content as readonly object[]) yield estimateOnePart(part as Part);
  }
}

interface Part {
  readonly type?: unknown;
  readonly image_url?: { readonly url?: unknown; readonly format?: unknown; readonly detail?: unknown } | string | null;
  readonly input_audio?: { readonly data?: unknown } | null;
  readonly file?: { readonly file_data?: unknown; readonly file_id?: unknown; readonly file_url?: unknown } | null;
}

function estimateOnePart(part: Part): PartTokens {
  const { type, image_url: image, input_audio: audio, file } = part;
  if (type === "text" || type === "refusal") return hasOnly(part, TEXT_NAMES) ? NO_PARTS : UNBOUNDED;
  if (type === "image_url" && hasOnly(part, IMAGE_NAMES)) {
    if (typeof image !== "object" || image === null) return imageTokens(image);
    return hasOnly(image, IMAGE_URL_NAMES) ? imageTokens(image.url, image) : UNBOUNDED;
  }
  if (type === "input_audio" && hasOnly(part, AUDIO_NAMES)) return audioTokens(audio?.data);
  if (type === "file" && hasOnly(part, FILE_NAMES)) return fileTokens(file?.file_data, file?.file_id, file?.file_url);
  return UNBOUNDED;
}
