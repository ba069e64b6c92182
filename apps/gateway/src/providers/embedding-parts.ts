import type { EmbeddingRequest } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { textsOf } from "../tokens/text-or-tokens.ts";
import { unreadable } from "../wire/invalid-response.ts";

/** Returns the input as a list of strings. Throws if the list is longer than the provider accepts in one request. */
export function textsAtMost(input: EmbeddingRequest["input"], model: string, most: number): readonly string[] {
  const texts = textsOf(input ?? "", model, "input");
  if (texts.length <= most) return texts;
  throw new Failure(
    "invalid_request",
    `This model accepts at most ${most} ${most === 1 ? "text" : "texts"} per embeddings request.`,
    {
      param: "input",
    },
  );
}

/** Parses a response that must be a JSON object. The caller checks the object's fields. */
export function parseEmbeddings<Answer extends object>(text: string): Answer {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Answer;
  } catch (error) {
    throw unreadable(error);
  }
  throw unreadable();
}

/** Reports whether the value is a non-empty array of numbers. */
export function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === "number");
}
