import { NO_PARTS, type PartTokens } from "./operation-kind.ts";

/** Data URL of a media type that has no image, such as a video. */
const OTHER_DATA = /^data:(?!image\/)/;

/** Upper bound on the number of tokens for an image of any size. Few models exceed this bound. */
const TOKENS_PER_IMAGE = 6_000;
/** File bytes per token. A document page has about a thousand tokens and tens of kilobytes. */
const FILE_BYTES_PER_TOKEN = 12;
/** Data URL of a recording, whose length doesn't follow from its size. */
const RECORDING = /^data:(?:video|audio)\//;

/** A part that can have any number of tokens. */
export const UNBOUNDED: PartTokens = { bytes: 0, tokens: 0, isUnbounded: true };

/** Estimates an image, which is given as a data URL or as a URL. */
export function imageTokens(url: unknown): PartTokens {
  if (typeof url === "string" && OTHER_DATA.test(url)) return UNBOUNDED;
  return { bytes: lengthOf(url), tokens: TOKENS_PER_IMAGE, isUnbounded: false };
}

/** Estimates a file by its data. The gateway doesn't read a file that is given by reference. */
export function fileTokens(data: unknown): PartTokens {
  if (typeof data !== "string" || RECORDING.test(data)) return UNBOUNDED;
  return byBytes(data.length, FILE_BYTES_PER_TOKEN);
}

/** Estimates a part by its size. */
export function byBytes(bytes: number, bytesPerToken: number): PartTokens {
  return { bytes, tokens: Math.ceil(bytes / bytesPerToken), isUnbounded: false };
}

/** Adds the estimates of a request's parts. Most requests have no such parts. */
export function sumParts(parts: Iterable<PartTokens>): PartTokens {
  let sum = NO_PARTS;
  for (const { bytes, tokens, isUnbounded } of parts) {
    if (tokens === 0 && !isUnbounded) continue;
    sum = { bytes: sum.bytes + bytes, tokens: sum.tokens + tokens, isUnbounded: sum.isUnbounded || isUnbounded };
  }
  return sum;
}

export function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}
