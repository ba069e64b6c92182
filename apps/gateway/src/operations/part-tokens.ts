import { hasByteRate } from "../tokens/has-byte-rate.ts";
import { mediaTypeByName } from "../tokens/media-type-by-name.ts";
import { NO_PARTS, type PartTokens } from "./operation-kind.ts";

/** Minimum bytes per audio token, in base64. Recordings have at most 32 tokens and at least 1,000 bytes per second. */
const AUDIO_BYTES_PER_TOKEN = 16;
const DATA_TYPE = /^data:([^;,]*)/;
const TEXT_TYPE = /^(?:text\/|application\/json$)/;

/** A part that can have any number of tokens. */
export const UNBOUNDED: PartTokens = { ...NO_PARTS, isUnbounded: true };

/**
 * Estimates an image, which is given as a data URL or as a URL. Some providers also accept other media here, and their
 * type is then in the URL or in `format`.
 */
export function imageTokens(url: unknown, format: unknown = null): PartTokens {
  const type = typeof url === "string" ? (DATA_TYPE.exec(url)?.[1] ?? mediaTypeByName(pathOf(url))) : null;
  if (isOtherMedia(type) || isOtherMedia(format)) return UNBOUNDED;
  return { ...NO_PARTS, bytes: lengthOf(url), images: 1 };
}

/** Estimates a recording by its size. */
export function audioTokens(data: unknown): PartTokens {
  if (typeof data !== "string" || !hasByteRate(data)) return UNBOUNDED;
  return { ...NO_PARTS, bytes: data.length, tokens: Math.ceil(data.length / AUDIO_BYTES_PER_TOKEN) };
}

/**
 * Estimates a file. Text is estimated by its bytes, like other text. The gateway doesn't read a file that is given by
 * reference, and a document of a few kilobytes can have hundreds of pages.
 */
export function fileTokens(data: unknown): PartTokens {
  const type = typeof data === "string" ? DATA_TYPE.exec(data)?.[1] : undefined;
  return type !== undefined && TEXT_TYPE.test(type) ? NO_PARTS : UNBOUNDED;
}

/** Adds the estimates of a request's parts. Most requests have no such parts. */
export function sumParts(parts: Iterable<PartTokens>): PartTokens {
  let sum = NO_PARTS;
  for (const part of parts) {
    if (part === NO_PARTS) continue;
    sum = {
      bytes: sum.bytes + part.bytes,
      tokens: sum.tokens + part.tokens,
      images: sum.images + part.images,
      isUnbounded: sum.isUnbounded || part.isUnbounded,
    };
  }
  return sum;
}

function isOtherMedia(type: unknown): boolean {
  return typeof type === "string" && !type.toLowerCase().startsWith("image/");
}

/** Returns a URL without its query and fragment. */
function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
