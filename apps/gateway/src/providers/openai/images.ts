import { type ImageRequest, imageParams } from "@tollgate/contracts/images/image-request.ts";
import { endOfObject } from "@tollgate/domain/json-text.ts";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ReadAnswer, TranslatedCall, Translation } from "../../call/provider.ts";
import { countImages } from "../../operations/images/count-images.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { editRequest, modelEdit } from "../build-request.ts";
import { readTokenUsage } from "./read-media-usage.ts";

/** Parameters that each model family doesn't support. */
const namesByFamily: readonly (readonly [family: RegExp, unknownNames: readonly string[]])[] = [
  [/^dall-e-2/, ["quality", "style", "background", "output_format", "output_compression", "moderation"]],
  [/^dall-e-3/, ["background", "output_format", "output_compression", "moderation"]],
  // These models always return the image itself and reject `response_format`.
  [/^(?:gpt-image|chatgpt-image)/, ["response_format", "style"]],
];
const USAGE = '"usage"';

/** Images in the OpenAI format, relayed byte for byte. */
export const imageTranslation: Translation<ImageRequest> = {
  supportedParams: (upstreamModel) => {
    const unknown = namesByFamily.find(([family]) => family.test(upstreamModel))?.[1] ?? [];
    return [...imageParams].filter((name) => !unknown.includes(name));
  },
  buildRequest: (call, target, dropped) =>
    editRequest(call, target, "/images/generations", [modelEdit(target)], dropped),
  readAnswer: readImages,
  readStream: () => {
    throw new Error("images are not streamed");
  },
};

/** The response is searched instead of parsed, because it may contain tens of megabytes of images. */
function readImages(call: TranslatedCall<ImageRequest>, text: string): ReadAnswer {
  if (!text.trimStart().startsWith("{") || !text.trimEnd().endsWith("}") || !text.includes('"data"')) {
    throw unreadable();
  }
  const tokens = findUsage(text);
  if (tokens === null) return { text, usage: null };
  return { text, usage: { ...NO_USAGE, ...tokens, images: countImages(text, call.body.request.n ?? 1) } };
}

/** Finds the token usage. Quotes inside JSON strings are escaped, so the marker can't occur inside a string. */
function findUsage(text: string): Usage | null {
  const mark = text.lastIndexOf(USAGE);
  const start = mark < 0 ? -1 : text.indexOf("{", mark);
  const end = start < 0 ? -1 : endOfObject(text, start);
  if (end <= 0) return null;
  try {
    const reported: unknown = JSON.parse(text.slice(start, end));
    return withText(readTokenUsage(reported), reported);
  } catch {
    return null;
  }
}

interface ImageTokens {
  readonly output_tokens_details?: { readonly text_tokens?: unknown } | null;
}

/**
 * Counts the text that a model writes while it plans an image as reasoning, because it is part of the output and has
 * another price.
 */
function withText(usage: Usage | null, reported: unknown): Usage | null {
  const text = (reported as ImageTokens).output_tokens_details?.text_tokens ?? 0;
  if (usage === null || !isCount(text) || text > usage.outputTokens) return usage;
  return { ...usage, reasoningTokens: text };
}
