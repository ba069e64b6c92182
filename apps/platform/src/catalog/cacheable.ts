import { createHash } from "node:crypto";
import { writeAnswer } from "@tollgate/contracts/management/write-answer.ts";
import type { TSchema } from "typebox";
import type { Answer } from "../operation.ts";

/** Returns a response that clients may cache for one minute, or 304 if the ETag matches. */
export function cacheable(schema: TSchema, body: unknown, ifNoneMatch: string | string[] | undefined): Answer {
  const etag = `"${createHash("sha256").update(writeAnswer(schema, body)).digest("base64url").slice(0, 27)}"`;
  const headers = { "cache-control": "public, max-age=60", etag };
  const known = [ifNoneMatch ?? []].flat().flatMap((value) => value.split(",").map((tag) => tag.trim()));
  // An intermediate cache may have converted the ETag to a weak one.
  const isKnown = known.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
  return isKnown ? { status: 304, headers } : { status: 200, body, headers };
}
