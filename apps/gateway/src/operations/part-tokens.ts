import { hasByteRate } from "../tokens/has-byte-rate.ts";
import { mediaTypeOfUrl } from "../tokens/media-type.ts";
import { NO_PARTS, type PartTokens } from "./operation-kind.ts";

/** Minimum bytes per audio token, in base64. Recordings have at most 32 tokens and at least 1,000 bytes per second. */
const AUDIO_BYTES_PER_TOKEN = 16;
const DATA_TYPE = /^data:([^;,]*)/;
const TEXT_TYPE = /^(?:text\/|application\/json$)/;
/** Levels of detail up to which a model's maximum per image holds. */
const DETAILS: ReadonlySet<unknown> = new Set([undefined, null, "auto", "low", "high"]);

/** A part that can have any number of tokens. */
export const UNBOUNDED: PartTokens = { ...NO_PARTS, isUnbounded: true };

/**
 * Reports whether a part has only these members. Some upstreams read media from other members, regardless of the part's
 * type.
 */
export function hasOnly(part: object, names: ReadonlySet<string>): boolean {
  for (const name in part) {
    if (!names.has(name) && (part as Readonly<Record<string, unknown>>)[name] != null) return false;
  }
  return true;
}

interface ImageHints {
  /** Media type that the client declares. */
  readonly format?: unknown;
  readonly detail?: unknown;
}

/**
 * Estimates an image, which is given as a data URL or as a URL. Some providers also accept other media here, and their
 * type is then in the URL or in `format`.
 */
export function imageTokens(url: unknown, { format, detail }: ImageHints = {}): PartTokens {
  if (typeof url !== "string" || !DETAILS.has(detail)) return UNBOUNDED;
  const type = DATA_TYPE.exec(url)?.[1] ?? mediaTypeOfUrl(url);
  if (isOtherMedia(type) || isOtherMedia(format)) return UNBOUNDED;
  return { ...NO_PARTS, bytes: url.length, images: 1 };
}

/** Estimates a recording by its size. */
export function audioTokens(data: unknown): PartTokens {
  if (typeof data !== "string" || !hasByteRate(data)) return UNBOUNDED;
  const tokens = Math.ceil(data.length / AUDIO_BYTES_PER_TOKEN);
  return { ...NO_PARTS, bytes: data.length, tokens, hasAudio: true };
}

/**
 * Estimates a file. Text is estimated by its bytes, like other text. The gateway doesn't read a file that is given by
 * reference, and a document of a few kilobytes can have hundreds of pages.
 */
export function fileTokens(data: unknown, ...references: readonly unknown[]): PartTokens {
  const type = typeof data === "string" ? DATA_TYPE.exec(data)?.[1] : undefined;
  const isText = type !== undefined && TEXT_TYPE.test(type) && references.every((reference) => reference == null);
  return isText ? NO_PARTS : UNBOUNDED;
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
      hasAudio: sum.hasAudio || part.hasAudio,
      isUnbounded: sum.isUnbounded || part.isUnbounded,
    };
  }
  return sum;
}

export function isOtherMedia(type: unknown): boolean {
  return typeof type === "string" && !type.toLowerCase().startsWith("image/");
}
