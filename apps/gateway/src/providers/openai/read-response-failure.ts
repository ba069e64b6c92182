import type { Failure } from "@tollgate/contracts/failures.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { parseObject } from "./parse-object.ts";
import { readReportedFailure } from "./read-failure.ts";

/** The HTTP status for a failed response's error code. */
const statuses: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  content_filter: 400,
};

/** Converts a failed response's error, given as a binary string, to a failure. */
export function readResponseFailure(json: string): Failure {
  const error = parseObject(json)?.error as { readonly code?: unknown } | null | undefined;
  return readReportedFailure(json, statuses[String(error?.code)] ?? 502) ?? unreadable();
}
