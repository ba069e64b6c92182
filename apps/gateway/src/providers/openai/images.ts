import { type ImageRequest, imageParams } from "@tollgate/contracts/images/image-request.ts";
import { endOfObject } from "@tollgate/domain/json-text.ts";
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
  const tokens = findTokens(text);
  if (tokens === null) return { text, usage: null };
  return { text, usage: { ...NO_USAGE, ...tokens, images: countImages(text, call.body.request.n ?? 1) } };
}

/** Finds the token usage. Quotes inside JSON strings are escaped, so the marker can't occur inside a string. */
function findTokens(text: string): Usage | null {
  const mark = text.lastIndexOf(USAGE);
  const start = mark < 0 ? -1 : text.indexOf("{", mark);
  const end = start < 0 ? -1 : endOfObject(text, start);
  if (end <= 0) return null;
  try {
    return readTokenUsage(JSON.parse(text.slice(start, end)));
  } catch {
    return null;
  }
}
