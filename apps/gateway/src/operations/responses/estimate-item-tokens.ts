import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import { NO_PARTS, type PartTokens } from "../operation-kind.ts";
import { audioTokens, fileTokens, imageTokens, sumParts, UNBOUNDED } from "../sum-parts.ts";

interface Item {
  readonly content?: unknown;
  readonly output?: unknown;
}

interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly image_url?: unknown;
  readonly file_data?: unknown;
  readonly input_audio?: { readonly data?: unknown } | null;
}

/** Estimates the tokens of a request's images and files, in messages and in tool outputs. */
export function estimateItemTokens({ input }: ResponseRequest): PartTokens {
  return typeof input === "string" ? NO_PARTS : sumParts(estimatesOf(input as readonly Item[]));
}

function* estimatesOf(items: readonly Item[]): Generator<PartTokens> {
  for (const { content, output } of items) {
    for (const parts of [content, output]) {
      if (!Array.isArray(parts)) continue;
      for (const part of parts as readonly (Part | null)[]) yield estimateOnePart(part);
    }
  }
}

function estimateOnePart(part: Part | null): PartTokens {
  if (part === null || typeof part !== "object") return NO_PARTS;
  if (part.type === "input_image") return imageTokens(part.image_url);
  if (part.type === "input_file") return fileTokens(part.file_data);
  if (part.type === "input_audio") return audioTokens(part.input_audio?.data);
  return typeof part.text === "string" || typeof part.refusal === "string" ? NO_PARTS : UNBOUNDED;
}
