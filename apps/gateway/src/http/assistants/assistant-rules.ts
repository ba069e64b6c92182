import { ErrorResponse, HTTPValidationError } from "@tollgate/contracts/error-bodies.ts";
import { informationFailures } from "@tollgate/contracts/information-failures.ts";
import type { AnswerDescription } from "@tollgate/contracts/operations.ts";

const KIB = 1_024;

/** Maximum body sizes. */
export const bodyLimits = {
  assistant: 1_024 * KIB,
  thread: 8_192 * KIB,
  message: 2_048 * KIB,
  run: 8_192 * KIB,
  other: 64 * KIB,
} as const;

/** Shared description fields of all operations on assistants, threads, messages, and runs. */
export const assistantRules = {
  tag: "assistants",
  auth: "key",
  routeGroup: "inference",
  billing: "free",
  bodyLimitBytes: bodyLimits.other,
  timeoutMs: 30_000,
} as const;

/** Failures that each assistants API operation can return. */
export const assistantFailures: Readonly<Record<number, AnswerDescription>> = {
  ...informationFailures,
  400: { description: "The request is well-formed but cannot be processed.", schema: ErrorResponse },
  404: { description: "The record does not exist, or the caller has no access to it.", schema: ErrorResponse },
  408: { description: "A timeout expired.", schema: ErrorResponse },
  413: { description: "The body is larger than the limit.", schema: ErrorResponse },
  415: { description: "The body is not JSON, or it has a content encoding.", schema: ErrorResponse },
  422: {
    description: "The body or a parameter is invalid. The response lists every problem.",
    schema: HTTPValidationError,
  },
};
